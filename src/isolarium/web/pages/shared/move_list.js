// The moves of a game as a list to read and step through, with variations set apart.

import { formatSquare } from "../game/notation.js";
import { fill, h } from "./dom.js";

export class MoveList {
  /** @param {((node: object) => void)|null} onChoose called with the chosen node; null makes the list read-only. */
  constructor(onChoose = null) {
    this.onChoose = onChoose;
    this.element = h("div.moves", { role: "group", "aria-label": "Moves", tabindex: "0" });
  }

  /**
   * @param {import("../game/tree.js").GameTree} tree
   * @param {(node: object) => {sign: string, words: string, tone: string}|null} mark the symbol beside a move.
   */
  show(tree, mark = () => null) {
    this.tree = tree;
    this.mark = mark;
    const line = tree.mainLine().slice(1);
    if (!line.length) {
      fill(this.element, h("p.nothing", {}, "No moves yet."));
      return;
    }
    const offset = tree.root.position.toMove; // the second player may begin
    const cells = [];
    line.forEach((node, at) => cells.push(...this.#cell(node, at, offset)));
    fill(this.element, cells);
    this.#reveal();
  }

  #cell(node, at, offset) {
    const turn = at + offset;
    const cells = [];
    if (turn % 2 === 0 || at === 0) cells.push(h("span.no", {}, String(this.tree.numberOf(node))));
    if (at === 0 && offset) cells.push(h("span"));
    cells.push(this.#move(node));
    const others = node.parent.children.slice(1);
    if (others.length && turn % 2 === 0) cells.push(h("span"));
    for (const other of others) cells.push(h("div.side", {}, this.#variation(other)));
    if (others.length && turn % 2 === 0 && node.children.length) cells.push(h("span.no"), h("span"));
    return cells;
  }

  /** A variation's moves in one line, nested variations in brackets. */
  #variation(node) {
    const buttons = [];
    for (let at = node; at; at = at.children[0]) {
      buttons.push(this.#move(at));
      const inner = at === node ? [] : at.parent.children.slice(1);
      for (const other of inner) buttons.push("(", ...this.#variation(other), ")");
    }
    return buttons;
  }

  #move(node) {
    const name = formatSquare(node.move, node.position.cols);
    const isCurrent = node === this.tree.current ? "true" : null;
    if (!this.onChoose) return h("span.move", { "aria-current": isCurrent }, name);
    const mark = this.mark(node);
    return h(
      "button.move",
      {
        type: "button",
        "aria-current": isCurrent,
        "aria-label": mark ? `${name}. ${mark.words}` : null,
        title: mark?.words,
        onclick: () => this.onChoose(node),
      },
      name,
      mark && h(`span.glyph.${mark.tone}`, { "aria-hidden": "true" }, mark.sign),
    );
  }

  /** Scroll the list, and nothing else, to the current move. */
  #reveal() {
    const { element } = this;
    const current = element.querySelector("[aria-current]");
    if (!current) return void (element.scrollTop = 0);
    const top = current.offsetTop - element.offsetTop;
    if (top < element.scrollTop) element.scrollTop = top;
    const bottom = top + current.offsetHeight - element.clientHeight;
    if (bottom > element.scrollTop) element.scrollTop = bottom + 8;
  }
}
