// The goal of the game in one line or in three animated frames, and its rules.

import { BoardView } from "../board/board.js";
import { Position } from "../game/rules.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { h } from "./dom.js";
import { recall, remember } from "./storage.js";

// The goal is shown until the visitor has played a little.

const GOAL = "Trap the other knight: every square that a knight leaves stays blocked.";
const ENOUGH = 3; // own moves, the placement included

export class Goal {
  constructor() {
    this.element = h("p.goal", { hidden: recall("goal") === "known" }, GOAL);
  }

  /** Hide the goal once it is understood, and on every later visit. */
  show({ tree, persons, outcome }) {
    if (!persons.length) this.element.hidden = true;
    if (this.element.hidden) return;
    const own = tree.mainLine().filter(({ parent }) => parent && persons.includes(parent.position.toMove));
    if (!outcome && own.length < ENOUGH) return;
    remember("goal", "known");
    this.#leave();
  }

  /** A line that was seen is blanked, so that nothing jumps. */
  #leave() {
    if (this.element.isConnected && this.element.matches(".goal")) this.element.style.visibility = "hidden";
    else this.element.hidden = true;
  }
}

// The first minute: a whole game of five moves in three frames, in place of the goal's line. It moves for less than five
// seconds, and not at all for visitors who prefer reduced motion.

const SHORT_GAME = [4, 5, 2, 11, 9]; // on 3x4; Orange ends on d3 and needs b2 and c1
const FRAMES = [
  ["Place", "Each puts a knight on a free square.", [0, 1, 2]],
  ["Jump", "Two squares one way, one to the side.", [2, 3, 4]],
  ["Block", "Squares you leave stay blocked. No move left: you lose.", [4, 4, 5]],
];
const STEP_MS = 800;
const STEPS = 6; // every frame twice

export class FirstMinute extends Goal {
  #timer = 0;

  constructor() {
    super();
    const { hidden } = this.element;
    this.boards = FRAMES.map(() => new BoardView({ interactive: false }));
    this.element = h(
      "section.card.first-minute",
      { "aria-label": "How to play", hidden },
      h("p", {}, "Trap the other knight."),
      h(
        "ol.frames",
        {},
        FRAMES.map(([name, text], at) =>
          h("li", {}, this.boards[at].element, h("strong", {}, `${at + 1} ${name}`), h("span", {}, text)),
        ),
      ),
      h("button.plain.small", { type: "button", onclick: () => this.#play() }, "Show it again"),
    );
    if (!hidden) this.#play();
  }

  #play() {
    clearInterval(this.#timer);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.#draw(STEPS - 1);
    let step = 0;
    this.#draw(step);
    this.#timer = setInterval(() => {
      this.#draw(++step);
      if (step === STEPS - 1) clearInterval(this.#timer);
    }, STEP_MS);
  }

  #draw(step) {
    FRAMES.forEach(([name, text, plies], at) => {
      const ply = plies[step % plies.length];
      const tree = new GameTree(Position.empty(3, 4), SHORT_GAME.slice(0, ply));
      this.boards[at].show({
        position: tree.position,
        trails: trailsTo(tree.current),
        dots: name === "Jump",
        trapped: ply === SHORT_GAME.length ? 1 : null,
        label: `${name}: ${text}`,
      });
    });
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
