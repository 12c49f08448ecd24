// Puzzles solved in a row, as a value that never changes and a text that keeps it. No DOM.

export const NO_STREAK = { now: 0, best: 0, counted: [], shown: [] };

/** The streak after a puzzle was answered; one counts once in a streak, and never after its answer was shown. */
export function afterAnswer(streak, number, right) {
  const { best, counted, shown } = streak;
  if (!right) return { now: 0, best, counted: [], shown: [...new Set([...shown, number])] };
  if (counted.includes(number) || wasShown(streak, number)) return streak;
  const now = streak.now + 1;
  return { now, best: Math.max(best, now), counted: [...counted, number], shown };
}

/** Whether the answer to a puzzle was shown to who gave a wrong one. */
export function wasShown({ shown }, number) {
  return shown.includes(number);
}

export function formatStreak(streak) {
  return JSON.stringify(streak);
}

/** The streak that a text keeps; none where it keeps nothing that makes sense. */
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
