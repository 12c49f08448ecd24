// What an agent thinks while it thinks, for those who ask for it: how deep, how much, what it expects.

import { formatPlies, opinion } from "../game/values.js";
import { fill, h } from "../shared/dom.js";
import { recall, remember } from "../shared/storage.js";

const count = new Intl.NumberFormat("en");

export class Thinking {
  /** @param {() => void} onToggle called when it is asked for, or no longer. */
  constructor(onToggle) {
    this.facts = h("dl.facts.thinking", { "aria-label": "The agent's thinking" });
    this.element = h(
      "details.card",
      { open: recall("thinking") === "yes" },
      h("summary", {}, "What it thinks"),
      this.facts,
    );
    this.element.addEventListener("toggle", () => {
      remember("thinking", this.isAskedFor ? "yes" : null);
      onToggle();
    });
    this.clear();
  }

  get isAskedFor() {
    return this.element.open;
  }

  clear() {
    this.show({});
  }

  /** @param {{depth?: number, nodes?: number, score?: unknown, pv?: string[]}} report */
  show({ depth, nodes, score, pv = [] }) {
    const known = depth !== undefined;
    const effort = known ? `${formatPlies(depth)}, ${count.format(nodes)} positions` : "–";
    fill(
      this.facts,
      this.#fact("looked ahead", effort),
      this.#fact("thinks it", known ? opinion(score) : "–"),
      this.#fact("expects", pv.length ? pv.slice(0, 8).join(" ") : "–"),
    );
  }

  #fact(name, text) {
    return [h("dt", {}, name), h("dd", {}, text)];
  }
}

/** The moves of a principal variation as arrows, the nearest strongest. */
export function arrowsOf(position, squares) {
  const arrows = [];
  let at = position;
  for (const square of squares.slice(0, 5)) {
    if (!at.isLegal(square)) break;
    const from = at.mover;
    if (from !== null)
      arrows.push({ from, to: square, player: at.toMove, strength: 1 - arrows.length * 0.2 });
    at = at.play(square);
  }
  return arrows;
}
