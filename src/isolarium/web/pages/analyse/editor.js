// The editor: squares are blocked and freed and the knights placed by a click; what comes of it is a position like any.

import { colourName } from "../board/messages.js";
import { Draft } from "../game/draft.js";
import { NotationError } from "../game/notation.js";
import { PLAYERS } from "../game/rules.js";
import { Sides } from "../shared/controls.js";
import { fill, h } from "../shared/dom.js";

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
    this.sides = new Sides();
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
