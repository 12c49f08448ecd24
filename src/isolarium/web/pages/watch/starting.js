// A run started from the page: a match, a tournament, a sweep or a study.

import { post } from "../shared/api.js";
import { Tabs } from "../shared/controls.js";
import { fill, h } from "../shared/dom.js";
import { counted } from "./figures.js";
import { MatchForm, SweepForm, TournamentForm } from "./run_forms.js";

const QUICK = 1e-9; // one pair a meeting

export class Starting {
  /**
   * @param {object} catalogue the server's answer to GET /api/agents.
   * @param {object[]} studies the studies that can be started.
   */
  constructor(catalogue, studies) {
    this.problem = h("p.error", { role: "alert" });
    const form = (Kind) => new Kind(catalogue, (filled) => this.#startFilled(filled)).element;
    this.tabs = new Tabs("Start a run", [
      ["match", "Match", form(MatchForm)],
      ["tournament", "Tournament", form(TournamentForm)],
      ["sweep", "Sweep", form(SweepForm)],
      ["study", "Study", new StudyForm(studies, (body) => this.#start(body)).element],
    ]);
    this.tabs.element.addEventListener("sheet", () => fill(this.problem));
    this.element = h("section.card", {}, h("h2", {}, "Start a run"), this.tabs.element, this.problem);
  }

  async #startFilled(form) {
    fill(this.problem);
    if (await form.isRight()) await this.#start(form.body);
  }

  async #start(body) {
    try {
      const { runs } = await post("/api/runs", body);
      location.assign(body.kind === "study" ? "/watch" : `/watch?run=${encodeURIComponent(runs[0])}`);
    } catch (error) {
      fill(this.problem, error.message);
    }
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
