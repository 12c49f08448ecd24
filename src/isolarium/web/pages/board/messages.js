// The texts of a board, including those for screen readers.

import { formatSquare } from "../game/notation.js";

const COLOURS = ["blue", "orange"];

/** A square's name and state, such as "d4, blank, legal move, wins in 7". */
export function describeSquare(position, square, name, legal, marked) {
  return [name, occupant(position, square), legal ? "legal move" : "", ...marked].filter(Boolean).join(", ");
}

function occupant(position, square) {
  const player = position.squares.indexOf(square);
  if (player >= 0) return `${COLOURS[player]} knight`;
  return position.blank[square] ? "blank" : "blocked";
}

/** A player's colour, capitalised. */
export function colourName(player) {
  return ["Blue", "Orange"][player];
}

/** Why the player to move cannot move to a square, addressed to that player. */
export function refusal(position, square) {
  return `You cannot move to ${formatSquare(square, position.cols)}: ${whyNot(position, square)}.`;
}

function whyNot(position, square) {
  const player = position.squares.indexOf(square);
  if (player >= 0) return player === position.toMove ? "your knight is there" : `${colourName(player)}'s knight is there`;
  if (!position.blank[square]) return "it is blocked";
  return `it is not a knight's move from ${formatSquare(position.mover, position.cols)}`;
}

/** The message for a square that the board does not have. */
export function noSuchSquare({ rows, cols }, name) {
  return `There is no square ${name}: squares are a1 to ${formatSquare(rows * cols - 1, cols)}.`;
}
