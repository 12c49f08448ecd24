// The choice of an agent: a slider from weak to strong in plain words, and the full spec beside it.

import { h, setText } from "./dom.js";

let made = 0;

export class AgentField {
  /**
   * @param {string} name what the agent is called here, for those who do not see the page.
   * @param {string} spec the agent at first.
   * @param {object} catalogue the server's answer to GET /api/agents.
   */
  constructor(name, spec, { levels, searches }) {
    this.levels = levels;
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
    const examples = searches.map(({ example, about }) => h("option", { value: example }, about));
    this.element = h(
      "div.stack",
      {},
      this.slider,
      this.words,
      this.input,
      h("datalist", { id: list }, examples),
    );
    this.slider.addEventListener("input", () => {
      this.input.value = this.levels[this.slider.value - 1].agent;
      this.#describe();
    });
    this.input.addEventListener("input", () => this.#describe());
    this.spec = spec;
  }

  get spec() {
    return this.input.value.trim();
  }

  set spec(text) {
    this.input.value = text;
    this.#describe();
  }

  #describe() {
    const level = this.levels.find(({ agent }) => agent === this.spec);
    if (level) this.slider.value = level.level;
    this.slider.classList.toggle("unset", !level);
    const words = level
      ? `Level ${level.level}, ${level.name}: ${level.about}`
      : "An agent of your own choice";
    setText(this.words, words);
    this.slider.setAttribute("aria-valuetext", words);
  }
}
