// The board in words, for those who do not see it.

import { formatSquare } from "../game/notation.js";

const COLOURS = ["blue", "orange"];

/** A square's name and all that is to be known of it, such as "d4, blank, can be gone to, wins in 7". */
export function describeSquare(position, square, name, legal, marked) {
  return [name, occupant(position, square), legal ? "can be gone to" : "", ...marked].filter(Boolean).join(", ");
}

function occupant(position, square) {
  const player = position.squares.indexOf(square);
  if (player >= 0) return `${COLOURS[player]} knight`;
  return position.blank[square] ? "blank" : "blocked";
}

/** A player's colour with a capital. */
export function colourName(player) {
  return ["Blue", "Orange"][player];
}

/** Why the player to move cannot go to a square, to that player. */
export function refusal(position, square) {
  return `You cannot go to ${formatSquare(square, position.cols)}: ${whyNot(position, square)}.`;
}

function whyNot(position, square) {
  const player = position.squares.indexOf(square);
  if (player >= 0) return player === position.toMove ? "you stand there" : `${colourName(player)} stands there`;
  if (!position.blank[square]) return "it is blocked";
  return `it is no knight's move from ${formatSquare(position.mover, position.cols)}`;
}

/** That a board has no square of the name that was typed. */
export function noSuchSquare({ rows, cols }, name) {
  return `There is no ${name} here: squares are a1 to ${formatSquare(rows * cols - 1, cols)}.`;
}
