// One WebAssembly module at work: its memory, the tables of the current board, and its functions by name.

import { Heap } from "./heap.js";
import { writeTables } from "./geometry.js";

const STATUSES = ["quota", "finished", "paused"];

/** The browser cannot run the engine. */
export class UnsupportedError extends Error {
  name = "UnsupportedError";
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
    if (typeof WebAssembly === "undefined" || !WebAssembly.validate(content)) {
      throw new UnsupportedError("this browser has no WebAssembly with vectors (SIMD); a newer one has");
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
