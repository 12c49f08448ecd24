// How the next game is to be: the board, who plays, and how it opens.

import { pieceIcon } from "../board/drawing.js";
import { colourName } from "../board/words.js";
import { NotationError, parseStart } from "../game/notation.js";
import { MAX_SIDE, MIN_SIDE, Position } from "../game/rules.js";
import { AgentField } from "../shared/agent_field.js";
import { ApiError, post } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { PERSON, randomOpening } from "./session.js";

const OPENINGS = [
  ["click", "placed by the players"],
  ["random", "drawn by lot"],
  ["position", "from a position"],
];

export class Setup {
  /**
   * @param {import("./session.js").Session} session what is played now.
   * @param {object} catalogue the server's answer to GET /api/agents.
   * @param {(game: {start: Position, moves: number[], seats: string[]}) => void} onStart
   */
  constructor(session, catalogue, onStart) {
    this.onStart = onStart;
    const side = (name, value) =>
      h("input", { type: "number", min: MIN_SIDE, max: MAX_SIDE, value, required: true, "aria-label": name });
    this.rows = side("Rows", session.start.rows);
    this.cols = side("Columns", session.start.cols);
    this.seats = [0, 1].map((player) => new Seat(player, session.seats[player], catalogue));
    this.text = h("input.spec", {
      type: "text",
      placeholder: "7/7/2A4/3x3/4B2/7/7 a",
      "aria-label": "Position",
      spellcheck: "false",
      hidden: true,
    });
    this.openings = OPENINGS.map(([value]) =>
      h("input", { type: "radio", name: "opening", value, checked: value === "click" }),
    );
    this.problem = h("p.error", { role: "alert" });
    this.element = this.#build();
    this.element.addEventListener("change", () => (this.text.hidden = this.opening !== "position"));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.start();
    });
  }

  #build() {
    const openings = this.openings.map((input, at) => h("label.inline", {}, input, OPENINGS[at][1]));
    return h(
      "form.stack",
      { novalidate: true },
      h(
        "fieldset",
        {},
        h("legend", {}, "Board, rows by columns"),
        h("div.sides", {}, this.rows, h("span", { "aria-hidden": "true" }, "×"), this.cols),
      ),
      this.seats.map(({ element }) => element),
      h("fieldset", {}, h("legend", {}, "Opening"), h("div.row", {}, openings), this.text),
      this.problem,
      h("button.main", { type: "submit" }, "Start this game"),
    );
  }

  get opening() {
    return this.openings.find(({ checked }) => checked).value;
  }

  /** Show who sits where, after they changed. */
  showSeats(seats) {
    this.seats.forEach((seat, player) => (seat.value = seats[player]));
  }

  /** Begin the game that the form describes, or say what is wrong with it. */
  async start() {
    try {
      const start = this.#startPosition();
      const moves = this.opening === "random" ? randomOpening(start) : [];
      const seats = this.seats.map(({ value }) => value);
      const agents = seats.filter((seat) => seat !== PERSON);
      await Promise.all(agents.map((agent) => post("/api/agent", { agent })));
      this.problem.textContent = "";
      this.onStart({ start, moves, seats });
    } catch (error) {
      if (!(error instanceof NotationError || error instanceof ApiError)) throw error;
      this.problem.textContent = error.message;
    }
  }

  #startPosition() {
    if (this.opening === "position") return parseStart(this.text.value);
    return parseStart(`${this.rows.value}x${this.cols.value}`);
  }
}

/** Who plays one side: a person, or an agent at a level. */
class Seat {
  constructor(player, value, catalogue) {
    const name = colourName(player);
    const usual = catalogue.levels[Math.floor(catalogue.levels.length / 2)].agent;
    this.agent = new AgentField(name, value === PERSON ? usual : value, catalogue);
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
