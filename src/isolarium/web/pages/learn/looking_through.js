// Games looked through for the mistakes of one player, one game after the other. No DOM.

import { GameJudge } from "../analyse/game_judge.js";
import { formatSquare, formatStart, parseGame } from "../game/notation.js";
import { GameTree } from "../game/tree.js";
import { newCard } from "../notebook/notebook.js";
import { today } from "../notebook/notebook_store.js";

export class LookingThrough {
  #waiting = [];
  #judge;

  /**
   * @param {(game: object, found: {mistakes: object[], unsolved: number, won: number}) => void} onFound called with a
   *   game and what was found in it: see `mistakesOf`.
   * @param {(text: string) => void} onProblem called with what went wrong, or with nothing once that is over.
   */
  constructor(onFound, onProblem) {
    this.onFound = onFound;
    this.onProblem = onProblem;
    this.#judge = new GameJudge(() => this.#judged(), onProblem);
  }

  /** How many games are still to be looked through. */
  get left() {
    return this.#waiting.length;
  }

  /** Look through these games, each an object with the texts `game` and `player`. */
  add(games) {
    const isIdle = !this.left;
    this.#waiting.push(...games);
    if (isIdle) this.#next();
  }

  #next() {
    if (this.left) this.#judge.judge({ game: this.#waiting[0].game });
  }

  #judged() {
    const { judgement } = this.#judge;
    if (!judgement.summary) return;
    const game = this.#waiting.shift();
    this.onProblem("");
    this.onFound(game, mistakesOf(game, judgement));
    this.#next();
  }
}

/** The mistakes of a game's player as new cards, and of its positions how many were not solved and how many won. */
export function mistakesOf({ game, player }, judgement) {
  const { start, moves } = parseGame(game);
  const nodes = new GameTree(start, moves).mainLine().slice(1);
  const own = nodes.filter(({ ply }) => judgement.at(ply)?.player === player);
  const count = (test) => own.filter(({ ply }) => test(judgement.at(ply))).length;
  return {
    mistakes: own
      .filter(({ ply }) => judgement.at(ply).mark === "mistake")
      .map(({ parent, move }) => newCard(formatStart(parent.position), formatSquare(move, start.cols), today())),
    unsolved: count(({ mark, wins }) => mark === "unknown" || wins === null),
    won: count(({ wins }) => wins === true),
  };
}
