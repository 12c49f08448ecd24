// The form for the next game: the board, the players, and the opening.

import { colourName } from "../board/messages.js";
import { pieceIcon } from "../board/shapes.js";
import { EXAMPLE, NotationError, parseStart } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { PERSON } from "../shared/address.js";
import { checkAgent } from "../shared/answers.js";
import { ApiError, post } from "../shared/api.js";
import { BoardSize } from "../shared/controls.js";
import { h, setText } from "../shared/dom.js";
import { AgentField, USUAL_AGENT } from "../shared/levels.js";
import { randomOpening } from "./session.js";

const STARTERS = [
  ["you", "you"],
  ["agent", "the agent"],
  ["lot", "at random"],
];
const OPENINGS = [
  ["click", "placed by the players"],
  ["random", "drawn at random"],
  ["position", "from a position"],
];

export class Setup {
  /**
   * @param {import("./session.js").Session} session the current game.
   * @param {object} catalogue the server's answer to GET /api/agents.
   * @param {(game: {start: Position, moves: number[], seats: string[]}) => void} onStart
   */
  constructor(session, catalogue, onStart) {
    this.onStart = onStart;
    this.sides = new BoardSize(session.start.rows, session.start.cols);
    this.seats = [0, 1].map((player) => new Seat(player, session.seats[player], catalogue));
    this.text = h("input.spec", {
      type: "text",
      placeholder: EXAMPLE,
      "aria-label": "Position",
      spellcheck: "false",
      hidden: true,
    });
    this.openings = OPENINGS.map(([value]) =>
      h("input", { type: "radio", name: "opening", value, checked: value === "click" }),
    );
    this.starters = STARTERS.map(([value]) => h("input", { type: "radio", name: "starter", value }));
    this.starterFields = h(
      "fieldset",
      {},
      h("legend", {}, "Who starts"),
      h("div.row", {}, this.#labelled(this.starters, STARTERS)),
    );
    this.problem = h("p.error", { role: "alert" });
    this.element = this.#build();
    this.element.addEventListener("change", ({ target }) => {
      this.text.hidden = this.opening !== "position";
      if (this.starters.includes(target)) this.#seatStarter();
      this.#showStarter();
    });
    this.#showStarter();
    this.element.addEventListener("input", () => this.#showBoard());
    this.#showBoard();
    this.element.addEventListener("submit", async (event) => {
      event.preventDefault();
      setText(this.problem, await this.start());
    });
  }

  #build() {
    const openings = this.#labelled(this.openings, OPENINGS);
    return h(
      "form.stack",
      { novalidate: true },
      h("fieldset", {}, h("legend", {}, "Board, rows by columns"), this.sides.element),
      this.starterFields,
      this.seats.map(({ element }) => element),
      h("fieldset", {}, h("legend", {}, "Opening"), h("div.row", {}, openings), this.text),
      this.problem,
      h("button.main", { type: "submit" }, "New game"),
    );
  }

  #labelled(inputs, choices) {
    return inputs.map((input, at) => h("label.inline", {}, input, choices[at][1]));
  }

  get opening() {
    return this.openings.find(({ checked }) => checked).value;
  }

  get starter() {
    return this.starters.find(({ checked }) => checked)?.value;
  }

  /** Whether a person plays an agent and can choose who starts. */
  get #isMixed() {
    return this.seats.filter(({ value }) => value === PERSON).length === 1;
  }

  /** Seat the chosen starter first. */
  #seatStarter() {
    if (this.starter === "lot") return;
    const personStarts = this.seats[0].value === PERSON;
    if (personStarts !== (this.starter === "you")) this.#seat([this.seats[1].value, this.seats[0].value]);
  }

  #seat(specs) {
    this.seats.forEach((seat, player) => (seat.value = specs[player]));
  }

  #showStarter() {
    this.starterFields.hidden = !this.#isMixed;
    if (this.starter === "lot" || !this.#isMixed) return;
    const starts = this.seats[0].value === PERSON ? "you" : "agent";
    for (const input of this.starters) input.checked = input.value === starts;
  }

  /** Show the strength of the agents on the chosen board. */
  #showBoard() {
    for (const { agent } of this.seats) agent.showFor(this.sides.name);
  }

  /** Show the board and the seats of a game. */
  show({ start, seats }) {
    this.sides.show(start.rows, start.cols);
    this.#seat(seats);
    this.#showBoard();
    this.#showStarter();
  }

  /** Start the game that the form describes. Returns the problem, or an empty text. */
  async start() {
    try {
      const start = this.#startPosition();
      const moves = this.opening === "random" ? randomOpening(start) : [];
      const seats = this.seats.map(({ value }) => value);
      if (this.#isMixed && this.starter === "lot" && Math.random() < 0.5) seats.reverse();
      const agents = seats.filter((seat) => seat !== PERSON);
      await Promise.all(agents.map((agent) => checkAgent(agent, () => post("/api/agent", { agent }))));
      setText(this.problem, "");
      this.onStart({ start, moves, seats });
      return "";
    } catch (error) {
      if (!(error instanceof NotationError || error instanceof ApiError)) throw error;
      return error.message;
    }
  }

  #startPosition() {
    if (this.opening === "position") return this.#givenPosition();
    return Position.empty(...this.sides.read());
  }

  #givenPosition() {
    const text = this.text.value.trim();
    if (/[/x]/.test(text)) return parseStart(text);
    throw new NotationError(`${text && `position '${text}': `}expected a position such as ${EXAMPLE}`);
  }
}

/** The player of one side: a person, or an agent at a level. */
class Seat {
  constructor(player, value, catalogue) {
    const name = colourName(player);
    this.agent = new AgentField(name, value === PERSON ? USUAL_AGENT : value, catalogue);
    this.kind = h(
      "select",
      { "aria-label": `${name} is played by` },
      h("option", { value: PERSON }, "a person"),
      h("option", { value: "agent" }, "an agent"),
    );
    this.kind.addEventListener("change", () => this.#show());
    this.element = h(
      "fieldset",
      {},
      h(
        "div.seat",
        {},
        pieceIcon(player),
        h("span", {}, player === 0 ? "Blue, first" : "Orange, second"),
        this.kind,
      ),
      this.agent.element,
    );
    this.value = value;
  }

  #show() {
    this.agent.element.hidden = this.kind.value === PERSON;
  }

  get value() {
    return this.kind.value === PERSON ? PERSON : this.agent.spec;
  }

  set value(value) {
    this.kind.value = value === PERSON ? PERSON : "agent";
    if (value !== PERSON) this.agent.spec = value;
    this.#show();
  }
}
