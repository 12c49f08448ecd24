// The position editor: a click blocks or frees a square or places a knight. A draft need not be a position yet.

import { colourName } from "../board/messages.js";
import { NotationError } from "../game/notation.js";
import { FIRST, PLAYERS, Position, SECOND } from "../game/rules.js";
import { BoardSize } from "../shared/controls.js";
import { fill, h } from "../shared/dom.js";

class Draft {
  /** @param {Position} position what it begins with. */
  constructor({ rows, cols, blank, squares, toMove }) {
    this.rows = rows;
    this.cols = cols;
    this.blocked = Uint8Array.from(blank, (one, square) => (one || squares.includes(square) ? 0 : 1));
    this.squares = [...squares];
    this.toMove = toMove;
  }

  /** What it looks like as a position. */
  get position() {
    const blank = this.blocked.map((one, square) => (one || this.squares.includes(square) ? 0 : 1));
    return new Position(this.rows, this.cols, blank, [...this.squares], this.toMove);
  }

  /** Block a square, even an occupied one, or free it. */
  block(square) {
    this.#lift(square);
    this.blocked[square] = this.blocked[square] ? 0 : 1;
  }

  /** Put a player on a square, or take it away from there. */
  place(player, square) {
    const stands = this.squares[player] === square;
    this.#lift(square);
    this.blocked[square] = 0;
    this.squares[player] = stands ? null : square;
  }

  #lift(square) {
    this.squares = this.squares.map((one) => (one === square ? null : one));
  }

  /** Have another size; what does not fit is cut off. */
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

  /** Begin with an empty board. */
  clear() {
    this.blocked.fill(0);
    this.squares = [null, null];
    this.toMove = FIRST;
  }

  /** Why this is not a position, and how to make it one; empty if it is one. */
  problem() {
    const [first, second] = this.squares;
    if (first === null && second !== null)
      return "Orange stands and Blue does not, but Blue is placed first: place Blue, or take Orange away.";
    const placing = first === null ? FIRST : SECOND;
    if (second === null && this.toMove !== placing)
      return `${colourName(placing)} is not placed yet, so it is ${colourName(placing)}'s turn.`;
    if (second === null && !this.position.blankCount)
      return `No square is blank for ${colourName(placing)} to be placed on: free one.`;
    return "";
  }
}

const TOOLS = [
  ["block", "Block, or free"],
  ["first", "Blue's knight"],
  ["second", "Orange's knight"],
];
const HINT = "Choose what a click does, then click squares, or type their names.";

export class Editor {
  /**
   * @param {() => void} onChange called when the draft is another.
   * @param {(position: object) => void} onUse called with a position that is to be analysed.
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

  /** Begin with a position. */
  begin(position) {
    this.draft = new Draft(position);
    this.#show();
  }

  get position() {
    return this.draft.position;
  }

  /** A square was chosen: do there what a click does. */
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
    this.#show();
    this.onChange();
  }

  #show() {
    this.sides.show(this.draft.rows, this.draft.cols);
    this.turn.choose(PLAYERS[this.draft.toMove]);
    this.#say(this.draft.problem());
  }

  #say(problem) {
    fill(this.problem, problem);
    this.use.disabled = Boolean(problem);
  }
}

let made = 0;

/** Names of which one is chosen. */
function radios(legend, choices, onChoose) {
  const group = `editor-${++made}`;
  const inputs = choices.map(([name]) =>
    h("input", { type: "radio", name: group, value: name, onchange: () => onChoose(name) }),
  );
  const labels = choices.map(([, text], at) => h("label.inline", {}, inputs[at], text));
  return {
    element: h("fieldset", {}, h("legend", {}, legend), h("div.row", {}, labels)),
    choose: (name) => inputs.forEach((input) => (input.checked = input.value === name)),
  };
}
