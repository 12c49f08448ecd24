// The exact values of a game and its variations: the main line first, then the variations one by one, starting with the
// one on the board. No DOM.

import { formatGame } from "../game/notation.js";
import { GameTree } from "../game/tree.js";
import { GameJudge, Judgement } from "./game_judge.js";
import { mainText } from "./game_text.js";

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
