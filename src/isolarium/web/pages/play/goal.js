// What the game is about, in one line below the board, until this browser's visitor has seen it happen.

import { h } from "../shared/dom.js";
import { recall, remember } from "../shared/storage.js";

const GOAL = "Trap the other knight: every square that a knight leaves is blocked for good.";
const ENOUGH = 3; // moves of one's own, the placing included

export class Goal {
  #isSeen = false;

  constructor() {
    this.element = h("p.goal", { hidden: recall("goal") === "known" }, GOAL);
  }

  /** See whether it is understood now; if so its line stays empty, so that nothing jumps, and is gone at the next visit. */
  show({ tree, persons, outcome }) {
    if (!persons.length) this.element.hidden = true;
    if (this.element.hidden) return;
    const own = tree.mainLine().filter(({ parent }) => parent && persons.includes(parent.position.toMove));
    if (outcome || own.length >= ENOUGH) {
      remember("goal", "known");
      if (this.#isSeen) this.element.style.visibility = "hidden";
      else this.element.hidden = true;
    }
    this.#isSeen = true;
  }
}
