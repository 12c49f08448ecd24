// The engine's opinion where the solver does not reach: of the position on the board, deeper and deeper while one looks
// at it, and in a moment of each other position of the line. The searches are the server's, in their turn. No DOM.

import { formatGame } from "../game/notation.js";
import { GameTree } from "../game/tree.js";
import { isProven } from "../game/values.js";
import { Conversation } from "../shared/api.js";

export const MOST_MS = 10_000; // what a request may ask for
export const SEARCH = "strong:distance";
const DEEP = `${SEARCH}@ms=${MOST_MS}`;
const QUICK = `${SEARCH}@nodes=30000`;

export class Engine {
  #server = new Conversation("/api/think");
  #opinions = new WeakMap(); // by node
  #open = { deep: null, quick: null }; // the questions about the position on the board, and about another
  #done = new WeakSet(); // what was searched to the end, and what there was no answer to

  /**
   * @param {() => void} onNews called whenever it has looked further.
   * @param {(text: string) => void} onProblem called with what went wrong, or with nothing once that is over.
   */
  constructor(onNews, onProblem) {
    this.onNews = onNews;
    this.onProblem = onProblem;
    this.isOn = true;
  }

  /** What it thinks of a node's position, for who is to move there: {score, depth, nodes, ms, pv, proven}; or null. */
  of(node) {
    return this.#opinions.get(node) ?? null;
  }

  /** Whether it is looking at a node now. */
  looksAt(node) {
    return this.#open.deep?.node === node;
  }

  /**
   * Look at a position for as long as a request may, and at the others of its line for a moment.
   * @param {object|null} node the one on the board; null where nothing is to be searched there.
   * @param {object[]} others.
   */
  look(node, others) {
    const { deep, quick } = this.#open;
    if (deep && deep.node !== node) this.#forget("deep");
    if (quick && !others.includes(quick.node)) this.#forget("quick");
    if (!this.isOn) return;
    if (node && !this.#open.deep && !this.#done.has(node)) this.#ask("deep", node, DEEP);
    const next = others.find((one) => one !== node && !this.of(one) && !this.#done.has(one));
    if (next && !this.#open.quick) this.#ask("quick", next, QUICK);
  }

  /** Search no more until it is asked to. */
  giveUp() {
    this.isOn = false;
    this.#forget("deep");
    this.#forget("quick");
  }

  /** Search again, also what was searched to the end. */
  goOn() {
    this.isOn = true;
    this.#done = new WeakSet();
  }

  #forget(which) {
    this.#open[which]?.forget();
    this.#open[which] = null;
  }

  #ask(which, node, agent) {
    const game = formatGame(rootOf(node).position, GameTree.movesTo(node));
    const { forget } = this.#server.ask({ game, agent }, (answer) => this.#hear(which, node, answer), this.onProblem);
    this.#open[which] = { node, forget };
  }

  #hear(which, node, answer) {
    if (answer.kind === "thinking") this.#learn(node, answer);
    else if (answer.kind === "move") this.#learn(node, answer.report);
    else if (answer.kind === "error") this.onProblem(answer.error);
    if (answer.kind === "move" || answer.kind === "error") {
      if (which === "deep" || answer.kind === "error") this.#done.add(node);
      this.#open[which] = null;
    }
    this.onNews();
  }

  /** Keep the deeper of two opinions. */
  #learn(node, report) {
    const known = this.of(node);
    if (report.score === null || (known && known.depth > report.depth && !report.proven)) return;
    this.#opinions.set(node, report);
  }
}

function rootOf(node) {
  return node.parent ? rootOf(node.parent) : node;
}

/** A score for the first player, given for a player. */
export function forFirst(score, player) {
  if (player === 0) return score;
  if (typeof score === "number") return 0 - score;
  if (!isProven(score)) return score === "inf" ? "-inf" : "inf";
  return score.startsWith("win") ? score.replace("win", "loss") : score.replace("loss", "win");
}
