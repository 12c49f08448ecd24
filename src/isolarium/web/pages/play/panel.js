// The parts of Play's panel: the offer to continue a game, the opponent, the speed, the agent's search report, and
// the actions after a game.

import { PLAYERS } from "../game/rules.js";
import { formatPlies, formatScore } from "../game/values.js";
import { ratingOn, resultsAgainst, streakOf } from "../notebook/notebook.js";
import { readNotebook, saveNotebook } from "../notebook/notebook_store.js";
import { FIRST_MISTAKE, addressOf, writeAddress } from "../shared/address.js";
import { fill, h, setText } from "../shared/dom.js";
import { agentName, levelFace, levelName, levelOf, levelWords } from "../shared/levels.js";
import { recall, remember } from "../shared/storage.js";

// The game that a visitor left unfinished. The browser keeps its address until it is over.

const UNFINISHED = "unfinished";

export class UnfinishedGame {
  constructor() {
    this.words = h("p");
    this.resume = h("a.button.main", { href: addressOf("play") }, "Continue");
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
    this.resume.href = addressOf("play", this.address);
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

// The opponent: a chip for each level, and the spec of an agent that is not a level.

export class Opponent {
  #chips = new Map(); // the radio buttons, by the agent's spec

  /** @param {(spec: string) => void} onChange called with the agent that takes over. */
  constructor(onChange) {
    this.onChange = onChange;
    this.chips = h("div.chips");
    this.words = h("p.small.quiet-text.how");
    this.element = h("fieldset", { hidden: true }, h("legend", {}, "Opponent"), this.chips, this.words);
  }

  /** Offer the levels, and show which one plays, or the spec of another agent. */
  show({ start, seats, persons, outcome }, levels) {
    this.element.hidden = persons.length !== 1 || !levels.length || Boolean(outcome);
    if (this.element.hidden) return;
    if (!this.#chips.size) this.#build(levels);
    const spec = seats[1 - persons[0]];
    const level = levelOf(spec, levels);
    const { badges } = readNotebook().notebook;
    for (const [agent, chip] of this.#chips) {
      chip.checked = agent === spec;
      chip.parentElement.classList.toggle("beaten", agent in badges);
    }
    setText(this.words, level ? levelWords(level, `${start.rows}x${start.cols}`) : `Custom agent: ${spec}`);
  }

  #build(levels) {
    const chip = (level) => {
      const { agent, name } = level;
      const input = h("input", { type: "radio", name: "opponent", "aria-label": levelName(level), onchange: () => this.onChange(agent) });
      this.#chips.set(agent, input);
      return h("label.chip", { title: agent }, input, levelFace(level), h("span", {}, name));
    };
    fill(this.chips, levels.map(chip));
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
      "details",
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
  /**
   * @param {(swapped: boolean, agent?: string) => void} onRematch called for another game, with the seats swapped or not,
   *   and with the agent of the next level if that was chosen.
   */
  constructor(onRematch) {
    const button = (text, swapped, agent) =>
      h("button", { type: "button", onclick: () => onRematch(swapped, agent?.()) }, text);
    this.review = h("a.button", { href: addressOf("learn"), title: "key m" }, "Review my mistakes");
    this.analyse = h("a.button", { href: addressOf("analyse") }, "Analyse this game");
    this.rematch = button("Rematch", false);
    this.rematch.classList.add("main");
    this.next = button("Next level", false, () => this.next.value);
    this.badge = h("p.badge", { "aria-live": "polite" });
    const actions = [this.rematch, button("Swap and rematch", true), this.next, this.review, this.analyse];
    this.element = h("div", {}, this.badge, h("div.row", {}, actions));
  }

  show({ outcome, persons, seats, text, helped }, levels) {
    this.element.hidden = !outcome;
    this.#showBadge(outcome && !helped && persons.length === 1 ? levelOf(seats[1 - persons[0]], levels) : null, levels);
    this.review.hidden = persons.length !== 1;
    const player = PLAYERS[persons[0]];
    this.review.href = addressOf("learn", writeAddress({ sheet: "mistakes", game: text, player }));
    this.analyse.href = addressOf("analyse", writeAddress({ game: text, at: FIRST_MISTAKE }));
  }

  /** Show how far the badge of a level is, and offer the next level once it is earned. */
  #showBadge(level, levels) {
    const { badge, missing, won, lost } = level ? resultsAgainst(readNotebook().notebook, level.agent) : {};
    this.badge.hidden = !level || !(won + lost);
    const next = badge && levels[level.level];
    this.next.hidden = !next;
    if (next) {
      this.next.value = next.agent;
      setText(this.next, `Play ${levelName(next)}`);
    }
    if (!level) return;
    const more = `${missing} more ${missing === 1 ? "win" : "wins in a row"}`;
    setText(this.badge, badge ? `★ You have the badge of ${level.name}.` : `${more} against ${level.name} to earn its badge.`);
  }
}

/** A number with a minus sign rather than a hyphen. */
const signed = (number) => String(number).replace("-", "−");

// The ladder: results against every level, badges, rating and streak.

export class LadderCard {
  constructor() {
    this.rating = h("p");
    this.rows = h("tbody");
    const heads = ["Level", "Won", "Lost", "Badge"].map((text, at) => h(at % 3 ? "th.figure" : "th", { scope: "col" }, text));
    this.title = h("summary", {}, "Your ladder");
    this.element = h(
      "details.card",
      { hidden: true },
      this.title,
      this.rating,
      h("table", {}, h("thead", {}, h("tr", {}, heads)), this.rows),
      h(
        "p.small.quiet-text",
        {},
        "Two wins within three consecutive games against a level earn its badge. Games on an empty 7x7 or 9x9 board count, without hints, moves taken back or a change of opponent. Everything stays in this browser.",
      ),
      h("button", { type: "button", onclick: () => saveNotebook() }, "Download"),
    );
  }

  show({ start, persons }, levels) {
    const { notebook } = readNotebook();
    const results = levels.map((level) => [level, resultsAgainst(notebook, level.agent)]);
    const isBegun = results.some(([, { won, lost }]) => won + lost);
    this.element.hidden = persons.length !== 1 || !isBegun;
    if (this.element.hidden) return;
    const board = start.cols === 9 && start.rows === 9 ? "9x9" : "7x7";
    const found = ratingOn(board, notebook, levels);
    const badges = results.filter(([, { badge }]) => badge).length;
    const { now, best } = streakOf(notebook);
    const counts = `${badges} of ${levels.length} badges · ${now} won in a row, at best ${best}`;
    setText(
      this.rating,
      found
        ? `Rating on ${board}: ${signed(found.rating)}, from ${signed(found.low)} to ${signed(found.high)} (95%, ${found.games} ${found.games === 1 ? "game" : "games"}), in Elo above level 1. ${counts}.`
        : `${counts}.`,
    );
    setText(this.title, found ? `Your ladder: ${signed(found.rating)} Elo, ${badges} ${badges === 1 ? "badge" : "badges"}` : "Your ladder");
    fill(
      this.rows,
      results.map(([level, { won, lost, badge }]) =>
        h(
          "tr",
          {},
          h("td", {}, levelName(level)),
          h("td.figure", {}, String(won)),
          h("td.figure", {}, String(lost)),
          h("td", {}, badge ? `★ ${badge}` : "–"),
        ),
      ),
    );
  }
}
