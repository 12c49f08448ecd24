// The keys of a page: one key for each action, and squares typed as d4 or j12.

import { LETTERS } from "../game/notation.js";

// A column's letter waits for a row. On a board with ten or more rows, a row such as 1 waits for a second digit.

export class TypedSquare {
  constructor(rows, cols) {
    this.rows = rows;
    this.cols = cols;
    this.typed = "";
    this.stray = ""; // a letter that is not a column, in case a digit follows
  }

  /**
   * Process one key.
   * @returns {{square?: number, pending?: string, missing?: string, key?: string}} a complete square, an incomplete
   *   name, a name that no square has, or the key itself if it is not part of a name.
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

  /** Finish after a pause: the square typed so far, or a lone key. */
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

const TAKES_TEXT = "input[type=text], input[type=number], textarea, select";
const PAUSE_MS = 450; // how long a column's letter waits for its row

/** Whether the focused element handles the key itself. */
function belongsTo(target, key) {
  if (target.matches(TAKES_TEXT)) return true;
  if (["Enter", " "].includes(key)) return target.matches("button, a, summary, input");
  return target.matches("input:not([type=checkbox])") && /^(Arrow|Home|End)/.test(key);
}

export class Keys {
  #actions = new Map();
  #notes = [];
  #typed = null;
  #timer = 0;
  #onSquare = () => {};
  #onMissing = () => {};
  #onTyping = () => {};

  constructor() {
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  /** Bind a key to an action. */
  bind(key, what, action) {
    this.#actions.set(key, { what, action });
  }

  /** Describe keys that are handled elsewhere. */
  note(key, what) {
    this.#notes.push([key, what]);
  }

  /**
   * Accept squares typed on the keyboard.
   * @param {() => {rows: number, cols: number}} board the current board.
   * @param {(square: number) => void} onSquare called with a complete square.
   * @param {(name: string) => void} onMissing called with a name that no square has.
   * @param {(text: string) => void} onTyping called with what has been typed so far.
   */
  typeSquares(board, onSquare, onMissing, onTyping = () => {}) {
    this.#onSquare = onSquare;
    this.#onMissing = onMissing;
    this.#onTyping = onTyping;
    this.#typed = { board, state: null };
    this.note("d 4", "type a square to move there");
  }

  /** The keys and what they do. */
  described() {
    const names = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };
    const bound = [...this.#actions].filter(([, { what }]) => what);
    return [...this.#notes, ...bound.map(([key, { what }]) => [names[key] ?? key, what])];
  }

  #press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (belongsTo(event.target, event.key)) return;
    clearTimeout(this.#timer);
    const answer = this.#type(event.key);
    if (answer.pending) {
      this.#timer = setTimeout(() => this.#settle(), PAUSE_MS);
      event.preventDefault();
    } else if (answer.square !== undefined) {
      event.preventDefault();
      this.#onSquare(answer.square);
    } else if (answer.missing) {
      event.preventDefault();
      this.#onMissing(answer.missing);
    } else if (answer.key && this.#act(answer.key)) event.preventDefault();
    this.#onTyping(answer.pending ?? "");
  }

  #type(key) {
    if (!this.#typed) return { key };
    const { rows, cols } = this.#typed.board();
    const { state } = this.#typed;
    if (state?.rows !== rows || state?.cols !== cols) this.#typed.state = new TypedSquare(rows, cols);
    return this.#typed.state.press(key);
  }

  #settle() {
    const answer = this.#typed.state.settle();
    if (answer.square !== undefined) this.#onSquare(answer.square);
    else if (answer.key) this.#act(answer.key);
    this.#onTyping("");
  }

  #act(key) {
    const bound = this.#actions.get(key);
    bound?.action();
    return Boolean(bound);
  }
}
