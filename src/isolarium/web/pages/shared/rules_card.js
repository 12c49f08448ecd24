// The goal of the game in one line, and its rules.

import { h } from "./dom.js";
import { recall, remember } from "./storage.js";

// The goal is shown below the board until the visitor has played a little.

const GOAL = "Trap the other knight: every square that a knight leaves stays blocked.";
const ENOUGH = 3; // own moves, the placement included

export class Goal {
  #isSeen = false;

  constructor() {
    this.element = h("p.goal", { hidden: recall("goal") === "known" }, GOAL);
  }

  /** Hide the goal once it is understood: blank for now, so that nothing jumps, and absent on the next visit. */
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

// The rules.

const RULES = [
  ["Place. ", "Blue puts its knight on any square, then Orange on any other square."],
  [
    "Move. ",
    "In turn, like a chess knight: two squares one way and one to the side, jumping over anything between.",
  ],
  ["Block. ", "Every square a knight has stood on stays blocked for both players."],
  ["Win. ", "A player with no legal move loses. There are no draws."],
];

/** The rules as a list. */
export function rulesList() {
  return h(
    "ol.rules",
    {},
    RULES.map(([name, text]) => h("li", {}, h("strong", {}, name), text)),
  );
}

/** A card with the rules, open for visitors who have not played yet. */
export function rulesCard() {
  return h("details.card", { open: recall("goal") !== "known" }, h("summary", {}, "The rules"), rulesList());
}
