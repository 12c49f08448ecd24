// Asks the server for the truth of a game, and gathers it.

import { Conversation } from "../shared/api.js";
import { Judgement } from "./judgement.js";

export class GameJudge {
  #server = new Conversation("/api/analyse");
  #open = null; // the question that is open
  #asked = ""; // what was asked last

  /**
   * @param {() => void} onNews called whenever more is known.
   * @param {(text: string) => void} onProblem called with what went wrong, or with nothing once that is over.
   */
  constructor(onNews, onProblem) {
    this.onNews = onNews;
    this.onProblem = onProblem;
    this.judgement = new Judgement();
  }

  /** Judge a game, unless that was asked last. */
  judge(question) {
    if (JSON.stringify(question) === this.#asked) return;
    this.clear();
    this.#asked = JSON.stringify(question);
    this.#open = this.#server.ask(question, (answer) => this.#hear(answer), this.onProblem);
  }

  /** Forget the game that was judged last. */
  clear() {
    this.#open?.forget();
    this.#asked = "";
    this.judgement = new Judgement();
  }

  #hear(answer) {
    if (answer.kind === "error") return this.onProblem(answer.error);
    this.judgement.add(answer);
    return this.onNews();
  }
}
