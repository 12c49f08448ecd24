// The parts of Play's panel: the opponent, the speed, the goal of the game, what the agent reports of its search, and
// what to do once a game has ended.

import { PLAYERS } from "../game/rules.js";
import { formatPlies, opinion } from "../game/values.js";
import { FIRST_MISTAKE, writeAddress } from "../shared/address.js";
import { fill, h, setText } from "../shared/dom.js";
import { levelName, levelOf, levelWords } from "../shared/levels.js";
import { recall, remember } from "../shared/storage.js";

export class Opponent {
  /** @param {(spec: string) => void} onChange called with the agent that is to play on. */
  constructor(onChange) {
    this.choice = h("select", { "aria-label": "Opponent", onchange: () => onChange(this.choice.value) });
    this.words = h("p.small.quiet-text.how");
    this.element = h("div", { hidden: true }, h("label.inline.small.pace", {}, "Against", this.choice), this.words);
  }

  /** Offer the levels, and the agent that plays now where it is none of them. */
  show({ start, seats, persons, outcome }, levels) {
    this.element.hidden = persons.length !== 1 || !levels.length || Boolean(outcome);
    if (this.element.hidden) return;
    const spec = seats[1 - persons[0]];
    const level = levelOf(spec, levels);
    const other = level ? [] : [spec];
    const options = [...levels.map((level) => [level.agent, levelName(level)]), ...other.map((one) => [one, one])];
    fill(
      this.choice,
      options.map(([value, name]) => h("option", { value }, name)),
    );
    this.choice.value = spec;
    this.choice.title = spec;
    setText(this.words, level ? levelWords(level, `${start.rows}x${start.cols}`) : "");
  }
}

// The speed: no answer comes so quickly that it is missed.

const ANSWER_MS = 334; // a person sees that it is answered
const PACES = { slow: 1000, normal: ANSWER_MS, fast: 60 };

export class Pace {
  constructor() {
    const chosen = recall("pace");
    this.choice = h(
      "select",
      { "aria-label": "Speed", onchange: () => remember("pace", this.choice.value) },
      Object.keys(PACES).map((name) => h("option", { value: name }, name)),
    );
    this.choice.value = chosen in PACES ? chosen : "normal";
    this.element = h("label.inline.small.pace", {}, "Speed", this.choice);
  }

  /** How long a move is to take at least, by how many persons play. */
  least(persons) {
    return persons ? ANSWER_MS : PACES[this.choice.value];
  }
}

// The goal of the game in one line below the board, until the visitor has seen it happen.

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

// What an agent reports while it searches: how deep, how much, and the line it expects.

const count = new Intl.NumberFormat("en");

export class SearchReport {
  /** @param {() => void} onToggle called when it is opened or closed. */
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

// What to do once a game has ended: play again, on the other side too, or look at what went wrong.

export class AfterGame {
  /** @param {(swapped: boolean) => void} onRematch called to play again, with the seats changed or not. */
  constructor(onRematch) {
    const button = (text, swapped) =>
      h("button", { type: "button", onclick: () => onRematch(swapped) }, text);
    this.review = h("a.button", { href: "/learn", title: "key m" }, "Review my mistakes");
    this.analyse = h("a.button", { href: "/analyse" }, "Analyse this game");
    this.rematch = button("Rematch", false);
    this.rematch.classList.add("main");
    this.element = h("div.row", {}, this.rematch, button("Swap and rematch", true), this.review, this.analyse);
  }

  show({ outcome, persons, text }) {
    this.element.hidden = !outcome;
    this.review.hidden = persons.length !== 1;
    const player = PLAYERS[persons[0]];
    this.review.href = `/learn${writeAddress({ sheet: "mistakes", game: text, player })}`;
    this.analyse.href = `/analyse${writeAddress({ game: text, at: FIRST_MISTAKE })}`;
  }
}
