// The board in words, for those who do not see it.

const COLOURS = ["blue", "orange"];

/** A square's name and all that is to be known of it, such as "d4, blank, can be gone to, wins in 7". */
export function describeSquare(position, square, name, legal, marked) {
  return [name, occupant(position, square), legal ? "can be gone to" : "", marked].filter(Boolean).join(", ");
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
