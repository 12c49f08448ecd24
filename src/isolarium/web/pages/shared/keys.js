// The keys of a page: actions under one key each, and squares typed as d4.

import { TypedSquare } from "../game/typing.js";

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
