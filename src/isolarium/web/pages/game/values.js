// Values of moves and positions, as the server sends them, as text and on a scale from -1 to 1.

/** A score as text: +2.5, +∞, wins in 5. */
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

/** "wins in 7": plies are counted from the judged move, for both players. */
export function inWords(value, plies) {
  return plies === null || plies === undefined ? value : `${value} in ${plies}`;
}

/** Whether a score is proven and not an estimate. */
export function isProven(score) {
  return typeof score === "string" && /^(win|loss)/.test(score);
}

/** A search's score of its own position: "wins in 5" or "stands at +2". */
export function opinion(score) {
  return isProven(score) ? formatScore(score) : `stands at ${formatScore(score)}`;
}

/** "1 ply", "7 plies". */
export function formatPlies(plies) {
  return `${plies} ${plies === 1 ? "ply" : "plies"}`;
}

/** A score as a number for sorting: proven values lie beyond all estimates; quick wins and late losses rank higher. */
export function rank(score) {
  if (score === null || score === undefined) return 0;
  if (typeof score === "number") return score;
  if (score === "inf") return 1e9;
  if (score === "-inf") return -1e9;
  const [value, plies] = score.split(" ");
  const lead = 1e6 - Number(plies ?? 999);
  return (value === "win" ? 1 : -1) * (1e9 + lead);
}

/** A score mapped to -1..1; `scale` maps to one half. */
export function squash(score, scale = 4) {
  const value = rank(score);
  if (Math.abs(value) >= 1e9) return Math.sign(value);
  return value / (Math.abs(value) + scale);
}
