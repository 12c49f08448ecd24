// A match or a study started from the page.

import { post } from "../shared/api.js";
import { AgentField } from "../shared/agent_field.js";
import { fill, h } from "../shared/dom.js";
import { Tabs } from "../shared/tabs.js";
import { counted, formatCount } from "./figures.js";

const QUICK = 1e-9; // one pair a meeting

export class Starting {
  /**
   * @param {object} catalogue the server's answer to GET /api/agents.
   * @param {object[]} studies the studies that can be started.
   */
  constructor(catalogue, studies) {
    this.problem = h("p.error", { role: "alert" });
    this.match = new MatchForm(catalogue, (body, mistake) => this.#start(body, mistake));
    this.study = new StudyForm(studies, (body) => this.#start(body));
    this.tabs = new Tabs("Start a run", [
      ["match", "Match", this.match.element],
      ["study", "Study", this.study.element],
    ]);
    this.element = h("section.card", {}, h("h2", {}, "Start a run"), this.tabs.element, this.problem);
  }

  async #start(body, mistake = "") {
    fill(this.problem, mistake);
    if (mistake) return;
    try {
      const { runs } = await post("/api/runs", body);
      location.assign(body.kind === "match" ? `/watch?run=${encodeURIComponent(runs[0])}` : "/watch");
    } catch (error) {
      fill(this.problem, error.message);
    }
  }
}

class MatchForm {
  constructor(catalogue, onStart) {
    this.first = new AgentField("First agent", "alphabeta:distance@nodes=1000", catalogue);
    this.second = new AgentField("Second agent", "alphabeta:improved@nodes=1000", catalogue);
    this.pairs = h("input", { type: "number", value: 100, min: 1, max: catalogue.limits.pairs });
    this.board = h("input", { type: "text", value: "7x7", maxlength: 5 });
    this.seed = h("input", { type: "number", value: 1, min: 0 });
    this.test = h("input", { type: "checkbox" });
    const field = (text, input) => h("label", {}, h("span.name-of", {}, text), input);
    this.element = h(
      "form.stack",
      {
        novalidate: true,
        onsubmit: (event) => {
          event.preventDefault();
          onStart(this.body, this.#mistake());
        },
      },
      h("fieldset", {}, h("legend", {}, "One agent"), this.first.element),
      h("fieldset", {}, h("legend", {}, "against another"), this.second.element),
      h(
        "div.three",
        {},
        field("Pairs of games", this.pairs),
        field("Board", this.board),
        field("Seed", this.seed),
      ),
      h("label.inline.small", {}, this.test, "stop as soon as 20 Elo are shown or ruled out"),
      h("button.main", { type: "submit" }, "Start the match"),
    );
  }

  /** What is wrong with the numbers, or nothing; agents and boards are the server's to judge. */
  #mistake() {
    const isWrong = ({ value, validity }) => !value || !validity.valid;
    if (isWrong(this.pairs))
      return `Pairs of games: expected a whole number from 1 to ${formatCount(this.pairs.max)}.`;
    return isWrong(this.seed) ? "Seed: expected a whole number from 0 up." : "";
  }

  get body() {
    return {
      kind: "match",
      first: this.first.spec,
      second: this.second.spec,
      pairs: Number(this.pairs.value),
      board: this.board.value.trim(),
      seed: Number(this.seed.value),
      test: this.test.checked ? [0, 20] : null,
    };
  }
}

class StudyForm {
  constructor(studies, onStart) {
    this.studies = studies;
    this.choice = h(
      "select",
      { "aria-label": "Study", onchange: () => this.#show() },
      studies.map(({ name, title }) => h("option", { value: name }, `${name}: ${title}`)),
    );
    this.part = h("select", { "aria-label": "Part" });
    this.about = h("p.small.quiet-text");
    this.quick = h("input", { type: "checkbox", checked: true });
    this.element = h(
      "form.stack",
      {
        onsubmit: (event) => {
          event.preventDefault();
          onStart(this.body);
        },
      },
      this.choice,
      this.about,
      this.part,
      h("label.inline.small", {}, this.quick, "quick: one pair of games a meeting"),
      h("button.main", { type: "submit", disabled: !studies.length }, "Start the study"),
    );
    if (studies.length) this.#show();
  }

  #show() {
    const { about, parts } = this.studies.find(({ name }) => name === this.choice.value);
    fill(this.about, about);
    fill(
      this.part,
      h("option", { value: "" }, "all parts"),
      parts.map(({ name, title, games }) => h("option", { value: name }, `${title}, ${counted(games, "game")}`)),
    );
  }

  get body() {
    return {
      kind: "study",
      study: this.choice.value,
      parts: this.part.value ? [this.part.value] : [],
      scale: this.quick.checked ? QUICK : 1,
    };
  }
}
