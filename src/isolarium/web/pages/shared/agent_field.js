// The choice of an agent: a slider from weak to strong, and the full spec below it.

import { h, setText } from "./dom.js";
import { levelName, levelOf, levelWords } from "./levels.js";

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
