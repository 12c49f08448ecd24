// The map of all starts of a board: who wins each, and why. No DOM.

import { formatSquare, parseBoard } from "../game/notation.js";
import { Position } from "../game/rules.js";

// The theory.

const paragraph = (...lines) => lines.join(" ");

export const COLOUR_LAW = paragraph(
  "A knight changes colour with every move. When both knights stand on the same colour, the player to move",
  "can take a square that the other needs next: it is the stealer. When they stand on different colours, the",
  "player to move is the runner, and can never do that. The roles never change during a game.",
  "With perfect play the stealer wins. So Blue wins if Orange is placed on its colour, and Orange, placed",
  "second, chooses a square of the other colour.",
);

export const MIRROR = paragraph(
  "The law has exceptions. On every solved board with both sides at least five, all exceptions are mirrors: if a",
  "half turn does not change the position, and its centre is not blank, the player not to move wins by answering",
  "every move with its mirror image. With both sides even, this happens when the players stand opposite each",
  "other. With a square in the middle, it happens when Blue stands there and Orange a knight's move away: Blue",
  "moves to the square opposite Orange, and answers with mirror images from then on. Smaller boards are too",
  "cramped for the law.",
);

export const CREDIT = paragraph(
  "In the 1990s, Gerry Quinn described the advantage of the colours and the mirror strategy for this game, which he",
  "called Joust. Isolarium computed the exact law, its exceptions, and the winner of every start.",
);

const MIRROR_REASON = paragraph(
  "The reason is a mirror: the winner can answer every move with its mirror image through the centre.",
);

// The map.

const SIDE = { F: "first", S: "second" };
const SIGN = { F: "●", S: "■" };
const COLOUR = { F: "Blue", S: "Orange" };

export class StartMap {
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

  /** For every first square, the number of second squares that win for the second player. */
  overview() {
    const marks = new Map();
    this.answer.map.forEach((line, square) => {
      const winning = [...line].filter((letter) => letter === "S").length;
      const share = winning / (line.length - 1);
      marks.set(square, {
        tone: "second",
        strength: share,
        text: String(winning),
        words: `${winning} replies win for Orange`,
      });
    });
    return marks;
  }

  /** For one first square, the winner for each second square. */
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

  /** Explain one start: the law's prediction and the exact value. */
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
    return `${names}: ${law}, by the law. But ${winner} wins.${why}`;
  }
}

/** The number of starts that break the colour law, and how many of them a mirror explains. */
export function exceptionsInWords({ exceptions, mirrors }) {
  const breaking = `${exceptions} ${exceptions === 1 ? "breaks" : "break"} the law`;
  if (!exceptions) return `${breaking}.`;
  if (exceptions === 1) return `${breaking}; ${mirrors ? "a mirror explains it" : "no mirror explains it"}.`;
  return `${breaking}; ${mirrors === 1 ? "a mirror explains 1" : `mirrors explain ${mirrors || "none"}`}.`;
}
