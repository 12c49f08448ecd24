// The position editor: a click blocks or clears a square or places a knight. A draft may be incomplete.

import { colourName } from "../board/messages.js";
import { NotationError } from "../game/notation.js";
import { FIRST, PLAYERS, Position } from "../game/rules.js";
import { BoardSize } from "../shared/controls.js";
import { fill, h } from "../shared/dom.js";

class Draft {
  /** @param {Position} position the initial content. */
  constructor({ rows, cols, blank, squares, toMove }) {
    this.rows = rows;
    this.cols = cols;
    this.blocked = Uint8Array.from(blank, (one, square) => (one || squares.includes(square) ? 0 : 1));
    this.squares = [...squares];
    this.toMove = toMove;
  }

  /** The draft as a position. */
  get position() {
    const blank = this.blocked.map((one, square) => (one || this.squares.includes(square) ? 0 : 1));
    return new Position(this.rows, this.cols, blank, [...this.squares], this.toMove);
  }

  /** Block a square, even an occupied one, or clear it. */
  block(square) {
    this.#lift(square);
    this.blocked[square] = this.blocked[square] ? 0 : 1;
  }

  /** Put a player on a square, or remove it from there. */
  place(player, square) {
    const stands = this.squares[player] === square;
    this.#lift(square);
    this.blocked[square] = 0;
    this.squares[player] = stands ? null : square;
  }

  #lift(square) {
    this.squares = this.squares.map((one) => (one === square ? null : one));
  }

  /** Change the size; squares outside it are dropped. */
  resize(rows, cols) {
    const moved = (square) => {
      const [row, col] = [Math.floor(square / this.cols), square % this.cols];
      return row < rows && col < cols ? row * cols + col : null;
    };
    const blocked = new Uint8Array(rows * cols);
    this.blocked.forEach((one, square) => moved(square) !== null && (blocked[moved(square)] = one));
    this.squares = this.squares.map((square) => (square === null ? null : moved(square)));
    Object.assign(this, { rows, cols, blocked });
  }

  /** Empty the board. */
  clear() {
    this.blocked.fill(0);
    this.squares = [null, null];
    this.toMove = FIRST;
  }

  /** Why the draft is not a valid position and how to fix it; empty if it is valid. */
  problem() {
    const [first, second] = this.squares;
    if (first === null && second !== null)
      return "Orange is placed but Blue is not, and Blue is placed first. Place Blue or remove Orange.";
    if (second === null && !this.position.blankCount)
      return `No blank square is left to place ${colourName(this.placing)} on. Clear one.`;
    return "";
  }

  /** The player that must be to move because it is not placed yet; null if both are placed. */
  get placing() {
    const next = this.squares.indexOf(null);
    return next < 0 ? null : next;
  }

  /** Give the turn to the player that must be to move. */
  switchTurn() {
    if (this.placing !== null) this.toMove = this.placing;
  }
}

const TOOLS = [
  ["block", "Block or clear"],
  ["first", "Blue's knight"],
  ["second", "Orange's knight"],
];
const HINT = "Choose what a click does, then click squares or type their names.";

export class Editor {
  /**
   * @param {() => void} onChange called when the draft changes.
   * @param {(position: object) => void} onUse called with a position to analyse.
   */
  constructor(onChange, onUse) {
    this.onChange = onChange;
    this.onUse = onUse;
    this.draft = null;
    this.tool = "block";
    this.tools = radios("A click", TOOLS, (tool) => (this.tool = tool));
    const turns = PLAYERS.map((name, player) => [name, colourName(player)]);
    this.turn = radios("To move", turns, (name) => this.#edit(() => (this.draft.toMove = PLAYERS.indexOf(name))));
    this.sides = new BoardSize();
    this.sides.element.addEventListener("change", () => this.#resize());
    this.problem = h("p.error", { role: "alert" });
    this.use = h("button.main", { type: "submit" }, "Analyse this position");
    this.element = this.#build();
    this.tools.choose("block");
  }

  #build() {
    return h(
      "form.stack",
      {
        novalidate: true,
        onsubmit: (event) => {
          event.preventDefault();
          if (!this.problem.textContent) this.onUse(this.draft.position);
        },
      },
      h("p.small.quiet-text", {}, HINT),
      this.tools.element,
      this.turn.element,
      h("fieldset", {}, h("legend", {}, "Rows and columns"), this.sides.element),
      this.problem,
      h(
        "div.row",
        {},
        this.use,
        h("button", { type: "button", onclick: () => this.#edit(() => this.draft.clear()) }, "Clear the board"),
      ),
    );
  }

  /** Edit a position. */
  begin(position) {
    this.draft = new Draft(position);
    this.#show();
  }

  get position() {
    return this.draft.position;
  }

  /** Apply the chosen tool to a square. */
  choose(square) {
    if (this.tool === "block") this.#edit(() => this.draft.block(square));
    else this.#edit(() => this.draft.place(PLAYERS.indexOf(this.tool), square));
  }

  #resize() {
    try {
      const sides = this.sides.read();
      this.#edit(() => this.draft.resize(...sides));
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      this.#say(error.message);
    }
  }

  #edit(change) {
    change();
    this.draft.switchTurn();
    this.#show();
    this.onChange();
  }

  #show() {
    this.sides.show(this.draft.rows, this.draft.cols);
    this.turn.choose(PLAYERS[this.draft.toMove]);
    this.turn.allow((name) => this.draft.placing === null || name === PLAYERS[this.draft.placing]);
    this.#say(this.draft.problem());
  }

  #say(problem) {
    fill(this.problem, problem);
    this.use.disabled = Boolean(problem);
  }
}

let made = 0;

/** Radio buttons. */
function radios(legend, choices, onChoose) {
  const group = `editor-${++made}`;
  const inputs = choices.map(([name]) =>
    h("input", { type: "radio", name: group, value: name, onchange: () => onChoose(name) }),
  );
  const labels = choices.map(([, text], at) => h("label.inline", {}, inputs[at], text));
  return {
    element: h("fieldset", {}, h("legend", {}, legend), h("div.row", {}, labels)),
    choose: (name) => inputs.forEach((input) => (input.checked = input.value === name)),
    allow: (isAllowed) => inputs.forEach((input) => (input.disabled = !isAllowed(input.value))),
  };
}
