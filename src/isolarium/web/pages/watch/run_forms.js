// The forms that start runs of one's own: a match, a tournament, a sweep. A form has `element`, `body`, what the server
// is sent, and `isRight`, which has every field say what is wrong with it.

import { AgentField } from "../shared/agent_field.js";
import { h } from "../shared/dom.js";
import { Field, agentProblem, agentsField, boardField, numberField } from "./fields.js";

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

  /** @param {() => void} onStart called when the form is sent. */
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

  /** Whether all is right; what is not says so, and the first of it gets the focus. */
  async isRight() {
    const answers = await Promise.all(this.#fields.map((field) => field.isRight()));
    this.element.querySelector("[aria-invalid]")?.focus();
    return !answers.includes(false);
  }

  get conditions() {
    return { pairs: this.pairs.number, board: this.board.text, seed: this.seed.number };
  }
}

export class MatchForm extends Form {
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
      h("fieldset", {}, h("legend", {}, "One agent"), this.first.element),
      h("fieldset", {}, h("legend", {}, "against another"), this.second.element),
    );
  }

  /** A sequential test: the run ends once one bound is shown to be the better guess. */
  #addTest() {
    const number = (name, value, min, max) => {
      const field = numberField(name, { value, min, max, isWhole: false });
      const { check } = field;
      field.check = (text) => (this.test.checked ? check(text) : "");
      return this.add(field);
    };
    this.test = h("input", { type: "checkbox", onchange: () => this.#showTest() });
    this.low = number("No better: Elo", 0, -1000, 1000);
    this.high = number("Better: Elo", 20, -1000, 1000);
    const { check } = this.high;
    this.high.check = (text) =>
      check(text) || (this.test.checked && this.high.number <= this.low.number ? "Expected more than the other bound." : "");
    this.alpha = number("Risk of a false gain", 0.05, 0.001, 0.49);
    this.beta = number("Risk of a missed gain", 0.05, 0.001, 0.49);
    this.bounds = h("div.pair", {}, [this.low, this.high, this.alpha, this.beta].map(({ element }) => element));
    this.more = h(
      "div.stack",
      {},
      h("label.inline.small", {}, this.test, "stop as soon as one of two bounds is decided for (a sequential test)"),
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

export class TournamentForm extends Form {
  constructor(catalogue, onStart) {
    super(catalogue, 50);
    this.agents = this.add(agentsField("Agents, one a line", PLAYERS, true));
    this.against = this.add(agentsField("Only against these, if any", [], false));
    this.element = this.build(() => onStart(this), "Start the tournament", this.agents.element, this.against.element);
  }

  get body() {
    return { kind: "tournament", agents: this.agents.agents, against: this.against.agents, ...this.conditions };
  }
}

export class SweepForm extends Form {
  constructor(catalogue, onStart) {
    super(catalogue, 50);
    const input = h("input.spec", { type: "text", value: SWEPT, spellcheck: "false", autocapitalize: "off" });
    this.agent = this.add(new Field("Agent, with values in braces", input, sweptProblem));
    this.against = this.add(agentsField("Opponents, one a line", OPPONENTS, true));
    this.element = this.build(() => onStart(this), "Start the sweep", this.agent.element, this.against.element);
  }

  get body() {
    return { kind: "sweep", agent: this.agent.text, against: this.against.agents, ...this.conditions };
  }
}

const sweptProblem = (text) =>
  /\{[^{}]*[^{}\s][^{}]*\}/.test(text) ? "" : `Expected values in braces, such as {0|0.5|1} or {0..2 by 0.5}.`;
