// Boards as compiled code sees them: the table of a board under each of its symmetries (isolarium/game/tables.py), and
// sets of squares as BigInts.

import { bitsOf, symmetriesOf } from "../game/symmetry.js";

const STEPS = [-2, -1, 1, 2].flatMap((down) => (Math.abs(down) === 1 ? [-2, 2] : [-1, 1]).map((right) => [down, right]));

/** The number of 64-bit words in a set of the board's squares. */
export function wordsFor(rows, cols) {
  return Math.ceil((rows * cols) / 64);
}

/** A set of squares, from their numbers. */
export function setOf(squares) {
  return squares.reduce((set, square) => set | (1n << BigInt(square)), 0n);
}

/** The blank squares of a position as a set. */
export function blanksOf(position) {
  return bitsOf(position.blank);
}

/**
 * Write the tables of a board, one for each symmetry, and the list of their addresses.
 * @returns {{list: number, count: number, first: number}} the addresses of the list and of the identity's table.
 */
export function writeTables(heap, places, rows, cols) {
  const { INFO, IMAGE, SETS } = places;
  const words = wordsFor(rows, cols);
  const size = rows * cols;
  const length = SETS + (4 + size + 1 + rows + 1 + cols + 1) * words;
  const symmetries = symmetriesOf(rows, cols);
  const list = heap.block("tables", 8 + 8 * length);
  const first = list + 8 * 8;
  const columns = [
    [1, 0],
    [2, 0],
    [0, 1],
    [0, 2],
  ].map(([left, right]) => setOf(squaresWhere(rows, cols, (row, col) => left <= col && col < cols - right)));
  const targets = Array.from({ length: size }, (_, square) => setOf(knightMoves(rows, cols, square)));
  const all = (1n << BigInt(size)) - 1n;
  symmetries.forEach((symmetry, number) => {
    const table = first + number * length * 8;
    const { image } = symmetry;
    const sets = [...columns, ...targets, all];
    for (let end = 0; end <= rows; end++) {
      sets.push(setOf(squaresWhere(rows, cols, (row) => row < end).map((square) => image[square])));
    }
    for (let end = 0; end <= cols; end++) {
      sets.push(setOf(squaresWhere(rows, cols, (row, col) => col < end).map((square) => image[square])));
    }
    heap.zero(table, length);
    heap.set(list, number, table);
    [rows, cols, size].forEach((value, place) => heap.set(table, place, value));
    for (let square = 0; square < size; square++) {
      heap.set(table, INFO + image[square], Math.floor(square / cols) | (square % cols << 8) | (square << 16));
      heap.set(table, IMAGE + square, image[square]);
    }
    sets.forEach((set, place) => heap.setSquares(table, SETS + place * words, set, words));
  });
  return { list, count: symmetries.length, first };
}

function squaresWhere(rows, cols, test) {
  const all = Array.from({ length: rows * cols }, (_, square) => square);
  return all.filter((square) => test(Math.floor(square / cols), square % cols));
}

function knightMoves(rows, cols, square) {
  const [row, col] = [Math.floor(square / cols), square % cols];
  return STEPS.map(([down, right]) => [row + down, col + right])
    .filter(([r, c]) => r >= 0 && r < rows && c >= 0 && c < cols)
    .map(([r, c]) => r * cols + c);
}
