// The parts of Play's panel: the offer to continue a game, the opponent, the speed, the agent's search report, and
// the actions after a game.

import { PLAYERS } from "../game/rules.js";
import { formatPlies, formatScore } from "../game/values.js";
import { FIRST_MISTAKE, writeAddress } from "../shared/address.js";
import { fill, h, setText } from "../shared/dom.js";
import { agentName, levelName, levelOf, levelWords } from "../shared/levels.js";
import { recall, remember } from "../shared/storage.js";

// The game that a visitor left unfinished. The browser keeps its address until it is over.

const UNFINISHED = "unfinished";

export class UnfinishedGame {
  constructor() {
    this.words = h("p");
    this.resume = h("a.button.main", { href: "/play" }, "Continue");
    const discard = h("button", { type: "button", onclick: () => this.#discard() }, "Discard");
    this.element = h("section.card", { "aria-label": "Unfinished game", hidden: true }, this.words, h("div.row", {}, this.resume, discard));
  }

  /** The address of the stored game, or null. */
  get address() {
    return recall(UNFINISHED);
  }

  /** Offer to continue a game. */
  offer({ start, moves, seats, persons }, levels) {
    const agent = persons.length === 1 ? ` against ${agentName(seats[1 - persons[0]], levels)}` : "";
    const count = `${moves.length} ${moves.length === 1 ? "move" : "moves"}`;
    setText(this.words, `You left a game on ${start.rows}x${start.cols}${agent} after ${count}.`);
    this.resume.href = `/play${this.address}`;
    this.element.hidden = false;
  }

  /** Store a game that a person has played here, or forget it once it is over. */
  update(session) {
    if (!session.isPlayed) return;
    remember(UNFINISHED, session.outcome ? null : session.toAddress(false));
    this.element.hidden = true;
  }

  #discard() {
    remember(UNFINISHED, null);
    this.element.hidden = true;
  }
}

export class Opponent {
  /** @param {(spec: string) => void} onChange called with the agent that takes over. */
  constructor(onChange) {
    this.choice = h("select", { onchange: () => onChange(this.choice.value) });
    this.words = h("p.small.quiet-text.how");
    this.element = h("div", { hidden: true }, h("label.inline.small.pace", {}, "Opponent", this.choice), this.words);
  }

  /** Offer the levels, and the current agent if it is not one of them. */
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

// The speed: a reply takes at least long enough to be noticed.

const ANSWER_MS = 334; // long enough to notice the reply
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

  /** The least time for a move, given how many people play. */
  least(persons) {
    return persons ? ANSWER_MS : PACES[this.choice.value];
  }
}

// What an agent reports while it searches: its depth, effort, score and best line.

const count = new Intl.NumberFormat("en");

export class SearchReport {
  /** @param {() => void} onToggle called when it is opened or closed. */
  constructor(onToggle) {
    this.facts = h("dl.facts.thinking", { "aria-label": "Agent's search" });
    this.element = h(
      "details.card",
      { open: recall("thinking") === "yes" },
      h("summary", {}, "Agent's search"),
      this.facts,
    );
    this.element.addEventListener("toggle", () => {
      remember("thinking", this.isOpen ? "yes" : null);
      onToggle();
    });
    this.clear();
  }

  get isOpen() {
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
      this.#fact("depth", effort),
      this.#fact("score", known ? formatScore(score) : "–"),
      this.#fact("best line", pv.length ? pv.slice(0, 8).join(" ") : "–"),
    );
  }

  #fact(name, text) {
    return [h("dt", {}, name), h("dd", {}, text)];
  }
}

/** The moves of a principal variation as arrows, the first one strongest. */
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

// The actions after a game: a rematch, with sides swapped if wanted, and a review.

export class AfterGame {
  /** @param {(swapped: boolean) => void} onRematch called for a rematch, with the seats swapped or not. */
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
