// The values of positions, each asked of the server once.

import { AGAIN_MS, BUSY, post } from "../shared/api.js";

export class PositionValues {
  #known = new Map();
  #asking = null;

  /**
   * @param {() => void} onNews called when a position's values have come.
   * @param {(text: string) => void} onProblem called with what went wrong, or with nothing once that is over.
   */
  constructor(onNews, onProblem) {
    this.onNews = onNews;
    this.onProblem = onProblem;
  }

  /** The answer to a question as POST /api/values takes it, or null while it is not known. */
  of(question) {
    return this.#known.get(JSON.stringify(question)) ?? null;
  }

  /** Ask a question in place of the one that is open. */
  async ask(question) {
    this.#asking?.abort();
    if (this.of(question)) return;
    const asking = (this.#asking = new AbortController());
    try {
      this.#known.set(JSON.stringify(question), await post("/api/values", question, asking.signal));
      this.onProblem("");
      this.onNews();
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status !== BUSY) return this.onProblem(error.message);
      this.onProblem(`${error.message} Trying again…`);
      setTimeout(() => asking.signal.aborted || this.ask(question), AGAIN_MS);
    }
  }
}
