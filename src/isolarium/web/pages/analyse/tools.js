// The tools of Analyse, as buttons and keys: steps through the game, its variations and mistakes, and best play as a
// line.

import { noSuchSquare } from "../board/messages.js";
import { formatSquare, parseSquare } from "../game/notation.js";
import { fill, h, setText } from "../shared/dom.js";
import { isUnsolved } from "./engine.js";
import { currentText } from "./game_text.js";
import { askForLine, lineName, lineWords } from "./messages.js";
import { bestMoves } from "./move_colours.js";

export class Tools {
  #page;
  #steps;
  #leaps;

  /** @param {object} page the page, whose tree they go through. */
  constructor(page) {
    this.#page = page;
    const button = (text, label, action) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    this.#steps = [
      button("«", "To the start", () => this.#walk("toStart")),
      button("‹", "One move back", () => this.#walk("back")),
      button("›", "One move on", () => this.#walk("forward")),
      button("»", "To the end", () => this.#walk("toEnd")),
    ];
    this.#leaps = {
      previous: button("‹ ?", "The mistake before (key M)", () => this.#toMistake(-1)),
      next: button("? ›", "The next mistake (key m)", () => this.#toMistake(1)),
      best: button("★", "The best move (key h)", () => this.#playBest()),
    };
    const leaps = Object.values(this.#leaps);
    this.steps = h("div.steps", {}, this.#steps, leaps, button("Flip", "Flip the board", () => page.flip()));
    this.line = new LineTools((tool) => this.#use(tool));
  }

  #use(tool) {
    const uses = {
      line: () => this.#playOut(),
      above: () => this.#walk("beside", -1),
      below: () => this.#walk("beside", 1),
      promote: () => this.#walk("promote"),
      remove: () => this.#remove(),
      putBack: () => this.#putBack(),
    };
    uses[tool]();
  }

  bindKeys(keys) {
    const page = this.#page;
    keys.bind("ArrowLeft", "one move back", () => this.#walk("back"));
    keys.bind("ArrowRight", "one move on", () => this.#walk("forward"));
    keys.bind("ArrowUp", "the variation above", () => this.#walk("beside", -1));
    keys.bind("ArrowDown", "the variation below", () => this.#walk("beside", 1));
    keys.bind("Home", "to the start", () => this.#walk("toStart"));
    keys.bind("End", "to the end", () => this.#walk("toEnd"));
    keys.typeSquares(
      () => page.shown,
      (square) => page.choose(square),
      (name) => page.say(noSuchSquare(page.shown, name)),
    );
    keys.bind("u", "take back: one move back", () => this.#walk("back"));
    keys.bind("Delete", "remove the move and all after it", () => this.#remove());
    keys.bind("z", "put back what was removed", () => this.#putBack());
    keys.bind("h", "the best move", () => this.#playBest());
    keys.bind("p", "play it out: best play as a line", () => this.#playOut());
    keys.bind("m", "the next mistake", () => this.#toMistake(1));
    keys.bind("M", "the mistake before", () => this.#toMistake(-1));
    keys.bind("w", "see why: what is shown on the board", () => page.why.next());
    keys.bind("f", "flip the board", () => page.flip());
    keys.bind("n", "load another game", () => page.tabs.show("load"));
    keys.bind("e", "edit the position", () => page.tabs.show("edit"));
    keys.bind("v", "make this variation the main line", () => this.#walk("promote"));
  }

  /** Show which can be used, by the values of the position on the board. */
  show(values) {
    const { isEditing, tree } = this.#page;
    const { current, taken } = tree;
    const siblings = current.parent?.children ?? [current];
    const { previous, next, best } = this.#leaps;
    for (const step of this.#steps) step.disabled = isEditing;
    previous.disabled = !this.#mistake(-1);
    next.disabled = !this.#mistake(1);
    best.disabled = isEditing || !values?.moves.length;
    this.line.show({
      line: this.#nameOfLine(values),
      above: siblings[0] !== current,
      below: siblings.at(-1) !== current,
      promote: !current.isMain,
      remove: current.parent,
      putBack: taken.length,
    });
  }

  #walk(way, ...more) {
    const page = this.#page;
    if (page.isEditing) return;
    page.tree[way](...more);
    page.moved();
  }

  #remove() {
    const page = this.#page;
    if (page.isEditing) return;
    const { move, position } = page.tree.current;
    if (!page.tree.takeBack()) return;
    page.moved();
    page.say(`Removed ${formatSquare(move, position.cols)} and what came after it.`);
  }

  #putBack() {
    const page = this.#page;
    if (!page.isEditing && page.tree.putBack()) page.moved();
  }

  /** The next mistake of the line on the board in a direction; null if there is none. */
  #mistake(step) {
    const { tree, judge } = this.#page;
    const { ply } = tree.current;
    const line = tree.line();
    const { mistakes } = judge.of(line);
    const found = step > 0 ? mistakes.find((one) => one > ply) : mistakes.findLast((one) => one < ply);
    return found ? line[found] : null;
  }

  #toMistake(step) {
    const node = this.#mistake(step);
    if (node) this.#page.goTo(node);
  }

  #playBest() {
    const { tree, known, isEditing, colouring, ahead } = this.#page;
    if (!known?.moves.length || isEditing) return;
    const [expected] = colouring.by === "exact" ? ahead.expected(tree.current, known) : [];
    this.#page.choose(expected ?? bestMoves(tree.position, known, colouring.by)[0]);
  }

  /** Put a line of moves into the tree, and stand after so many of them. */
  playLine(squares, stand = 1) {
    const { tree } = this.#page;
    let at = tree.current;
    squares.forEach((square, made) => {
      tree.play(square);
      if (made < stand) at = tree.current;
    });
    this.#page.goTo(at);
  }

  async #playOut() {
    const page = this.#page;
    const { tree, known, isEditing } = page;
    const { current } = tree;
    if (!known?.moves.length || isEditing) return;
    const name = lineName(page.judge.at(current), known.value);
    if (isUnsolved(current.position, known)) {
      const expected = page.ahead.expected(current, known);
      if (!expected.length) return;
      this.playLine(expected);
      return void page.say(`${name}, by search: what the engine expects. Step through it with →.`);
    }
    page.say("Playing it out…");
    try {
      const line = await askForLine(currentText(tree), (text) => fill(page.problem, text));
      if (page.tree.current !== current) return; // the person moved elsewhere
      const { rows, cols } = current.position;
      this.playLine(line.moves.map((move) => parseSquare(move, rows, cols)));
      page.say(line.moves.length ? lineWords(name, line) : "That could not be solved in time.");
    } catch (error) {
      fill(page.problem, error.message);
    }
  }

  /** What best play from here is called, where it can be shown. */
  #nameOfLine(values) {
    const { tree, ahead, judge } = this.#page;
    if (!values?.moves.length) return "";
    const isKnown = values.value !== "unknown" || ahead.expected(tree.current, values).length;
    return isKnown ? lineName(judge.at(tree.current), values.value) : "";
  }
}

// Actions on the line on the board, as buttons: all that keys do, for those who have none.

const TOOLS = [
  ["line", "Play it out", "p"],
  ["above", "Variation ↑", "↑"],
  ["below", "Variation ↓", "↓"],
  ["promote", "Make it main", "v"],
  ["remove", "Remove", "Delete"],
  ["putBack", "Put back", "z"],
];

class LineTools {
  /** @param {(tool: string) => void} onUse called with the name of the tool that was used. */
  constructor(onUse) {
    this.buttons = TOOLS.map(([tool, text, key]) =>
      h("button", { type: "button", title: `key ${key}`, onclick: () => onUse(tool) }, text),
    );
    this.element = h("div.actions", {}, this.buttons);
  }

  /** @param {Object<string, unknown>} usable by name, whether a tool can be used now; a text is then its name. */
  show(usable) {
    this.buttons.forEach((button, at) => {
      const [tool, text] = TOOLS[at];
      button.disabled = !usable[tool];
      setText(button, typeof usable[tool] === "string" && usable[tool] ? usable[tool] : text);
    });
  }
}
