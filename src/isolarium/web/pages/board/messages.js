// The messages of a board, also for people who use a screen reader.

import { formatSquare } from "../game/notation.js";

const COLOURS = ["blue", "orange"];

/** A square's name and what is known of it, such as "d4, blank, can be gone to, wins in 7". */
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

/** The message for the name of a square that a board does not have. */
export function noSuchSquare({ rows, cols }, name) {
  return `There is no ${name} here: squares are a1 to ${formatSquare(rows * cols - 1, cols)}.`;
}
