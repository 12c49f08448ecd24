// Puzzles solved in a row, as a value that never changes and a text that keeps it. No DOM.

export const NO_STREAK = { now: 0, best: 0, counted: [] };

/** The streak after a puzzle was answered; a puzzle counts once in a streak. */
export function afterAnswer(streak, number, right) {
  if (!right) return { now: 0, best: streak.best, counted: [] };
  if (streak.counted.includes(number)) return streak;
  const now = streak.now + 1;
  return { now, best: Math.max(streak.best, now), counted: [...streak.counted, number] };
}

export function formatStreak(streak) {
  return JSON.stringify(streak);
}

/** The streak that a text keeps; none where it keeps nothing that makes sense. */
export function parseStreak(text) {
  try {
    const { now, best, counted } = JSON.parse(text);
    const sound = Number.isInteger(now) && Number.isInteger(best) && Array.isArray(counted);
    return sound && now >= 0 && best >= now
      ? { now, best, counted: counted.filter(Number.isInteger) }
      : NO_STREAK;
  } catch {
    return NO_STREAK;
  }
}
