// The values of positions, each asked of the server once.

import { query } from "../shared/api.js";

const LATE = "Not every move was searched in time. Come back to this position to have it searched again.";

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

  /** Ask a question in place of the one that is open, unless its whole answer is known. */
  async ask(question) {
    this.#asking?.abort();
    const known = this.of(question);
    if (known && !known.stopped) return;
    const { signal } = (this.#asking = new AbortController());
    try {
      const values = await query("/api/values", question, { signal, onWait: this.onProblem });
      this.#known.set(JSON.stringify(question), values);
      this.onProblem(values.stopped ? LATE : "");
      this.onNews();
    } catch (error) {
      if (!signal.aborted) this.onProblem(error.message);
    }
  }
}
