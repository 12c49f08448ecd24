// Mistakes of one's own as cards that come back until they are known, at growing intervals (Leitner's boxes). A day is
// a text such as 2026-11-16, by the local calendar. No DOM.

const DAYS = [0, 1, 3, 7, 16, 35]; // until a card of each box comes back; past the last box it is known
export const KNOWN = DAYS.length;
export const LONGEST_DAYS = DAYS.at(-1);

const pad = (number) => String(number).padStart(2, "0");

/** The local day of a moment. */
export function dayOf(date) {
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** The day some days after another. */
export function daysLater(day, days) {
  const [year, month, date] = day.split("-").map(Number);
  return dayOf(new Date(year, month - 1, date + days));
}

/** Whether a text is a day of the calendar. */
export function isDay(text) {
  return /^2\d{3}-\d\d-\d\d$/.test(text) && daysLater(text, 0) === text;
}

/** A card for a mistake that was just made: where, as text, and the square gone to. */
export function newCard(position, played, day) {
  return { position, played, box: 0, due: day, tries: 0 };
}

export function isKnown({ box }) {
  return box >= KNOWN;
}

export function isDue(card, day) {
  return !isKnown(card) && card.due <= day;
}

/**
 * The card after somebody tried it.
 * @param {"right"|"helped"|"missed"} how found alone, with a hint that told where or which, or not found.
 */
export function afterTry(card, how, day) {
  const tries = card.tries + 1;
  if (how === "missed") return { ...card, tries, box: 0, due: day };
  if (!isDue(card, day)) return { ...card, tries }; // too early to say that it is remembered
  const box = how === "helped" ? 1 : card.box + 1;
  return { ...card, tries, box, due: box >= KNOWN ? day : daysLater(day, DAYS[box]) };
}

/** When a card comes back, in words that follow "It comes back". */
export function comesBack({ due }, day) {
  if (due <= day) return "today";
  if (due === daysLater(day, 1)) return "tomorrow";
  let days = 2;
  while (daysLater(day, days) < due) days++;
  return `in ${days} days`;
}
