// The tools of Analyse, as buttons and keys: steps through the game, its variations and mistakes, and the best line.

import { noSuchSquare } from "../board/messages.js";
import { formatSquare, parseSquare } from "../game/notation.js";
import { query } from "../shared/answers.js";
import { fill, h } from "../shared/dom.js";
import { isUnsolved } from "./engine.js";
import { currentText, lineWords } from "./game_text.js";
import { bestMoves } from "./move_colours.js";

export class Tools {
  #page;
  #steps;
  #leaps;

  /** @param {object} page the page whose tree they step through. */
  constructor(page) {
    this.#page = page;
    const button = (text, label, action) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    this.#steps = [
      button("«", "To the start", () => this.#walk("toStart")),
      button("‹", "Previous move", () => this.#walk("back")),
      button("›", "Next move", () => this.#walk("forward")),
      button("»", "To the end", () => this.#walk("toEnd")),
    ];
    this.#leaps = {
      previous: button("‹ ?", "Previous mistake (key M)", () => this.#toMistake(-1)),
      next: button("? ›", "Next mistake (key m)", () => this.#toMistake(1)),
      best: button("★", "Best move (key h)", () => this.#playBest()),
    };
    const leaps = Object.values(this.#leaps);
    this.steps = h("div.steps", {}, this.#steps, leaps, button("Flip", "Flip the board", () => page.flip()));
    this.line = new LineTools((tool) => this.#use(tool));
  }

  #use(tool) {
    const uses = {
      line: () => this.#showBestLine(),
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
    keys.bind("ArrowLeft", "previous move", () => this.#walk("back"));
    keys.bind("ArrowRight", "next move", () => this.#walk("forward"));
    keys.bind("ArrowUp", "the variation above", () => this.#walk("beside", -1));
    keys.bind("ArrowDown", "the variation below", () => this.#walk("beside", 1));
    keys.bind("Home", "to the start", () => this.#walk("toStart"));
    keys.bind("End", "to the end", () => this.#walk("toEnd"));
    keys.typeSquares(
      () => page.shown,
      (square) => page.choose(square),
      (name) => page.say(noSuchSquare(page.shown, name)),
    );
    keys.bind("u", "previous move", () => this.#walk("back"));
    keys.bind("Delete", "delete the move and all after it", () => this.#remove());
    keys.bind("z", "restore deleted moves", () => this.#putBack());
    keys.bind("h", "best move", () => this.#playBest());
    keys.bind("p", "best line", () => this.#showBestLine());
    keys.bind("m", "next mistake", () => this.#toMistake(1));
    keys.bind("M", "previous mistake", () => this.#toMistake(-1));
    keys.bind("w", "change what the board shows", () => page.why.next());
    keys.bind("f", "flip the board", () => page.flip());
    keys.bind("n", "load another game", () => page.tabs.show("load"));
    keys.bind("e", "edit the position", () => page.tabs.show("edit"));
    keys.bind("v", "make this variation the main line", () => this.#walk("promote"));
  }

  /** Enable the tools that apply, given the values of the position on the board. */
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
      line: this.#hasLine(values),
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
    page.say(`Deleted ${formatSquare(move, position.cols)} and the moves after it.`);
  }

  #putBack() {
    const page = this.#page;
    if (!page.isEditing && page.tree.putBack()) page.moved();
  }

  /** The next mistake of the current line in a direction; null if there is none. */
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

  /** Add a line of moves to the tree, and go to the position after `stand` of them. */
  playLine(squares, stand = 1) {
    const { tree } = this.#page;
    let at = tree.current;
    squares.forEach((square, made) => {
      tree.play(square);
      if (made < stand) at = tree.current;
    });
    this.#page.goTo(at);
  }

  async #showBestLine() {
    const page = this.#page;
    const { tree, known, isEditing } = page;
    const { current } = tree;
    if (!known?.moves.length || isEditing) return;
    if (isUnsolved(current.position, known)) {
      const expected = page.ahead.expected(current, known);
      if (!expected.length) return;
      this.playLine(expected);
      return void page.say("Best line, found by search and not proven. Step with →.");
    }
    page.say("Finding the best line…");
    try {
      const line = await query("line", { game: currentText(tree) }, { onWait: (text) => fill(page.problem, text) });
      if (page.tree.current !== current) return; // the visitor moved elsewhere
      const { rows, cols } = current.position;
      this.playLine(line.moves.map((move) => parseSquare(move, rows, cols)));
      page.say(line.moves.length ? lineWords(line) : "The position could not be solved in time.");
    } catch (error) {
      fill(page.problem, error.message);
    }
  }

  /** Whether a best line can be shown from here. */
  #hasLine(values) {
    const { tree, ahead } = this.#page;
    if (!values?.moves.length) return false;
    return values.value !== "unknown" || ahead.expected(tree.current, values).length > 0;
  }
}

// The actions on the current line, as buttons.

const TOOLS = [
  ["line", "Best line", "p"],
  ["above", "Variation ↑", "↑"],
  ["below", "Variation ↓", "↓"],
  ["promote", "Promote", "v"],
  ["remove", "Delete", "Delete"],
  ["putBack", "Restore", "z"],
];

class LineTools {
  /** @param {(tool: string) => void} onUse called with the name of the tool. */
  constructor(onUse) {
    this.buttons = TOOLS.map(([tool, text, key]) =>
      h("button", { type: "button", title: `key ${key}`, onclick: () => onUse(tool) }, text),
    );
    this.element = h("div.actions", {}, this.buttons);
  }

  /** @param {Object<string, unknown>} usable by name, whether a tool can be used now. */
  show(usable) {
    this.buttons.forEach((button, at) => (button.disabled = !usable[TOOLS[at][0]]));
  }
}
