// The solved boards as a grid of rows and columns, to choose one.

import { parseBoard } from "../game/notation.js";
import { fill, h, setText } from "../shared/dom.js";

export class BoardGrid {
  #buttons = new Map(); // by the board's name

  /** @param {(board: string) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.summary = h("summary", {}, "Board");
    this.table = h("table.boards");
    this.element = h("details.card", {}, this.summary, h("p.small.quiet-text", {}, "Rows × columns; all starts of these boards are solved."), this.table);
  }

  /** Offer boards such as 7x7. */
  offer(boards) {
    const sides = boards.map(parseBoard);
    const range = (at) => {
      const found = sides.map((side) => side[at]);
      return Array.from({ length: Math.max(...found) - Math.min(...found) + 1 }, (_, step) => Math.min(...found) + step);
    };
    this.#buttons = new Map(boards.map((name) => [name, this.#button(name)]));
    const cols = range(1);
    fill(
      this.table,
      h("thead", {}, h("tr", {}, h("td"), cols.map((col) => h("th", { scope: "col" }, col)))),
      h(
        "tbody",
        {},
        range(0).map((row) =>
          h("tr", {}, h("th", { scope: "row" }, row), cols.map((col) => h("td", {}, this.#buttons.get(`${row}x${col}`)))),
        ),
      ),
    );
  }

  #button(name) {
    const choose = () => {
      this.onChoose(name);
      this.element.open = false;
      this.summary.focus();
    };
    return h("button", { type: "button", "aria-label": name, title: name, onclick: choose });
  }

  /** Show which board is chosen. */
  show(board) {
    setText(this.summary, `Board ${board}`);
    for (const [name, button] of this.#buttons) button.setAttribute("aria-pressed", String(name === board));
  }
}
