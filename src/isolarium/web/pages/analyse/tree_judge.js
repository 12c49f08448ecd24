// The exact values of a game and its variations: the main line as a whole, then one variation after the other, the one
// on the board first. No DOM.

import { formatGame } from "../game/notation.js";
import { GameTree } from "../game/tree.js";
import { GameJudge, Judgement } from "./game_judge.js";
import { mainText } from "./game_text.js";

export class TreeJudge {
  #facts = new WeakMap(); // the server's judgement of each node
  #heuristic = null;
  #tree = null;
  #side = []; // the nodes of the variation that is being judged

  /**
   * @param {() => void} onNews called whenever more is known.
   * @param {(text: string) => void} onProblem called with what went wrong.
   */
  constructor(onNews, onProblem) {
    this.onNews = onNews;
    this.main = new GameJudge(() => this.#hear(this.main, this.#tree.mainLine()), onProblem);
    this.variation = new GameJudge(() => this.#hear(this.variation, this.#side), onProblem);
  }

  /** Judge all of a tree that is not judged yet. */
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
    this.#goOn();
  }

  /** What is known of the move to a node, or null. */
  at(node) {
    return this.#facts.get(node) ?? null;
  }

  /** What is known of a line, as nodes from the start; for the main line also the server's summary. */
  of(line) {
    const judgement = new Judgement();
    for (const node of line) if (this.at(node)) judgement.add({ ...this.at(node), kind: "ply" });
    if (line.at(-1).isMain) judgement.summary = this.main.judgement.summary;
    return judgement;
  }

  #hear(judge, line) {
    this.#keep(judge, line);
    this.#goOn();
    this.onNews();
  }

  #keep(judge, line) {
    for (const node of line) {
      const told = judge.judgement.at(node.ply);
      if (told) this.#facts.set(node, told);
    }
  }

  /** Judge the next variation once the one before is through; a new one has to wait for the main line. */
  #goOn() {
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
