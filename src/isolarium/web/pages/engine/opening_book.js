// The opening books: exact values of a board's first positions, up to symmetry. `isolarium.solver.book` describes the
// files.

import { Position } from "../game/rules.js";
import { bitsOf, toCanonical } from "../game/symmetry.js";

const HEAD_BYTES = 12;
const SQUARE = 63;
const WINS = 64;
const LAYOUTS = { 1: { blanks: 49, keyBytes: 8, noMove: 63 }, 2: { blanks: 64, keyBytes: 10, noMove: 128 } };

export class OpeningBook {
  #layout;
  #keys; // in ascending order
  #values;
  #fewestBlanks;

  /** @param {Uint8Array} data the file. */
  static async read(data) {
    const unpacking = new Blob([data.subarray(HEAD_BYTES)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new OpeningBook(data, new DataView(await new Response(unpacking).arrayBuffer()));
  }

  constructor(head, body) {
    this.rows = head[9];
    this.cols = head[10];
    this.#layout = LAYOUTS[head[8]];
    const { keyBytes, blanks } = this.#layout;
    const count = body.getUint32(0, true);
    const key = (at) => {
      const low = body.getBigUint64(4 + at * keyBytes, true);
      return keyBytes === 8 ? low : low | (BigInt(body.getUint16(12 + at * keyBytes, true)) << 64n);
    };
    this.#keys = Array.from({ length: count }, (_, at) => key(at));
    this.#values = new Uint8Array(body.buffer, 4 + count * keyBytes, count);
    const full = (1n << BigInt(Math.min(blanks, this.rows * this.cols))) - 1n;
    this.#fewestBlanks = Math.min(...new Set(this.#keys.map((one) => countBits(one & full))));
  }

  /** Whether the player to move wins and a move that is best, if the book has one; null if the position is not in it. */
  entry(position) {
    const [mover, other] = [position.mover, position.squares[1 - position.toMove]];
    if (mover === null || other === null || position.blankCount < this.#fewestBlanks) return null;
    const asFirst = new Position(position.rows, position.cols, position.blank, [mover, other], 0);
    const { image, source } = toCanonical(asFirst);
    const blank = Uint8Array.from(source, (square) => position.blank[square]);
    const at = this.#find(this.#key(blank, image[mover], image[other]));
    if (at === null) return null;
    const value = this.#values[at];
    const hasMove = (value & this.#layout.noMove) !== this.#layout.noMove;
    return { wins: Boolean(value & WINS), move: hasMove ? source[value & SQUARE] : null };
  }

  #key(blank, first, second) {
    return bitsOf(blank) | (BigInt(first | (second << 6)) << BigInt(this.#layout.blanks));
  }

  #find(key) {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return this.#keys[low] === key ? low : null;
  }
}

function countBits(bits) {
  let count = 0;
  for (let left = bits; left; left &= left - 1n) count++;
  return count;
}
