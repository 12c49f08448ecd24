// What is known of a whole game, gathered ply by ply as the server sends it. No DOM.

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
