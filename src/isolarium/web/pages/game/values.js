// Values of moves and positions, as the server sends them, in words and on a scale from -1 to 1.

/** A score as people read it: +2.5, +∞, wins in 5. */
export function formatScore(score) {
  if (score === null || score === undefined) return "–";
  if (typeof score === "number") return signed(score);
  if (score === "inf") return "+∞";
  if (score === "-inf") return "−∞";
  const [value, plies] = score.split(" ");
  return inWords(value === "win" ? "wins" : "loses", plies ? Number(plies) : null);
}

function signed(number) {
  const digits = Math.abs(number) >= 100 ? 0 : Number.isInteger(number) ? 0 : 2;
  const text = Math.abs(number).toFixed(digits);
  return Number(text) === 0 ? "0" : (number < 0 ? "−" : "+") + text;
}

/** "wins in 7 moves": plies counted from the move that is judged, both players' moves. */
export function inWords(value, plies) {
  return plies === null || plies === undefined ? value : `${value} in ${plies}`;
}

/** Whether a score is the true end of the game and not an estimate. */
export function isProven(score) {
  return typeof score === "string" && /^(win|loss)/.test(score);
}

/** What a search thinks of its own position: "wins in 5", or "stands at +2". */
export function opinion(score) {
  return isProven(score) ? formatScore(score) : `stands at ${formatScore(score)}`;
}

/** "1 ply", "7 plies". */
export function formatPlies(plies) {
  return `${plies} ${plies === 1 ? "ply" : "plies"}`;
}

/** A score as a number that can be ordered: proven values beyond all estimates, quick wins first, late losses first. */
export function rank(score) {
  if (score === null || score === undefined) return 0;
  if (typeof score === "number") return score;
  if (score === "inf") return 1e9;
  if (score === "-inf") return -1e9;
  const [value, plies] = score.split(" ");
  const lead = 1e6 - Number(plies ?? 999);
  return (value === "win" ? 1 : -1) * (1e9 + lead);
}

/** A score from -1 to 1, where `scale` is the score halfway there. */
export function squash(score, scale = 4) {
  const value = rank(score);
  if (Math.abs(value) >= 1e9) return Math.sign(value);
  return value / (Math.abs(value) + scale);
}
