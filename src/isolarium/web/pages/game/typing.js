// A square typed key by key, such as d4 or j12, told apart from keys that stand for an action.
//
// A letter of a column waits for its row. A row such as 1 on a board of more than nine rows waits for a second digit.
// Whoever presses the keys calls `settle` when nothing follows in time.

import { LETTERS } from "./notation.js";

export class TypedSquare {
  constructor(rows, cols) {
    this.rows = rows;
    this.cols = cols;
    this.typed = "";
    this.stray = ""; // a letter of no column, which a digit may follow
  }

  /**
   * Take one key in.
   * @returns {{square?: number, pending?: string, missing?: string, key?: string}} the square that is complete, what
   *   waits for more, a name that no square has, or the key itself where it belongs to no square.
   */
  press(key) {
    const isDigit = /^[0-9]$/.test(key);
    if (this.typed && isDigit) return this.#digit(key);
    this.typed = "";
    const { stray } = this;
    this.stray = /^[a-z]$/.test(key) ? key : "";
    if (stray && isDigit) return { missing: stray + key };
    if (key.length !== 1 || !LETTERS.slice(0, this.cols).includes(key)) return { key };
    this.stray = "";
    this.typed = key;
    return { pending: key };
  }

  #digit(key) {
    this.typed += key;
    const row = Number(this.typed.slice(1));
    if (row < 1 || row > this.rows) return this.#drop({ missing: this.typed });
    if (row * 10 <= this.rows) return { pending: this.typed };
    return this.#drop({ square: this.#square(row) });
  }

  /** Nothing more came: the square typed so far, or the key that was typed alone. */
  settle() {
    const { typed } = this;
    if (typed.length > 1) return this.#drop({ square: this.#square(Number(typed.slice(1))) });
    return this.#drop(typed ? { key: typed } : {});
  }

  #square(row) {
    return (row - 1) * this.cols + LETTERS.indexOf(this.typed[0]);
  }

  #drop(answer) {
    this.typed = "";
    return answer;
  }
}
