// The choice of an overlay that explains the position, with its legend; the browser remembers it.

import { OVERLAYS } from "../board/overlays.js";
import { h, setText } from "./dom.js";
import { recall, remember } from "./storage.js";

const NOTHING = "nothing";

export class Explainer {
  /** @param {import("../board/board.js").BoardView} board */
  constructor(board) {
    this.board = board;
    const options = [[NOTHING, "nothing"], ...Object.entries(OVERLAYS).map(([name, { title }]) => [name, title])];
    this.choice = h(
      "select",
      { "aria-label": "Show on the board", title: "key w", onchange: () => this.#choose(this.choice.value) },
      options.map(([value, title]) => h("option", { value }, title)),
    );
    this.legend = h("p.small.quiet-text", { "aria-live": "polite" });
    this.element = h("div.stack.see-why", {}, h("label.inline.small", {}, "Show", this.choice), this.legend);
    board.addEventListener("shown", ({ detail }) => this.#say(detail));
    this.restore();
  }

  get chosen() {
    return OVERLAYS[this.choice.value] ?? null;
  }

  /** Show the remembered overlay. */
  restore() {
    const name = recall("overlay");
    this.show(name in OVERLAYS ? name : NOTHING);
  }

  /** Show an overlay without remembering it. */
  show(name) {
    this.choice.value = name;
    const { chosen } = this;
    this.board.overlay = (position) => chosen?.marks(position) ?? new Map();
    this.board.redraw();
  }

  /** Show the next overlay. */
  next() {
    this.choice.selectedIndex = (this.choice.selectedIndex + 1) % this.choice.options.length;
    this.#choose(this.choice.value);
  }

  #choose(name) {
    remember("overlay", name === NOTHING ? null : name);
    this.show(name);
  }

  #say(position) {
    setText(this.legend, this.chosen?.legend(position) ?? "");
  }
}
