// Exact values: of all moves of a game (`GameJudge`), of a game with its variations (`TreeJudge`), and of single positions
// (`PositionValues`). No DOM.

import { formatGame } from "../game/notation.js";
import { GameTree } from "../game/tree.js";
import { query, reviewGame } from "../shared/answers.js";
import { mainText } from "./game_text.js";

// The judgement of a game, collected ply by ply.

const SIGNS = {
  mistake: { sign: "?", tone: "bad" },
  right: { sign: "✓", tone: "good" },
};

export class Judgement {
  #plies = new Map();

  constructor() {
    this.summary = null;
  }

  /** Add a message of the kind "ply" or "summary". */
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

  /** Whether all positions from this ply on are solved. */
  isWhole(ply) {
    return [...this.#plies.values()].every((judged) => judged.ply < ply || judged.winner !== null);
  }

  /** The symbol for the move of a ply, or null: mistakes, and right moves when another move would have been wrong. */
  mark(ply) {
    const judged = this.at(ply);
    if (!judged || !(judged.mark in SIGNS) || !judged.decides) return null;
    return { ...SIGNS[judged.mark], words: this.words(ply) };
  }

  /** The verdict on the move of a ply. */
  words(ply) {
    const judged = this.at(ply);
    switch (judged?.mark) {
      case "mistake":
        return `Mistake: it gave the win away${judged.keeps ? `; ${judged.keeps} kept it` : ""}`;
      case "right":
        return judged.decides === false ? "Every move keeps the win" : "Right: it keeps the win";
      case "forced":
        return "Forced: the only move";
      case "lost":
        return "Already lost: no move wins";
      case "unknown":
        return "Not solved";
      default:
        return "";
    }
  }

  /** The plies of the mistakes, in order. */
  get mistakes() {
    return [...this.#plies.values()].filter(({ mark }) => mark === "mistake").map(({ ply }) => ply);
  }
}

// The analysis of a whole game.

export class GameJudge {
  #open = null; // the open request
  #last = ""; // the last request, as text

  /**
   * @param {() => void} onNews called after every result.
   * @param {(text: string) => void} onProblem called with an error message, and with an empty text once it is resolved.
   */
  constructor(onNews, onProblem) {
    this.onNews = onNews;
    this.onProblem = onProblem;
    this.judgement = new Judgement();
  }

  /** Judge a game, unless it was the last one. */
  judge(request) {
    if (JSON.stringify(request) === this.#last) return;
    this.clear();
    this.#last = JSON.stringify(request);
    this.#open = reviewGame(request, (answer) => this.#receive(answer));
  }

  /** Forget the last game. */
  clear() {
    this.#open?.forget();
    this.#last = "";
    this.judgement = new Judgement();
  }

  #receive(answer) {
    if (answer.kind === "error") return this.onProblem(answer.error);
    this.judgement.add(answer);
    return this.onNews();
  }
}

// The values of positions, each requested once.

const LATE = "Not every move was searched in time. Return to this position to search again.";

export class PositionValues {
  #known = new Map();
  #abort = null;

  /**
   * @param {() => void} onNews called when a position's values arrive.
   * @param {(text: string) => void} onProblem called with an error message, and with an empty text once it is resolved.
   */
  constructor(onNews, onProblem) {
    this.onNews = onNews;
    this.onProblem = onProblem;
  }

  /** The answer to a request for POST /api/values, or null until it arrives. */
  of(request) {
    return this.#known.get(JSON.stringify(request)) ?? null;
  }

  /** Send a request in place of the open one, unless its complete answer is known. */
  async ask(request) {
    this.#abort?.abort();
    const known = this.of(request);
    if (known && !known.stopped) return;
    const { signal } = (this.#abort = new AbortController());
    try {
      const values = await query("values", request, { signal, onWait: this.onProblem });
      this.#known.set(JSON.stringify(request), values);
      this.onProblem(values.stopped ? LATE : "");
      this.onNews();
    } catch (error) {
      if (!signal.aborted) this.onProblem(error.message);
    }
  }
}

// The exact values of a game and its variations: the main line first, then the variations one by one, starting with the
// one on the board.

export class TreeJudge {
  #facts = new WeakMap(); // the server's judgement of each node
  #heuristic = null;
  #tree = null;
  #side = []; // the nodes of the variation being judged

  /**
   * @param {() => void} onNews called after every result.
   * @param {(text: string) => void} onProblem called with an error message.
   */
  constructor(onNews, onProblem) {
    this.onNews = onNews;
    this.main = new GameJudge(() => this.#receive(this.main, this.#tree.mainLine()), onProblem);
    this.variation = new GameJudge(() => this.#receive(this.variation, this.#side), onProblem);
  }

  /** Judge the parts of a tree that are not judged yet. */
  judge(tree, heuristic) {
    if (heuristic !== this.#heuristic || tree !== this.#tree) {
      this.#facts = new WeakMap();
      this.variation.clear();
      this.#side = [];
    }
    this.#tree = tree;
    this.#heuristic = heuristic;
    if (tree.root.children.length) this.main.judge({ game: mainText(tree), heuristic });
    else this.main.clear();
    this.#keep(this.main, tree.mainLine());
    this.#judgeNext();
  }

  /** The judgement of the move to a node, or null. */
  at(node) {
    return this.#facts.get(node) ?? null;
  }

  /** The judgement of a line, given as nodes from the start; for the main line with the server's summary. */
  of(line) {
    const judgement = new Judgement();
    for (const node of line) if (this.at(node)) judgement.add({ ...this.at(node), kind: "ply" });
    if (line.at(-1).isMain) judgement.summary = this.main.judgement.summary;
    return judgement;
  }

  #receive(judge, line) {
    this.#keep(judge, line);
    this.#judgeNext();
    this.onNews();
  }

  #keep(judge, line) {
    for (const node of line) {
      const facts = judge.judgement.at(node.ply);
      if (facts) this.#facts.set(node, facts);
    }
  }

  /** Judge the next variation once the previous one and the main line are complete. */
  #judgeNext() {
    const isBusy = this.#side.length && !this.variation.judgement.summary;
    if (isBusy || !this.main.judgement.summary) return;
    const ends = [this.#tree.line().at(-1), ...this.#tree.ends()];
    const end = ends.find((node) => !node.isMain && !this.at(node));
    this.#side = end ? GameTree.pathTo(end) : [];
    if (!end) return;
    const first = this.#side.find((node) => node.parent && !this.at(node));
    const game = formatGame(this.#tree.root.position, GameTree.movesTo(end));
    this.variation.judge({ game, heuristic: this.#heuristic, first_ply: first.ply });
  }
}
