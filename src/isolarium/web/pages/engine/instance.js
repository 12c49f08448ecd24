// One WebAssembly module at work: its memory as named blocks of 64-bit words, the tables of the current board as compiled
// code sees them (isolarium/game/tables.py), and its functions by name. Sets of squares are BigInts.

import { knightMoves } from "../game/rules.js";
import { bitsOf, symmetriesOf } from "../game/symmetry.js";

const STATUSES = ["quota", "finished", "paused"];
const PAGE = 65536;
const WORD = 8;
const LINE = 64; // blocks start at multiples of a cache line

/** The browser cannot run the engine. */
export class UnsupportedError extends Error {
  name = "UnsupportedError";
}

/** A search needs more memory than the module may have, or than the device gives it. */
export class MemoryError extends Error {
  name = "MemoryError";
  message = "This needs more memory than the browser has for the engine; a lower limit on nodes or time needs less.";
}

export class Instance {
  #about;
  #indices;
  #board = "";
  #tables = null;
  weights = new Map(); // by file

  constructor(exports, words, about) {
    this.exports = exports;
    this.words = words;
    this.places = about.places;
    this.heap = new Heap(exports);
    this.#about = about;
    const list = new Uint32Array(exports.memory.buffer, exports.entries.value, about.functions.length);
    this.#indices = new Map(about.functions.map((name, place) => [name, list[place]]));
  }

  /** @param {ArrayBuffer} content a module. */
  static async load(content, words, about) {
    if (!WebAssembly.validate(content)) {
      throw new UnsupportedError("this browser's WebAssembly is too old for the engine; use a newer browser");
    }
    const { instance } = await WebAssembly.instantiate(content, {});
    return new Instance(instance.exports, words, about);
  }

  has(name) {
    return this.#indices.has(name);
  }

  /** The index of a function, which compiled code uses as its address. */
  indexOf(name) {
    if (!this.has(name)) throw new Error(`the module has no function ${name}`);
    return this.#indices.get(name);
  }

  /** Run a compiled search up to a number of nodes in total. */
  choose(index, inputs, quota) {
    const status = this.exports.isolarium_choose(index, inputs, quota);
    if (status < 0) throw new Error("a compiled search failed");
    return STATUSES[status];
  }

  /** The tables of a board; those of the board before are lost. */
  tablesOf(rows, cols) {
    const board = `${rows}x${cols}`;
    if (board !== this.#board) {
      this.#tables = writeTables(this.heap, this.places.tables, rows, cols);
      this.#board = board;
    }
    return this.#tables;
  }

  /** The address of a heuristic's numbers. The word before them holds the function's index. */
  parametersOf({ name, numbers, weights }) {
    const words = weights ? new BigInt64Array(this.weights.get(weights)) : new Float64Array(numbers);
    const block = this.heap.block("parameters", 8 + words.length);
    const start = block + 64;
    this.heap.set(start, -1, this.indexOf(`:${name}`));
    (weights ? this.heap.integers : this.heap.floats).set(words, start / 8);
    return start;
  }
}

class Heap {
  #memory;
  #end; // the first address that is not in use
  #blocks = new Map(); // by name: {address, words}
  #free = [];
  #integers = null;
  #floats = null;

  /** @param {WebAssembly.Exports} exports the memory, and where it is free. */
  constructor(exports) {
    this.#memory = exports.memory;
    this.#end = align(exports.__heap_base.value);
  }

  /** All words as signed integers (BigInt). The array is valid until the next block is made. */
  get integers() {
    if (this.#integers?.buffer !== this.#memory.buffer) this.#integers = new BigInt64Array(this.#memory.buffer);
    return this.#integers;
  }

  /** All words as doubles; valid as long as `integers`. */
  get floats() {
    if (this.#floats?.buffer !== this.#memory.buffer) this.#floats = new Float64Array(this.#memory.buffer);
    return this.#floats;
  }

  /**
   * The address of a block with at least so many words. A new block is zero; an existing one keeps its content.
   * @param {string} name
   * @param {number} words
   */
  block(name, words) {
    const old = this.#blocks.get(name);
    if (old && old.words >= words) return old.address;
    if (old) this.#free.push(old);
    const fitting = this.#free.filter((one) => one.words >= words).sort((one, other) => one.words - other.words)[0];
    const block = fitting ?? this.#extend(words);
    if (fitting) {
      this.#free.splice(this.#free.indexOf(fitting), 1);
      this.zero(fitting.address, fitting.words);
    }
    this.#blocks.set(name, block);
    return block.address;
  }

  /** Whether a block with this name and at least so many words exists. */
  has(name, words) {
    return (this.#blocks.get(name)?.words ?? -1) >= words;
  }

  /** Write zeros into a whole block. */
  clear(name) {
    const { address, words } = this.#blocks.get(name);
    this.zero(address, words);
  }

  zero(address, words) {
    this.integers.fill(0n, address / WORD, address / WORD + words);
  }

  get(address, place) {
    return Number(this.integers[address / WORD + place]);
  }

  getFloat(address, place) {
    return this.floats[address / WORD + place];
  }

  set(address, place, value) {
    this.integers[address / WORD + place] = BigInt(value);
  }

  setFloat(address, place, value) {
    this.floats[address / WORD + place] = value;
  }

  /** Write a set of squares, a BigInt, in as many words as asked. */
  setSquares(address, place, squares, words) {
    for (let word = 0; word < words; word++) {
      this.integers[address / WORD + place + word] = BigInt.asIntN(64, squares >> BigInt(64 * word));
    }
  }

  #extend(words) {
    const address = this.#end;
    const end = align(address + words * WORD);
    const missing = end - this.#memory.buffer.byteLength;
    if (missing > 0) grow(this.#memory, Math.ceil(missing / PAGE));
    this.#end = end;
    return { address, words };
  }
}

function grow(memory, pages) {
  try {
    memory.grow(pages);
  } catch (error) {
    throw error instanceof RangeError ? new MemoryError() : error;
  }
}

function align(address) {
  return Math.ceil(address / LINE) * LINE;
}

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
function writeTables(heap, places, rows, cols) {
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
  const targets = knightMoves(rows, cols).map(setOf);
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
