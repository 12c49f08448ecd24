// The symmetries of a board: mirror images and turns; and the canonical image of a position. The order is the package's: an image is canonical if
// no other has a lower square of the first player, then of the second, then a lower number of blanks as bits.

import { formatPosition } from "./notation.js";
import { Position } from "./rules.js";

// Whether rows and columns are swapped, then whether top and bottom, then left and right.
const KINDS = [
  [false, false, false],
  [false, true, true],
  [false, true, false],
  [false, false, true],
  [true, false, false],
  [true, true, true],
  [true, true, false],
  [true, false, true],
];
const known = new Map();

class Symmetry {
  /** The image of each square, and the square of each image, on a board of these sides. */
  constructor([swaps, flipsRows, flipsCols], rows, cols) {
    this.swaps = swaps;
    [this.rows, this.cols] = swaps ? [cols, rows] : [rows, cols];
    this.image = new Uint8Array(rows * cols);
    this.source = new Uint8Array(rows * cols);
    for (let square = 0; square < rows * cols; square++) {
      const [r, c] = [Math.floor(square / cols), square % cols];
      const [row, col] = swaps ? [c, r] : [r, c];
      const to = (flipsRows ? this.rows - 1 - row : row) * this.cols + (flipsCols ? this.cols - 1 - col : col);
      this.image[square] = to;
      this.source[to] = square;
    }
  }

  /** Whether the symmetry undoes itself. */
  get isOwnInverse() {
    return !this.swaps ? true : this.image.every((to, square) => this.image[to] === square);
  }

  blanks(blank) {
    return Uint8Array.from(this.source, (square) => blank[square]);
  }

  position({ blank, squares, toMove }) {
    const moved = squares.map((square) => (square === null ? null : this.image[square]));
    return new Position(this.rows, this.cols, this.blanks(blank), moved, toMove);
  }
}

/** All eight symmetries of a board, the identity first; half of them turn it if it is not square. */
export function turnsOf(rows, cols) {
  const key = rows * 100 + cols;
  if (!known.has(key)) known.set(key, KINDS.map((kind) => new Symmetry(kind, rows, cols)));
  return known.get(key);
}

/** The symmetries that map a board to itself, the identity first. */
export const symmetriesOf = (rows, cols) => turnsOf(rows, cols).filter(({ swaps }) => !swaps || rows === cols);

/** Whether the mirror theorem applies, so that the player not to move wins. */
export function isMirror({ rows, cols, blank, squares: [first, second] }) {
  if (first === null || second === null) return false;
  return symmetriesOf(rows, cols)
    .slice(1)
    .some(
      ({ image, isOwnInverse }) =>
        isOwnInverse &&
        image[first] === second &&
        blank.every((isBlank, square) => !isBlank || (image[square] !== square && blank[image[square]])),
    );
}

/** The blank squares as a number, a bit for each. */
export function bitsOf(blank) {
  let bits = 0n;
  for (let square = blank.length - 1; square >= 0; square--) bits = (bits << 1n) | BigInt(blank[square]);
  return bits;
}

/** The symmetry that maps a position to its canonical image. */
export function toCanonical({ rows, cols, blank, squares }) {
  const [first, second] = squares;
  const order = ({ image }) => (first === null ? -1 : image[first]) * 1000 + (second === null ? -1 : image[second]);
  const all = symmetriesOf(rows, cols);
  const least = Math.min(...all.map(order));
  const tied = all.filter((one) => order(one) === least);
  if (tied.length === 1) return tied[0];
  const masks = tied.map((one) => bitsOf(one.blanks(blank)));
  return tied[masks.reduce((best, mask, at) => (mask < masks[best] ? at : best), 0)];
}

/**
 * A text that all mirror images of a position share.
 * @returns {{text: string, to: (square: number) => number, back: (square: number) => number}} the text, and the map to
 *   the image that it describes, and back.
 */
export function canonicalText(position) {
  const symmetry = toCanonical(position);
  const [to, back] = [symmetry.image, symmetry.source];
  return { text: formatPosition(symmetry.position(position)), to: (square) => to[square], back: (square) => back[square] };
}
