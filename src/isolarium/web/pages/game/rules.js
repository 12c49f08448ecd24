// The rules of knight Isolation. The first player, then the second, places its knight on a blank square; from then on
// they take turns to make a knight's move to a blank square. A square a knight has stood on is never blank again. A
// player with no legal move loses. A square is its number, row by row from the top left.

export const MIN_SIDE = 3;
export const MAX_SIDE = 13;
export const FIRST = 0;
export const SECOND = 1;
export const PLAYERS = ["first", "second"];

const STEPS = [
  [-2, -1],
  [-2, 1],
  [-1, -2],
  [-1, 2],
  [1, -2],
  [1, 2],
  [2, -1],
  [2, 1],
];
const geometries = new Map();

/** The squares a knight's move away from each square of a board, in ascending order. */
export function knightMoves(rows, cols) {
  const key = rows * 100 + cols;
  if (!geometries.has(key)) {
    const reached = [];
    for (let square = 0; square < rows * cols; square++) {
      const row = Math.floor(square / cols);
      const col = square % cols;
      reached.push(
        STEPS.map(([down, right]) => [row + down, col + right])
          .filter(([r, c]) => r >= 0 && r < rows && c >= 0 && c < cols)
          .map(([r, c]) => r * cols + c),
      );
    }
    geometries.set(key, reached);
  }
  return geometries.get(key);
}

/** Whether two squares have the same colour on a chessboard. */
export function isSameColour(one, other, cols) {
  const sum = Math.floor(one / cols) + (one % cols) + Math.floor(other / cols) + (other % cols);
  return sum % 2 === 0;
}

/** An immutable position. A player not yet placed has no square (null). */
export class Position {
  /**
   * @param {number} rows
   * @param {number} cols
   * @param {Uint8Array} blank 1 for every blank square; the squares the players stand on are not blank.
   * @param {(number|null)[]} squares where the first and the second player stand.
   * @param {number} toMove FIRST or SECOND.
   */
  constructor(rows, cols, blank, squares, toMove) {
    this.rows = rows;
    this.cols = cols;
    this.blank = blank;
    this.squares = squares;
    this.toMove = toMove;
  }

  static empty(rows, cols) {
    return new Position(rows, cols, new Uint8Array(rows * cols).fill(1), [null, null], FIRST);
  }

  get size() {
    return this.rows * this.cols;
  }

  /** The square of the player to move, or null. */
  get mover() {
    return this.squares[this.toMove];
  }

  /** Whether the player to move is not placed yet. */
  get placing() {
    return this.mover === null;
  }

  get blankCount() {
    return this.blank.reduce((sum, one) => sum + one, 0);
  }

  legalMoves() {
    return this.movesOf(this.toMove);
  }

  /** The squares a player could move to if it were its turn. */
  movesOf(player) {
    const from = this.squares[player];
    if (from !== null) return this.blanksFrom(from);
    return [...this.blank.keys()].filter((square) => this.blank[square]);
  }

  /** The blank squares a knight's move away from a square. */
  blanksFrom(square) {
    return knightMoves(this.rows, this.cols)[square].filter((to) => this.blank[to]);
  }

  /** The squares a knight's move away from a player, blank or not; none before it is placed. */
  reachOf(player) {
    const from = this.squares[player];
    return from === null ? [] : knightMoves(this.rows, this.cols)[from];
  }

  isLegal(square) {
    return this.legalMoves().includes(square);
  }

  /** The position after a move. Throws a RangeError if it is illegal. */
  play(square) {
    if (!this.isLegal(square)) throw new RangeError(`square ${square}: not a legal move`);
    const blank = this.blank.slice();
    blank[square] = 0;
    const squares = [...this.squares];
    squares[this.toMove] = square;
    return new Position(this.rows, this.cols, blank, squares, 1 - this.toMove);
  }

  /** The winner if the player to move has no legal move, else null. */
  winner() {
    return this.legalMoves().length ? null : 1 - this.toMove;
  }

  /** Whether the placed knights stand on the same colour; by the colour law, the player to move then wins a start. */
  get isSameColour() {
    return isSameColour(...this.squares, this.cols);
  }

  /** Whether a square is light on a chessboard. */
  isLight(square) {
    return (Math.floor(square / this.cols) + (square % this.cols)) % 2 === 0;
  }
}
