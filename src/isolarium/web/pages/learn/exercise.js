// A position in which somebody looks for a move that wins: hints by degrees, the try, and what comes of a wrong one.

import { refusal } from "../board/messages.js";
import { formatSquare, formatStart, parseSquare } from "../game/notation.js";
import { GameTree } from "../game/tree.js";
import { DEGREES, hintOf } from "./hints.js";
import { Refutation, lineText, shownLine } from "./refutation.js";

export class Finding {
  #values;
  #question;
  #agent;
  #draw;

  /**
   * @param {object} position
   * @param {import("../analyse/game_judge.js").PositionValues} values who knows what moves are worth.
   * @param {Promise<string>} agent who refutes a wrong move.
   * @param {() => void} draw called while a wrong move is refuted.
   */
  constructor(position, values, agent, draw) {
    this.position = position;
    this.tried = null;
    this.value = ""; // of the move that was tried: "wins", "loses" or "unknown"
    this.degree = 0; // of the hints
    this.refutation = null;
    this.#values = values;
    this.#question = { game: formatStart(position) };
    this.#agent = agent;
    this.#draw = draw;
    values.ask(this.#question);
  }

  /** What the position's moves are worth; null while that is not known. */
  get known() {
    return this.#values.of(this.#question);
  }

  /** The moves that are known to win. */
  get right() {
    const { position, known } = this;
    const winning = known?.moves.filter(({ value }) => value === "wins") ?? [];
    return winning.map(({ move }) => parseSquare(move, position.rows, position.cols));
  }

  /** Whether a move can be tried now. */
  get isOpen() {
    return Boolean(this.known?.moves.length) && this.tried === null;
  }

  get hint() {
    return hintOf(this.position, this.right, this.tried === null ? this.degree : 0);
  }

  get triedName() {
    return formatSquare(this.tried, this.position.cols);
  }

  /** Plies to the end after the move that was tried; null if not known. */
  get plies() {
    return this.known.moves.find(({ move }) => move === this.triedName).plies;
  }

  /** That the move was wrong, and how its refutation stands. */
  get wrongText() {
    return `No: ${this.triedName} loses. ${lineText(this.refutation)}`;
  }

  /** Try a move; why it cannot be tried, or nothing. */
  choose(square) {
    const { position } = this;
    if (this.tried !== null) return "";
    if (!position.isLegal(square)) return refusal(position, square);
    if (!this.known) return "The position is still being solved.";
    this.tried = square;
    this.value = this.known.moves.find(({ move }) => move === this.triedName).value;
    if (this.value === "loses") {
      this.refutation = new Refutation(new GameTree(position, [square]), this.#agent, this.#draw);
      this.refutation.play();
    }
    return "";
  }

  tellMore() {
    if (this.isOpen && this.right.length) this.degree = Math.min(DEGREES, this.degree + 1);
  }

  /** Take a move back that was not right. */
  tryAgain() {
    if (this.value === "wins") return;
    this.stop();
    this.tried = this.refutation = null;
    this.value = "";
  }

  stop() {
    this.refutation?.stop();
  }

  /** The board, as long as nothing was tried with what `more` says of it. */
  show(more = {}) {
    const { position, tried, refutation, hint } = this;
    if (refutation) return shownLine(refutation);
    if (tried !== null) return { position: position.play(tried), last: tried };
    return { position, dots: !position.placing, marks: hint.marks, stars: hint.stars, ...more };
  }
}
