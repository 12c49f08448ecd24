// The memory of a WebAssembly instance: named blocks of 64-bit words.

const PAGE = 65536;
const WORD = 8;
const LINE = 64; // blocks start at multiples of a cache line

export class Heap {
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

  /** The bytes of the memory. */
  get size() {
    return this.#memory.buffer.byteLength;
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
    this.#end = align(address + words * WORD);
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
    return { address, words };
  }
}

function align(address) {
  return Math.ceil(address / LINE) * LINE;
}
