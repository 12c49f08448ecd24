// Exact values from the server: of all moves of a game (`GameJudge`), and of single positions (`PositionValues`).
// No DOM.

import { Conversation, query } from "../shared/api.js";

// What is known of a whole game, gathered ply by ply as the server sends it.

const SIGNS = {
  mistake: { sign: "?", tone: "bad" },
  right: { sign: "✓", tone: "good" },
};

export class Judgement {
  #plies = new Map();

  constructor() {
    this.summary = null;
  }

  /** Take in a message of the kinds "ply" and "summary". */
  add(message) {
    if (message.kind === "ply") this.#plies.set(message.ply, message);
    else if (message.kind === "summary") this.summary = message;
  }

  at(ply) {
    return this.#plies.get(ply) ?? null;
  }

  get known() {
    return this.#plies.size;
  }

  /** Whether all positions after this many plies are solved. */
  isWhole(ply) {
    return [...this.#plies.values()].every((judged) => judged.ply < ply || judged.winner !== null);
  }

  /** What to put beside the move of a ply, or null: mistakes, and right moves where others were wrong. */
  mark(ply) {
    const judged = this.at(ply);
    if (!judged || !(judged.mark in SIGNS) || !judged.decides) return null;
    return { ...SIGNS[judged.mark], words: this.words(ply) };
  }

  /** The verdict on the move of a ply in one sentence. */
  words(ply) {
    const judged = this.at(ply);
    switch (judged?.mark) {
      case "mistake":
        return `a mistake: the win was given away${judged.keeps ? `; ${judged.keeps} kept it` : ""}`;
      case "right":
        return judged.decides === false ? "keeps the win, as any move did" : "right: it keeps the win";
      case "forced":
        return "forced: the only move";
      case "lost":
        return "lost already: no move wins";
      case "unknown":
        return "not solved";
      default:
        return "";
    }
  }

  /** The plies of the mistakes, in order. */
  get mistakes() {
    return [...this.#plies.values()].filter(({ mark }) => mark === "mistake").map(({ ply }) => ply);
  }
}

// The analysis of a whole game, asked of the server.

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

// The values of positions, each asked of the server once.

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
