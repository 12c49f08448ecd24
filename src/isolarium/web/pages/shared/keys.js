// The keys of a page: actions under one key each, and squares typed as d4 or j12.

import { LETTERS } from "../game/notation.js";

// A letter of a column waits for its row; a row such as 1 on a board of more than nine rows waits for a second digit.

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

const TAKES_TEXT = "input[type=text], input[type=number], textarea, select";
const PATIENCE_MS = 450; // how long a letter that may begin a square waits for its row

/** Whether a key pressed there is for the element alone. */
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

  /** Let a key do something. */
  bind(key, what, action) {
    this.#actions.set(key, { what, action });
  }

  /** Describe keys that are handled elsewhere. */
  note(key, what) {
    this.#notes.push([key, what]);
  }

  /**
   * Let squares of a board be typed.
   * @param {() => {rows: number, cols: number}} board the board of the moment.
   * @param {(square: number) => void} onSquare called with a complete square.
   * @param {(name: string) => void} onMissing called with a name that no square has.
   * @param {(text: string) => void} onTyping called with what has been typed so far.
   */
  typeSquares(board, onSquare, onMissing, onTyping = () => {}) {
    this.#onSquare = onSquare;
    this.#onMissing = onMissing;
    this.#onTyping = onTyping;
    this.#typed = { board, state: null };
    this.note("d 4", "type a square to go there");
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
      this.#timer = setTimeout(() => this.#settle(), PATIENCE_MS);
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
