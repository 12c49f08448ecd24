// A visitor's progress in puzzles, as immutable values and their texts: the rating, the daily puzzle, and the streak of
// puzzles solved in a row. No DOM.

// The rating moves with every first try and chooses the next puzzle.

const FIRST = { rating: 800, tries: 0, recent: [], daily: { day: "", days: 0 } };
const RECENT = 200; // puzzles that are not repeated soon
const NEAR = 12; // the next puzzle is one of the nearest, at random
const QUICK = { tries: 20, step: 48 }; // larger steps at first
const STEP = 24;
const LEAST = 100;
const MOST = 3000;

/** The rating after the first try of a puzzle, by Elo's formula. */
export function afterPuzzle(state, number, difficulty, isRight) {
  const expected = 1 / (1 + 10 ** ((difficulty - state.rating) / 400));
  const step = state.tries < QUICK.tries ? QUICK.step : STEP;
  const rating = Math.round(state.rating + step * ((isRight ? 1 : 0) - expected));
  return {
    ...state,
    rating: Math.min(MOST, Math.max(LEAST, rating)),
    tries: state.tries + 1,
    recent: [number, ...state.recent.filter((one) => one !== number)].slice(0, RECENT),
  };
}

/** The number of a puzzle that fits the rating and was not seen recently. */
export function nextPuzzle({ rating, recent }, difficulties, random = Math.random) {
  const seen = new Set(recent.slice(0, difficulties.length - 1));
  const open = difficulties
    .map((difficulty, at) => ({ number: at + 1, away: Math.abs(difficulty - rating) }))
    .filter(({ number }) => !seen.has(number))
    .toSorted((one, other) => one.away - other.away);
  return open[Math.floor(random() * Math.min(NEAR, open.length))].number;
}

/** The number of a day's puzzle: the same for all visitors, and every puzzle once before any repeats. */
export function dailyPuzzle(day, count) {
  const days = Math.round(Date.parse(`${day}T00:00:00Z`) / 86_400_000);
  let stride = Math.floor(count * 0.618) || 1; // far from the day before
  while (divisor(stride, count) > 1) stride++;
  return 1 + ((days * stride) % count);
}

/**
 * Judge a try: whether it is right, the right move, the plies to the win, and the reply if there is more to find.
 * @param {{line: string[], plies: number}} puzzle
 * @param {number} step the number of moves found before.
 */
export function judge({ line, plies }, step, move) {
  const right = move === line[2 * step];
  return { move, right, answer: line[2 * step], plies: plies - 2 * step, reply: (right && line[2 * step + 1]) || null };
}

const divisor = (one, other) => (other ? divisor(other, one % other) : one);

/** The state after the puzzle of a day was solved; `yesterday` is the day before. */
export function afterDaily(state, day, yesterday) {
  const { daily } = state;
  if (daily.day === day) return state;
  return { ...state, daily: { day, days: daily.day === yesterday ? daily.days + 1 : 1 } };
}

/** How many days in a row were solved, as of a day. */
export function daysInARow({ daily }, day, yesterday) {
  return [day, yesterday].includes(daily.day) ? daily.days : 0;
}

export function formatRating(state) {
  return JSON.stringify(state);
}

/** Read the state from a text; a new state if the text is invalid. */
export function parseRating(text) {
  try {
    const { rating, tries, recent, daily } = JSON.parse(text);
    const whole = [rating, tries, daily.days].every(Number.isInteger) && Array.isArray(recent);
    const isSound = whole && rating >= LEAST && rating <= MOST && tries >= 0 && daily.days >= 0;
    if (!isSound || typeof daily.day !== "string") return FIRST;
    const { day, days } = daily;
    return { rating, tries, recent: recent.filter(Number.isInteger).slice(0, RECENT), daily: { day, days } };
  } catch {
    return FIRST;
  }
}

// The streak: puzzles solved in a row.

export const NO_STREAK = { now: 0, best: 0, counted: [], shown: [] };

/** The streak after an answer. A puzzle counts once in a streak, and never after its answer was shown. */
export function afterAnswer(streak, number, right) {
  const { best, counted, shown } = streak;
  if (!right) return { now: 0, best, counted: [], shown: [...new Set([...shown, number])] };
  if (counted.includes(number) || wasShown(streak, number)) return streak;
  const now = streak.now + 1;
  return { now, best: Math.max(best, now), counted: [...counted, number], shown };
}

/** Whether a puzzle was answered wrongly before, so that its answer was shown. */
export function wasShown({ shown }, number) {
  return shown.includes(number);
}

export function formatStreak(streak) {
  return JSON.stringify(streak);
}

/** Read the streak from a text; no streak if the text is invalid. */
export function parseStreak(text) {
  try {
    const { now, best, counted, shown = [] } = JSON.parse(text);
    const sound = [now, best].every(Number.isInteger) && [counted, shown].every(Array.isArray);
    return sound && now >= 0 && best >= now
      ? { now, best, counted: counted.filter(Number.isInteger), shown: shown.filter(Number.isInteger) }
      : NO_STREAK;
  } catch {
    return NO_STREAK;
  }
}
