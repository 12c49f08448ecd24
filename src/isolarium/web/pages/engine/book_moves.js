// The package's opening books, read when they are first needed, and the moves that they know.

import { OpeningBook } from "./opening_book.js";
import { mixedSeed } from "./random_words.js";

/** One of several equally good things, by a seed. */
export const chooseByIndex = (all, seed, stream) => all[Number(mixedSeed(seed, stream) % BigInt(all.length))];

export class Books {
  #read = new Map(); // promises, by board

  /**
   * @param {Map<string, URL>} addresses of the books, by board.
   * @param {import("./known_starts.js").KnownStarts} starts
   * @param {(address: URL) => Promise<Uint8Array>} load
   */
  constructor(addresses, starts, load) {
    this.addresses = addresses;
    this.starts = starts;
    this.load = load;
  }

  /** A board's book; null if there is none. */
  of(rows, cols) {
    const board = `${rows}x${cols}`;
    const address = this.addresses.get(board);
    if (!address) return Promise.resolve(null);
    if (!this.#read.has(board)) {
      const reading = this.load(address).then((data) => OpeningBook.read(data));
      reading.catch(() => this.#read.delete(board)); // the next position asks again
      this.#read.set(board, reading);
    }
    return this.#read.get(board);
  }

  /** Whether the player to move wins, and the best moves, all equally good; null for positions without an entry. */
  async moves(position) {
    const book = await this.of(position.rows, position.cols);
    if (!book) return null;
    if (position.placing) return this.#placements(position);
    const entry = book.entry(position);
    return entry && { wins: entry.wins, moves: entry.move === null ? [] : [entry.move] };
  }

  #placements(position) {
    const map = this.starts.of(position);
    const [first] = position.squares;
    if (!map || position.blankCount + Number(first !== null) < position.size) return null;
    const moves = first === null ? map.bestFirst : map.answers(first);
    return moves.length ? { wins: first !== null, moves } : null;
  }

  /** A book's move as a choice; null if there is none. The seed decides between equally good moves. */
  async choose(position, seed) {
    const known = await this.moves(position);
    if (!known?.moves.length) return null;
    const move = chooseByIndex(known.moves, seed, 3);
    const score = known.wins ? Infinity : -Infinity;
    return { move, score, depth: 0, nodes: 0, ms: 0, line: [move], proven: true, plies: null };
  }
}
