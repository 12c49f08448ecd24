// Levels of play with their names, strengths and faces, the field to choose an agent, and links from any position to Play
// and back.

import { formatStart } from "../game/notation.js";
import { PERSON, addressOf, currentPlace, writeAddress } from "./address.js";
import { h, setText, svg } from "./dom.js";

/** @param {{level: number, name: string}} level one of the server's levels of play. */
export function levelName({ level, name }) {
  return `Level ${level} · ${name}`;
}

/** The level that uses an agent, if any. */
export function levelOf(spec, levels) {
  return levels.find(({ agent }) => agent === spec);
}

/** The name of an agent's level, or its spec if it is not a level. */
export function agentName(spec, levels) {
  const level = levelOf(spec, levels);
  return level ? levelName(level) : spec;
}

/** How a level plays, and its strength on a board such as 7x7 if it was measured there. */
export function levelWords({ level, about, elo }, board) {
  const known = level > 1 && elo[board] !== undefined;
  return known ? `${about}; ${elo[board]} Elo above level 1 on ${board}` : about;
}

// The levels' faces: the eyes narrow and the brows sink with strength, and the strongest wears a crown.

const EYES = [2, 1.9, 1.8, 1.7, 1.6, 1.5, 1.5]; // radii
const MOUTHS = [
  "M10 15.5a2 2.2 0 1 0 4 0a2 2.2 0 1 0 -4 0",
  "M9 15q3 3.4 6 0",
  "M8.5 15q3.5 2.6 7 0",
  "M9 15.8h6",
  "M9 15.6q3.4 1.2 6 -.8",
  "M9.5 16h5",
  "M8.5 15q3.5 2 7 0",
];
const BROWS = [-0.9, -0.5, 0, 0, 0.6, 1.1, 0.6]; // how far they sink towards the nose
const CROWN = "M6.5 6.2L6 1.4L9.4 4L12 .6L14.6 4L18 1.4L17.5 6.2Z";

/** A level's face as an icon. */
export function levelFace({ level }) {
  const at = Math.min(level, EYES.length) - 1;
  const face = svg("svg.face", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  const brow = BROWS[at];
  face.append(
    svg("circle.skin", { cx: 12, cy: 12.5, r: 10 }),
    ...[8.4, 15.6].map((x) => svg("circle.eye", { cx: x, cy: 11.2, r: EYES[at] })),
    svg("path.drawn", { d: `M6.4 ${7.2 - brow}L10.2 ${7.2 + brow}M17.6 ${7.2 - brow}L13.8 ${7.2 + brow}${MOUTHS[at]}` }),
  );
  if (at === EYES.length - 1) face.append(svg("path.crown", { d: CROWN }));
  return face;
}

// Links from any position to Play, and back.

/** The default agent, until the server has sent its levels. */
export const USUAL_AGENT = "mcts@nodes=100";
const BACK = { analyse: "Back to the analysis", watch: "Back to the run", learn: "Back to the lesson" };

/** A link to play from a position, as the player to move; null if the game is over. */
export function playFrom(position, text = "Play from here") {
  if (position.winner() !== null) return null;
  const game = `${formatStart(position)}:`;
  const [first, second] = position.toMove === 0 ? [PERSON, USUAL_AGENT] : [USUAL_AGENT, PERSON];
  const here = () => `/${currentPlace()}${location.search}`;
  const href = () => addressOf("play", writeAddress({ game, first, second, from: here() }));
  const link = h("a.button", { href: href() }, text);
  link.addEventListener("pointerdown", () => (link.href = href())); // the address may have changed since
  return link;
}

/** The link back to the page the visitor came from; null if it is not one of Isolarium's. */
export function linkBack(from) {
  const place = /^\/(analyse|watch|learn)(\?.*)?$/.exec(from ?? "");
  return place && h("a", { href: addressOf(place[1], place[2]) }, `‹ ${BACK[place[1]]}`);
}

// The field to choose an agent: a slider from weak to strong, and the full spec below it.

let made = 0;

export class AgentField {
  /**
   * @param {string} name the agent's accessible name.
   * @param {string} spec the initial agent.
   * @param {object} catalogue the server's answer to GET /api/agents.
   */
  constructor(name, spec, { levels, searches, guests }) {
    this.levels = levels;
    this.board = ""; // the board it plays on, if known
    const list = `agents-${++made}`;
    this.slider = h("input", {
      type: "range",
      min: 1,
      max: levels.length,
      step: 1,
      value: Math.ceil(levels.length / 2),
      "aria-label": `${name}: level`,
    });
    this.words = h("p.small.quiet-text", { "aria-live": "polite" });
    this.input = h("input.spec", {
      type: "text",
      list,
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      maxlength: 300,
      "aria-label": `${name}: agent spec`,
    });
    this.fileAgents = h(
      "select",
      { "aria-label": `${name}: agents in files`, hidden: !guests.length },
      h("option", { value: "" }, "or an agent from a file…"),
      guests.map((spec) => h("option", { value: spec, title: spec }, fileName(spec))),
    );
    const examples = searches.map(({ example, about }) => h("option", { value: example }, about));
    this.element = h(
      "div.stack",
      {},
      this.slider,
      this.words,
      this.input,
      this.fileAgents,
      h("datalist", { id: list }, examples),
    );
    this.slider.addEventListener("input", () => {
      this.input.value = this.levels[this.slider.value - 1].agent;
      this.#describe();
    });
    this.input.addEventListener("input", () => this.#describe());
    this.fileAgents.addEventListener("input", () => {
      if (this.fileAgents.value) this.spec = this.fileAgents.value;
    });
    this.spec = spec;
  }

  get spec() {
    return this.input.value.trim();
  }

  set spec(text) {
    this.input.value = text;
    this.#describe();
  }

  /** Show how strong a level is on a board such as 7x7. */
  showFor(board) {
    this.board = board;
    this.#describe();
  }

  #describe() {
    const level = levelOf(this.spec, this.levels);
    if (level) this.slider.value = level.level;
    this.slider.classList.toggle("unset", !level);
    const words = level
      ? `${levelName(level)}: ${levelWords(level, this.board)}`
      : "Custom agent";
    setText(this.words, words);
    const isListed = [...this.fileAgents.options].some(({ value }) => value === this.spec);
    this.fileAgents.value = isListed ? this.spec : "";
    this.slider.setAttribute("aria-valuetext", words);
  }
}

/** The folder and file of an agent; the rest of the path means nothing to visitors. */
function fileName(spec) {
  return spec.replace(/^(course|agent):/, "").split("/").slice(-2).join("/");
}
