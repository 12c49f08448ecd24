// Hints by degrees for who looks for the moves that win: what kind and how many, then where, then which. No DOM.

import { colourName } from "../board/messages.js";
import { formatSquare } from "../game/notation.js";

export const DEGREES = 3;
export const TELLS_WHERE = 2; // from this degree on, who finds a move was helped

/**
 * What a hint says and shows.
 * @param {object} position
 * @param {number[]} right the moves that win.
 * @param {number} degree from 0, nothing, to DEGREES.
 * @returns {{words: string, marks: Map<number, object>, stars: number[]}}
 */
export function hintOf(position, right, degree) {
  const none = { words: "", marks: new Map(), stars: [] };
  if (degree <= 0 || !right.length) return none;
  if (degree === 1) return { ...none, words: kindOf(position, right) };
  if (degree === 2) {
    const mark = { tone: "warm", strength: 0.7, text: "?", words: "perhaps" };
    const area = areaOf(position, right[0]);
    return { ...none, words: "One of the squares with a ? wins.", marks: new Map(area.map((square) => [square, mark])) };
  }
  const names = right.map((square) => formatSquare(square, position.cols));
  const words = right.length === 1 ? `Only ${names[0]} wins.` : `${names[0]} wins.`;
  return { ...none, words, stars: [right[0]] };
}

function kindOf(position, right) {
  const all = position.legalMoves().length;
  const count = `${right.length} of ${all} ${position.placing ? "squares" : "moves"} ${right.length === 1 ? "wins" : "win"}.`;
  if (position.placing) return count;
  const others = position.movesOf(1 - position.toMove);
  const steals = (squares) => squares.filter((square) => others.includes(square)).length;
  const name = colourName(1 - position.toMove);
  if (!steals(position.legalMoves())) return `${count} ${waysOn(position, right[0])}`;
  if (steals(right) === right.length) return `${count} Take a square that ${name} could go to.`;
  return steals(right) ? count : `${count} Leave alone what ${name} could go to now.`;
}

function waysOn(position, square) {
  const ways = position.play(square).movesOf(position.toMove).length;
  return `From there ${ways} ${ways === 1 ? "square leads" : "squares lead"} on.`;
}

/** A few squares that can be gone to, a given one among them: one side of where the player stands, or of the board. */
function areaOf(position, square) {
  const place = (one) => [Math.floor(one / position.cols), one % position.cols];
  const [row, col] =
    position.mover === null ? [(position.rows - 1) / 2, (position.cols - 1) / 2] : place(position.mover);
  const isBelow = (one) => place(one)[0] > row;
  const isRight = (one) => place(one)[1] > col;
  const legal = position.legalMoves();
  const sameRows = legal.filter((one) => isBelow(one) === isBelow(square));
  const sameCols = legal.filter((one) => isRight(one) === isRight(square));
  const areas = [sameRows.filter((one) => sameCols.includes(one)), sameRows, sameCols];
  return areas.find((area) => area.length > 1) ?? legal;
}
