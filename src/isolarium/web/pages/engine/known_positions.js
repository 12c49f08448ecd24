// What is known without a search: the winner of every start of the solved boards, and the opening books, which hold the
// exact values of a board's first positions, up to symmetry. `isolarium.solver.book` describes the files.

import { parseBoard, parsePosition } from "../game/notation.js";
import { Position, isSameColour } from "../game/rules.js";
import { bitsOf, symmetriesOf, toCanonical, turnsOf } from "../game/symmetry.js";
import { mixedSeed } from "./searches.js";

const HEAD_BYTES = 12;
const SQUARE = 63;
const WINS = 64;
const LAYOUTS = { 1: { blanks: 49, keyBytes: 8, noMove: 63 }, 2: { blanks: 64, keyBytes: 10, noMove: 128 } };

const nameOf = (rows, cols) => `${rows}x${cols}`;

class StartMap {
  /** @param {Set<number>} exceptions to the colour law, as first * 1000 + second. */
  constructor(rows, cols, exceptions) {
    this.cols = cols;
    this.squares = [...Array(rows * cols).keys()];
    this.exceptions = exceptions;
    const counts = this.squares.map((first) => this.answers(first).length);
    const fewest = Math.min(...counts);
    this.bestFirst = fewest ? this.squares.filter((first) => counts[first] === fewest) : [];
  }

  firstWins(first, second) {
    return isSameColour(first, second, this.cols) !== this.exceptions.has(first * 1000 + second);
  }

  /** The squares from which the second player wins. */
  answers(first) {
    return this.squares.filter((second) => second !== first && !this.firstWins(first, second));
  }
}

export class KnownStarts {
  #maps = new Map();

  /** @param {string} lines the package's file of solved boards, a JSON object a line. */
  constructor(lines) {
    for (const line of lines.split("\n").filter(Boolean)) this.#add(JSON.parse(line));
  }

  #add({ board, exceptions }) {
    const [rows, cols] = parseBoard(board);
    const starts = exceptions.map(({ position }) => parsePosition(position).squares);
    for (const swaps of [false, true]) {
      const images = turnsOf(rows, cols).filter((one) => one.swaps === swaps || rows === cols);
      const found = images.flatMap(({ image }) => starts.map(([first, second]) => image[first] * 1000 + image[second]));
      const [tall, wide] = swaps ? [cols, rows] : [rows, cols];
      this.#maps.set(nameOf(tall, wide), new StartMap(tall, wide, new Set(found)));
    }
  }

  of({ rows, cols }) {
    return this.#maps.get(nameOf(rows, cols)) ?? null;
  }

  /** Whether the player to move wins a start, placements included; null for other positions and boards. */
  wins(position) {
    const placed = position.squares.filter((square) => square !== null).length;
    const isStart = position.blankCount + placed === position.size && position.toMove === placed % 2;
    const map = isStart ? this.of(position) : null;
    if (!map) return null;
    const [first, second] = position.squares;
    if (first === null) return !map.bestFirst.length;
    return second === null ? map.answers(first).length > 0 : map.firstWins(first, second);
  }
}

/** The placements up to symmetry, those favoured by the colour law first. */
export function placementsOf(position) {
  const seen = new Set();
  const found = [];
  for (const move of position.legalMoves()) {
    const after = position.play(move);
    const images = symmetriesOf(position.rows, position.cols).map((one) => keyOf(one.position(after)));
    if (images.some((key) => seen.has(key))) continue;
    seen.add(keyOf(after));
    found.push({ move, after });
  }
  const isLater = ({ after }) => Number(!after.placing && after.isSameColour);
  return found.toSorted((one, other) => isLater(one) - isLater(other));
}

/** @param {Position} position */
const keyOf = ({ blank, squares }) => `${squares} ${blank}`;

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

/** One of several equally good things, by a seed. */
export const chooseByIndex = (all, seed, stream) => all[Number(mixedSeed(seed, stream) % BigInt(all.length))];

/** The opening books, read when they are first needed, and the moves that they know. */
export class Books {
  #read = new Map(); // promises, by board

  /**
   * @param {Map<string, URL>} addresses of the books, by board.
   * @param {KnownStarts} starts
   * @param {(address: URL) => Promise<Uint8Array>} load
   */
  constructor(addresses, starts, load) {
    this.addresses = addresses;
    this.starts = starts;
    this.load = load;
  }

  /** A board's book; null if there is none. */
  of(rows, cols) {
    const board = nameOf(rows, cols);
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
    const { rows, cols } = position;
    if (position.placing) return this.addresses.has(nameOf(rows, cols)) ? this.#placements(position) : null;
    const entry = (await this.of(rows, cols))?.entry(position);
    return entry ? { wins: entry.wins, moves: entry.move === null ? [] : [entry.move] } : null;
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
