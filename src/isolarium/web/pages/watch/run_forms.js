// The forms that start runs: a match, a tournament, a sweep or a study. Each field shows its error below itself. A form
// has `element`, `body` (the request to the server) and `isValid`, which checks every field.

import { NotationError, parseBoard } from "../game/notation.js";
import { MAX_SIDE, MIN_SIDE } from "../game/rules.js";
import { ApiError, post } from "../shared/api.js";
import { Tabs } from "../shared/controls.js";
import { fill, h } from "../shared/dom.js";
import { AgentField } from "../shared/levels.js";
import { counted, formatCount } from "./figures.js";

// Fields of the forms.

let made = 0;

class Field {
  /**
   * @param {string} name the label; empty if the field has its own.
   * @param {HTMLInputElement} input the input to mark as invalid.
   * @param {(text: string) => string|Promise<string>} check returns the problem with a text, or an empty text.
   * @param {HTMLElement} content the elements to show, if more than the input.
   */
  constructor(name, input, check, content = input) {
    this.input = input;
    this.check = check;
    this.problem = h("p.error.small", { id: `field-${++made}`, role: "alert" });
    const labelled = name ? h("label", {}, h("span.name-of", {}, name), content) : content;
    this.element = h("div.stack.field", {}, labelled, this.problem);
    input.addEventListener("input", () => this.say(""));
  }

  get text() {
    return this.input.value.trim();
  }

  /** The number in the field; NaN if it is not a number. */
  get number() {
    return this.text === "" ? NaN : Number(this.text);
  }

  /** Show a problem; an empty text clears it. */
  say(problem) {
    fill(this.problem, problem);
    if (problem) {
      this.input.setAttribute("aria-invalid", "true");
      this.input.setAttribute("aria-describedby", this.problem.id);
    } else {
      this.input.removeAttribute("aria-invalid");
      this.input.removeAttribute("aria-describedby");
    }
  }

  /** Check the value, and show the problem if it is invalid. */
  async isValid() {
    const problem = await this.check(this.text);
    this.say(problem);
    return !problem;
  }
}

/** A field for a number. */
function numberField(name, { value, min, max = Infinity, isWhole = true }) {
  const input = h("input", { type: "text", inputmode: isWhole ? "numeric" : "decimal", value });
  const end = Number.isFinite(max) ? `to ${formatCount(max)}` : "up";
  const expected = `${isWhole ? "a whole number" : "a number"} from ${formatCount(min)} ${end}`;
  return new Field(name, input, (text) => {
    const number = text === "" ? NaN : Number(text);
    const isValid = Number.isFinite(number) && number >= min && number <= max && (!isWhole || Number.isInteger(number));
    return isValid ? "" : `Enter ${expected}.`;
  });
}

/** A field for a board. */
function boardField() {
  return new Field("Board", h("input", { type: "text", value: "7x7", maxlength: 5 }), (text) => {
    try {
      parseBoard(text);
      return "";
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      return `Enter a board such as 7x7, with sides from ${MIN_SIDE} to ${MAX_SIDE}.`;
    }
  });
}

/** The server's error message for an agent's spec, or an empty text. */
async function agentProblem(agent) {
  if (!agent) return "Enter an agent's spec.";
  try {
    await post("/api/agent", { agent });
    return "";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.message;
  }
}

/** A field for several agents, one per line. */
function agentsField(name, agents, isNeeded) {
  const input = h("textarea.spec", { rows: 4, spellcheck: "false", autocapitalize: "off" });
  input.value = agents.join("\n");
  const field = new Field(name, input, async () => {
    if (!field.agents.length) return isNeeded ? "Enter an agent's spec on each line." : "";
    const problems = await Promise.all(field.agents.map(agentProblem));
    return problems.find(Boolean) ?? "";
  });
  Object.defineProperty(field, "agents", {
    get: () =>
      input.value
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean),
  });
  return field;
}

// The forms.

const SWEPT = "alphabeta:aggressive(weight={0|1|2|3})@nodes=1000";
const OPPONENTS = ["alphabeta:improved@nodes=1000"];
const PLAYERS = ["alphabeta:distance@nodes=1000", "alphabeta:improved@nodes=1000", "greedy:open"];

class Form {
  #fields = [];

  /** @param {object} catalogue the server's answer to GET /api/agents. */
  constructor(catalogue, pairs) {
    this.pairs = this.add(numberField("Pairs of games", { value: pairs, min: 1, max: catalogue.limits.pairs }));
    this.board = this.add(boardField());
    this.seed = this.add(numberField("Seed", { value: 1, min: 0 }));
  }

  add(field) {
    this.#fields.push(field);
    return field;
  }

  /** @param {() => void} onStart called when the form is submitted. */
  build(onStart, button, ...parts) {
    const conditions = [this.pairs, this.board, this.seed].map(({ element }) => element);
    const send = (event) => {
      event.preventDefault();
      onStart();
    };
    return h(
      "form.stack",
      { novalidate: true, onsubmit: send },
      parts,
      h("div.three", {}, conditions),
      this.more ?? null,
      h("button.main", { type: "submit" }, button),
    );
  }

  /** Check every field. Invalid ones show why, and the first of them gets the focus. */
  async isValid() {
    const answers = await Promise.all(this.#fields.map((field) => field.isValid()));
    this.element.querySelector("[aria-invalid]")?.focus();
    return !answers.includes(false);
  }

  get conditions() {
    return { pairs: this.pairs.number, board: this.board.text, seed: this.seed.number };
  }
}

class MatchForm extends Form {
  constructor(catalogue, onStart) {
    super(catalogue, 100);
    const agent = (name, spec) => {
      const field = new AgentField(name, spec, catalogue);
      return this.add(new Field("", field.input, agentProblem, field.element));
    };
    this.first = agent("First agent", "alphabeta:distance@nodes=1000");
    this.second = agent("Second agent", "alphabeta:improved@nodes=1000");
    this.#addTest();
    this.element = this.build(
      () => onStart(this),
      "Start the match",
      h("fieldset", {}, h("legend", {}, "First agent"), this.first.element),
      h("fieldset", {}, h("legend", {}, "Second agent"), this.second.element),
    );
  }

  /** A sequential test: the run ends once it accepts one of two bounds. */
  #addTest() {
    const number = (name, value, min, max) => {
      const field = numberField(name, { value, min, max, isWhole: false });
      const { check } = field;
      field.check = (text) => (this.test.checked ? check(text) : "");
      return this.add(field);
    };
    this.test = h("input", { type: "checkbox", onchange: () => this.#showTest() });
    this.low = number("Lower bound, Elo", 0, -1000, 1000);
    this.high = number("Upper bound, Elo", 20, -1000, 1000);
    const { check } = this.high;
    this.high.check = (text) =>
      check(text) || (this.test.checked && this.high.number <= this.low.number ? "Enter a number above the lower bound." : "");
    this.alpha = number("False positive rate", 0.05, 0.001, 0.49);
    this.beta = number("False negative rate", 0.05, 0.001, 0.49);
    this.bounds = h("div.pair", {}, [this.low, this.high, this.alpha, this.beta].map(({ element }) => element));
    this.more = h(
      "div.stack",
      {},
      h("label.inline.small", {}, this.test, "stop early with a sequential test"),
      this.bounds,
    );
    this.#showTest();
  }

  #showTest() {
    this.bounds.hidden = !this.test.checked;
  }

  get body() {
    const test = this.test.checked && {
      test: [this.low.number, this.high.number],
      alpha: this.alpha.number,
      beta: this.beta.number,
    };
    return { kind: "match", first: this.first.text, second: this.second.text, ...this.conditions, ...test };
  }
}

class TournamentForm extends Form {
  constructor(catalogue, onStart) {
    super(catalogue, 50);
    this.agents = this.add(agentsField("Agents, one per line", PLAYERS, true));
    this.against = this.add(agentsField("Opponents, one per line (optional)", [], false));
    this.element = this.build(() => onStart(this), "Start the tournament", this.agents.element, this.against.element);
  }

  get body() {
    return { kind: "tournament", agents: this.agents.agents, against: this.against.agents, ...this.conditions };
  }
}

class SweepForm extends Form {
  constructor(catalogue, onStart) {
    super(catalogue, 50);
    const input = h("input.spec", { type: "text", value: SWEPT, spellcheck: "false", autocapitalize: "off" });
    this.agent = this.add(new Field("Agent, with values in braces", input, sweptProblem));
    this.against = this.add(agentsField("Opponents, one per line", OPPONENTS, true));
    this.element = this.build(() => onStart(this), "Start the sweep", this.agent.element, this.against.element);
  }

  get body() {
    return { kind: "sweep", agent: this.agent.text, against: this.against.agents, ...this.conditions };
  }
}

const sweptProblem = (text) =>
  /\{[^{}]*[^{}\s][^{}]*\}/.test(text) ? "" : "Enter values in braces, such as {0|0.5|1} or {0..2 by 0.5}.";

// The card with the forms.

const QUICK = 1e-9; // one pair per encounter

export class RunStarter {
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
    this.element = h(
      "section.card",
      {},
      h("h2", {}, "Start a run"),
      this.tabs.element,
      this.problem,
      h("p.small", {}, "Or ", h("a", { href: "/write" }, "write a heuristic"), " and let it play."),
    );
  }

  async #startFilled(form) {
    fill(this.problem);
    if (await form.isValid()) await this.#start(form.body);
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
      h("label.inline.small", {}, this.quick, "quick: one pair of games per encounter"),
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
