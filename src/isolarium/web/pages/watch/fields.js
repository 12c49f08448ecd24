// Fields of the forms that start runs: each says below itself what is wrong with it.

import { NotationError, parseBoard } from "../game/notation.js";
import { MAX_SIDE, MIN_SIDE } from "../game/rules.js";
import { ApiError, post } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { formatCount } from "./figures.js";

let made = 0;

export class Field {
  /**
   * @param {string} name above the field; none where the field has one of its own.
   * @param {HTMLInputElement} input what is marked when it is wrong.
   * @param {(text: string) => string|Promise<string>} check from the text to what is wrong with it, or nothing.
   * @param {HTMLElement} content what is shown, where that is more than the input.
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

  /** The number that was typed; NaN if it is none. */
  get number() {
    return this.text === "" ? NaN : Number(this.text);
  }

  /** Say what is wrong with it, or that nothing is. */
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

  /** Whether it is right; if it is not, it says why. */
  async isRight() {
    const problem = await this.check(this.text);
    this.say(problem);
    return !problem;
  }
}

/** A field for a number. */
export function numberField(name, { value, min, max = Infinity, isWhole = true }) {
  const input = h("input", { type: "text", inputmode: isWhole ? "numeric" : "decimal", value });
  const end = Number.isFinite(max) ? `to ${formatCount(max)}` : "up";
  const expected = `${isWhole ? "a whole number" : "a number"} from ${formatCount(min)} ${end}`;
  return new Field(name, input, (text) => {
    const number = text === "" ? NaN : Number(text);
    const isRight = Number.isFinite(number) && number >= min && number <= max && (!isWhole || Number.isInteger(number));
    return isRight ? "" : `Expected ${expected}.`;
  });
}

/** A field for a board. */
export function boardField() {
  return new Field("Board", h("input", { type: "text", value: "7x7", maxlength: 5 }), (text) => {
    try {
      parseBoard(text);
      return "";
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      return `Expected a board such as 7x7, sides from ${MIN_SIDE} to ${MAX_SIDE}.`;
    }
  });
}

/** What the server says is wrong with an agent's spec, or nothing. */
export async function agentProblem(agent) {
  if (!agent) return "Expected an agent's spec.";
  try {
    await post("/api/agent", { agent });
    return "";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.message;
  }
}

/** A field for several agents, one a line. */
export function agentsField(name, agents, isNeeded) {
  const input = h("textarea.spec", { rows: 4, spellcheck: "false", autocapitalize: "off" });
  input.value = agents.join("\n");
  const field = new Field(name, input, async () => {
    if (!field.agents.length) return isNeeded ? "Expected an agent's spec on each line." : "";
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
