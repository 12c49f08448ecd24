// A position that is being put together square by square, and may not be one yet. No DOM.

import { colourName } from "../board/messages.js";
import { FIRST, Position, SECOND } from "./rules.js";

export class Draft {
  /** @param {Position} position what it begins with. */
  constructor({ rows, cols, blank, squares, toMove }) {
    this.rows = rows;
    this.cols = cols;
    this.blocked = Uint8Array.from(blank, (one, square) => (one || squares.includes(square) ? 0 : 1));
    this.squares = [...squares];
    this.toMove = toMove;
  }

  /** What it looks like as a position. */
  get position() {
    const blank = this.blocked.map((one, square) => (one || this.squares.includes(square) ? 0 : 1));
    return new Position(this.rows, this.cols, blank, [...this.squares], this.toMove);
  }

  /** Block a square, whoever stands there, or free it. */
  block(square) {
    this.#lift(square);
    this.blocked[square] = this.blocked[square] ? 0 : 1;
  }

  /** Put a player on a square, or take it away from there. */
  place(player, square) {
    const stands = this.squares[player] === square;
    this.#lift(square);
    this.blocked[square] = 0;
    this.squares[player] = stands ? null : square;
  }

  #lift(square) {
    this.squares = this.squares.map((one) => (one === square ? null : one));
  }

  /** Have another size; what does not fit is cut off. */
  resize(rows, cols) {
    const moved = (square) => {
      const [row, col] = [Math.floor(square / this.cols), square % this.cols];
      return row < rows && col < cols ? row * cols + col : null;
    };
    const blocked = new Uint8Array(rows * cols);
    this.blocked.forEach((one, square) => moved(square) !== null && (blocked[moved(square)] = one));
    this.squares = this.squares.map((square) => (square === null ? null : moved(square)));
    Object.assign(this, { rows, cols, blocked });
  }

  /** Begin with an empty board. */
  clear() {
    this.blocked.fill(0);
    this.squares = [null, null];
    this.toMove = FIRST;
  }

  /** Why this is no position, and what would make it one; nothing if it is. */
  problem() {
    const [first, second] = this.squares;
    if (first === null && second !== null)
      return "Orange stands and Blue does not, but Blue is placed first: place Blue, or take Orange away.";
    const placing = first === null ? FIRST : SECOND;
    if (second === null && this.toMove !== placing)
      return `${colourName(placing)} is not placed yet, so it is ${colourName(placing)}'s turn.`;
    if (second === null && !this.position.blankCount)
      return `No square is blank for ${colourName(placing)} to be placed on: free one.`;
    return "";
  }
}
