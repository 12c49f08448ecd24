// The engine, for positions that the solver cannot solve: `Engine` requests searches, `EngineCard` shows
// the results, and `EngineAnalysis` connects both to the line on the board.

import { colourName } from "../board/messages.js";
import { formatGame, formatSquare, parseSquare } from "../game/notation.js";
import { GameTree } from "../game/tree.js";
import { formatPlies, isProven, opinion } from "../game/values.js";
import { askAgent } from "../shared/answers.js";
import { fill, h, setText } from "../shared/dom.js";
import { SOLVER_LIMIT } from "./game_text.js";

// The searches: a deep one of the position on the board, and a brief one of each other position of the line.

const MOST_MS = 10_000; // the longest search
const SEARCH = "strong:distance";
const DEEP = `${SEARCH}@ms=${MOST_MS}`;
const QUICK = `${SEARCH}@nodes=30000`;

class Engine {
  #opinions = new WeakMap(); // by node
  #open = { deep: null, quick: null }; // the open requests, for the position on the board and for another
  #done = new WeakSet(); // nodes whose search is complete or failed

  /**
   * @param {() => void} onNews called after every result.
   * @param {(text: string) => void} onProblem called with an error message, and with an empty text once it is resolved.
   */
  constructor(onNews, onProblem) {
    this.onNews = onNews;
    this.onProblem = onProblem;
    this.isOn = true;
  }

  /** The report on a node's position, for the player to move: {score, depth, nodes, ms, pv, proven}; null if none. */
  of(node) {
    return this.#opinions.get(node) ?? null;
  }

  /** Whether a node is being searched now. */
  isSearching(node) {
    return this.#open.deep?.node === node;
  }

  /**
   * Search a position as long as a request may take, and briefly the others of its line.
   * @param {object|null} node the node on the board; null to search only the others.
   * @param {object[]} others
   */
  search(node, others) {
    const { deep, quick } = this.#open;
    if (deep && deep.node !== node) this.#forget("deep");
    if (quick && !others.includes(quick.node)) this.#forget("quick");
    if (!this.isOn) return;
    if (node && !this.#open.deep && !this.#done.has(node)) this.#ask("deep", node, DEEP);
    const next = others.find((one) => one !== node && !this.of(one) && !this.#done.has(one));
    if (next && !this.#open.quick) this.#ask("quick", next, QUICK);
  }

  /** Stop searching until `resume`. */
  stop() {
    this.isOn = false;
    this.#forget("deep");
    this.#forget("quick");
  }

  /** Search again, including nodes whose search was complete. */
  resume() {
    this.isOn = true;
    this.#done = new WeakSet();
  }

  #forget(which) {
    this.#open[which]?.forget();
    this.#open[which] = null;
  }

  #ask(which, node, agent) {
    const game = formatGame(rootOf(node).position, GameTree.movesTo(node));
    const { forget } = askAgent({ game, agent }, (answer) => this.#receive(which, node, answer), this.onProblem);
    this.#open[which] = { node, forget };
  }

  #receive(which, node, answer) {
    if (answer.kind === "thinking") this.#keep(node, answer);
    else if (answer.kind === "move") this.#keep(node, answer.report);
    else if (answer.kind === "error") this.onProblem(answer.error);
    if (answer.kind === "move" || answer.kind === "error") {
      if (which === "deep" || answer.kind === "error") this.#done.add(node);
      this.#open[which] = null;
    }
    this.onNews();
  }

  /** Keep the deeper of two reports. */
  #keep(node, report) {
    const known = this.of(node);
    if (report.score === null || (known && known.depth > report.depth && !report.proven)) return;
    this.#opinions.set(node, report);
  }
}

function rootOf(node) {
  return node.parent ? rootOf(node.parent) : node;
}

/** Convert a player's score to the first player's. */
function forFirst(score, player) {
  if (player === 0) return score;
  if (typeof score === "number") return 0 - score;
  if (!isProven(score)) return score === "inf" ? "-inf" : "inf";
  return score.startsWith("win") ? score.replace("win", "loss") : score.replace("loss", "win");
}

// The card: whether the value is proven or found by search, the engine's line, and a button to stop or search again.

const count = new Intl.NumberFormat("en");
const SHOWN = 10; // moves of its line

class EngineCard {
  /**
   * @param {(squares: number[]) => void} onLine called with the moves of its line up to the chosen one.
   * @param {() => void} onSwitch called to stop or restart the search.
   */
  constructor(onLine, onSwitch) {
    this.onLine = onLine;
    this.proven = h("span.sure.proven", { hidden: true }, "■ proven");
    this.bySearch = h("span.sure.by-search", { hidden: true }, "◌ by search");
    this.words = h("span");
    this.effort = h("p.small.quiet-text");
    this.scales = h("p.small.quiet-text");
    this.moves = h("div.engine-line", { role: "group", "aria-label": "The engine's line" });
    this.button = h("button", { type: "button", onclick: onSwitch });
    this.rest = h("div.engine-rest", {}, this.effort, this.button);
    this.element = h("div.engine", {}, h("p", {}, this.proven, this.bySearch, " ", this.words), this.moves, this.rest, this.scales);
  }

  /**
   * @param {object} position
   * @param {{isProven: boolean, isAsked: boolean, isSearching: boolean, isOn: boolean, opinion: object|null, pv: number[],
   *   marker: string}} state whether the winner is proven, whether the engine is used for the position, is searching it,
   *   and is switched on; its report; and the heuristic or search whose values the squares show.
   */
  show(position, { isProven, isAsked, isSearching, isOn, opinion: found, pv, marker }) {
    this.element.hidden = !isProven && !isAsked;
    this.proven.hidden = !isProven;
    this.bySearch.hidden = isProven || !isAsked;
    for (const element of [this.moves, this.rest]) element.hidden = isProven || !isAsked;
    setText(this.words, isProven || !isAsked ? "" : this.#opinion(position, found, isOn));
    setText(this.scales, isProven || !isAsked ? "" : `${SOLVER_LIMIT} ${marker ? twoScales(marker) : ""}`.trim());
    setText(this.effort, found ? effort(found, isSearching) : "");
    setText(this.button, isSearching ? "Stop searching" : "Search again");
    this.#showLine(position, isProven ? [] : pv);
  }

  #opinion(position, found, isOn) {
    if (found) return `${colourName(position.toMove)} ${opinion(found.score)}`;
    return isOn ? "Searching…" : "The search was stopped.";
  }

  #showLine(position, pv) {
    const shown = pv.slice(0, SHOWN).map((square) => formatSquare(square, position.cols));
    if (shown.join() === this.shown) return; // keep the keyboard focus
    this.shown = shown.join();
    fill(
      this.moves,
      shown.map((name, at) =>
        h("button.move", { type: "button", onclick: () => this.onLine(pv.slice(0, at + 1)) }, name),
      ),
    );
  }
}

const twoScales = (marker) =>
  `Two scales: the squares show ${marker}'s value after each move; the engine uses ${SEARCH}.`;

function effort({ depth, nodes, ms }, isSearching) {
  const done = `${formatPlies(depth)} deep, ${count.format(nodes)} positions, ${(ms / 1000).toFixed(1)} s`;
  return isSearching ? `${done} of ${MOST_MS / 1000}` : done;
}

// The engine on the page.

const isPlaced = ({ squares }) => !squares.includes(null);

/** Whether a position is not solved and can be searched, with both players placed. */
export function isUnsolved(position, values) {
  return values?.value === "unknown" && isPlaced(position);
}

export class EngineAnalysis {
  /**
   * @param {() => void} onNews called after every result, and when the search is stopped or restarted.
   * @param {(text: string) => void} onProblem called with an error message.
   * @param {(squares: number[]) => void} onLine called with the moves of the engine's line up to the chosen one.
   */
  constructor(onNews, onProblem, onLine) {
    this.onNews = onNews;
    this.engine = new Engine(onNews, onProblem);
    this.card = new EngineCard(onLine, () => this.#switch());
    this.node = null; // the node on the board
  }

  #switch() {
    if (this.engine.isSearching(this.node)) this.engine.stop();
    else this.engine.resume();
    this.onNews();
  }

  /**
   * Search the unsolved positions of the current line.
   * @param {import("../game/tree.js").GameTree} tree
   * @param {object|null} values of the position on the board.
   * @param {import("./game_judge.js").TreeJudge} judge
   */
  search(tree, values, judge) {
    const isOpen = (node) => judge.at(node)?.winner === null && isPlaced(node.position);
    this.node = tree.current;
    this.engine.search(isUnsolved(tree.position, values) ? tree.current : null, tree.line().filter(isOpen));
  }

  /** Stop all searches for now. */
  pause() {
    this.engine.search(null, []);
  }

  /** The engine's line from a node; empty if it was not searched. */
  expected(node, values) {
    if (!isUnsolved(node.position, values)) return [];
    const { rows, cols } = node.position;
    return (this.engine.of(node)?.pv ?? []).map((name) => parseSquare(name, rows, cols));
  }

  /** The value and plies that a search proved for an unsolved position; null if it proved nothing. */
  proof(node, values) {
    const found = isUnsolved(node.position, values) ? this.engine.of(node) : null;
    if (!found?.proven) return null;
    return { value: found.score.startsWith("win") ? "wins" : "loses", plies: found.plies };
  }

  /** The engine's score of a node's position for the first player; null if it has none. */
  opinionOf(node) {
    const found = this.engine.of(node);
    return found ? forFirst(found.score, node.position.toMove) : null;
  }

  /** Show how certain the value of a node's position is; nothing without values. The squares show values of `marker`. */
  show(node, values, marker) {
    const isOpen = node.position.winner() === null && Boolean(values);
    const isAsked = isOpen && isUnsolved(node.position, values);
    this.card.show(node.position, {
      isProven: isOpen && (values.value !== "unknown" || this.proof(node, values) !== null),
      isAsked,
      isSearching: this.engine.isSearching(node),
      isOn: this.engine.isOn,
      opinion: isAsked ? this.engine.of(node) : null,
      pv: this.expected(node, values),
      marker,
    });
  }
}
