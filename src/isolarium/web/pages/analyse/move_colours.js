// The colours of moves on a board: by the winner if it is known, else by a heuristic or a search. No DOM.
//
// The colour is that of the player who is better off; the sign is for the player who moves.

import { parseSquare } from "../game/notation.js";
import { formatScore, inWords, isProven, rank, squash } from "../game/values.js";

/**
 * The marks of all legal moves of a position.
 * @param {object} position
 * @param {object} values the server's answer to POST /api/values.
 * @param {"exact"|"heuristic"|"search"} by the source of the colours; "exact" falls back to the heuristic.
 * @param {number} which the index of the heuristic.
 */
export function marksOf(position, values, by, which = 0) {
  const marks = new Map();
  for (const move of values.moves) {
    const square = parseSquare(move.move, position.rows, position.cols);
    const mark = markOf(position.toMove, move, by, which);
    if (mark) marks.set(square, mark);
  }
  return marks;
}

function markOf(mover, move, by, which) {
  if (by === "exact" && move.value !== "unknown") return exactMark(mover, move);
  const score = by === "search" ? move.searches?.[0] : move.heuristics?.[which];
  if (score !== null && score !== undefined) return scoreMark(mover, score);
  return move.plies === 1 ? exactMark(mover, move) : null; // the move ends the game: nothing to estimate
}

function exactMark(mover, { value, plies }) {
  const winner = value === "wins" ? mover : 1 - mover;
  const sign = value === "wins" ? "+" : "−";
  return {
    tone: SIDE[winner],
    strength: 1,
    text: sign,
    small: plies === null ? "" : String(plies),
    words: inWords(value, plies),
  };
}

function scoreMark(mover, score) {
  const share = squash(score);
  const better = share >= 0 ? mover : 1 - mover;
  const proven = isProven(score);
  const text = proven ? (share > 0 ? "+" : "−") : short(score);
  const small = proven ? (score.split(" ")[1] ?? "") : "";
  return {
    tone: share === 0 ? "none" : SIDE[better],
    strength: Math.abs(share),
    text,
    small,
    words: proven ? formatScore(score) : `estimate ${formatScore(score)}`,
    estimate: !proven,
  };
}

const SIDE = ["first", "second"];

/** A score in four characters if possible. */
function short(score) {
  if (typeof score !== "number" || Number.isInteger(score)) return formatScore(score);
  const text = Math.abs(score).toFixed(Math.abs(score) < 9.95 ? 1 : 0);
  return Number(text) === 0 ? "0" : (score < 0 ? "−" : "+") + text;
}

/** The squares of the best moves by this colouring. */
export function bestMoves(position, values, by, which = 0) {
  const ranked = values.moves.map((move) => {
    const score = by === "search" ? move.searches?.[0] : move.heuristics?.[which];
    const exact = `${move.value === "wins" ? "win" : "loss"} ${move.plies ?? 999}`;
    const isExact = (by === "exact" || score === null || score === undefined) && move.value !== "unknown";
    return { move: move.move, rank: rank(isExact ? exact : score) };
  });
  const best = Math.max(...ranked.map((one) => one.rank));
  return ranked
    .filter((one) => one.rank === best)
    .map(({ move }) => parseSquare(move, position.rows, position.cols));
}
