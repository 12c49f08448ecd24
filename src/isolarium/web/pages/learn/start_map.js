// The map of all starts of a solved board, read for people. No DOM.

import { formatSquare, parseBoard } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { MIRROR_REASON } from "./theory.js";

const SIDE = { F: "first", S: "second" };
const SIGN = { F: "●", S: "■" };
const COLOUR = { F: "Blue", S: "Orange" };

export class Starts {
  /** @param {object} answer the server's answer to GET /api/starts/BOARD. */
  constructor(answer) {
    this.answer = answer;
    [this.rows, this.cols] = parseBoard(answer.board);
    this.empty = Position.empty(this.rows, this.cols);
    this.exceptions = new Map(answer.exceptions_at.map((one) => [`${one.first} ${one.second}`, one.mirror]));
  }

  #name(square) {
    return formatSquare(square, this.cols);
  }

  /** For every first square, how many second squares win for the second player. */
  overview() {
    const marks = new Map();
    this.answer.map.forEach((line, square) => {
      const winning = [...line].filter((letter) => letter === "S").length;
      const share = winning / (line.length - 1);
      marks.set(square, {
        tone: "second",
        strength: share,
        text: String(winning),
        words: `${winning} answers win for Orange`,
      });
    });
    return marks;
  }

  /** For one first square, who wins with each second square. */
  from(first) {
    const marks = new Map();
    [...this.answer.map[first]].forEach((letter, square) => {
      if (letter === "-") return;
      const breaks = this.exceptions.has(`${this.#name(first)} ${this.#name(square)}`);
      const words = `${COLOUR[letter]} wins${breaks ? ", against the colour law" : ""}`;
      marks.set(square, { tone: SIDE[letter], strength: 1, text: SIGN[letter], words });
    });
    return marks;
  }

  /** The second squares that break the colour law with this first square. */
  exceptionsFrom(first) {
    return [...this.answer.map.keys()].filter((square) =>
      this.exceptions.has(`${this.#name(first)} ${this.#name(square)}`),
    );
  }

  /** One start in words: what the law says, and what is true. */
  explain(first, second) {
    const same = this.empty.isLight(first) === this.empty.isLight(second);
    const winner = COLOUR[this.answer.map[first][second]];
    const names = `Blue on ${this.#name(first)}, Orange on ${this.#name(second)}`;
    const law = same
      ? "the same colour, so Blue, to move, can steal squares"
      : "different colours, so Orange, who moves next, can steal squares";
    const mirror = this.exceptions.get(`${this.#name(first)} ${this.#name(second)}`);
    if (mirror === undefined) return `${names}: ${law}. ${winner} wins, as the colour law says.`;
    const why = mirror
      ? ` ${MIRROR_REASON}`
      : " No mirror explains this one: the board is too cramped for the law.";
    return `${names}: ${law}, says the law. But ${winner} wins.${why}`;
  }
}

/** How many starts of a board break the colour law, and how many of them a mirror explains. */
export function exceptionsInWords({ exceptions, mirrors }) {
  const breaking = `${exceptions} ${exceptions === 1 ? "breaks" : "break"} the law`;
  if (!exceptions) return `${breaking}.`;
  if (exceptions === 1) return `${breaking}; ${mirrors ? "a mirror explains it" : "no mirror explains it"}.`;
  return `${breaking}; ${mirrors === 1 ? "a mirror explains 1" : `mirrors explain ${mirrors || "none"}`}.`;
}
