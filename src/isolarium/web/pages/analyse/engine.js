// The engine, for positions that the solver does not reach: `Engine` asks the server for searches, `EngineCard` shows
// what they found, and `EngineAnalysis` joins them for the line on the board.

import { colourName } from "../board/messages.js";
import { formatGame, formatSquare, parseSquare } from "../game/notation.js";
import { GameTree } from "../game/tree.js";
import { formatPlies, isProven, opinion } from "../game/values.js";
import { Conversation } from "../shared/api.js";
import { fill, h, setText } from "../shared/dom.js";

// The searches: of the position on the board, deeper and deeper while it is shown, and briefly of each other position
// of the line. The server runs them.

const MOST_MS = 10_000; // what a request may ask for
const SEARCH = "strong:distance";
const DEEP = `${SEARCH}@ms=${MOST_MS}`;
const QUICK = `${SEARCH}@nodes=30000`;

class Engine {
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

  /** Stop searching until `goOn`. */
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
function forFirst(score, player) {
  if (player === 0) return score;
  if (typeof score === "number") return 0 - score;
  if (!isProven(score)) return score === "inf" ? "-inf" : "inf";
  return score.startsWith("win") ? score.replace("win", "loss") : score.replace("loss", "win");
}

// The card: whether the value is proven or found by search, the engine's line, and a button to stop or continue.

const count = new Intl.NumberFormat("en");
const SHOWN = 10; // moves of its line

class EngineCard {
  /**
   * @param {(squares: number[]) => void} onLine called with the moves of its line up to the one that was chosen.
   * @param {() => void} onSwitch called to stop or to continue the search.
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
   * @param {{isProven: boolean, isAsked: boolean, isLooking: boolean, isOn: boolean, opinion: object|null, pv: number[],
   *   marker: string}} state whether who wins is proven, the engine is asked about the position, is at it, and may be;
   *   what it thinks; and whose values the squares show, if anybody's.
   */
  show(position, { isProven, isAsked, isLooking, isOn, opinion: found, pv, marker }) {
    this.element.hidden = !isProven && !isAsked;
    this.proven.hidden = !isProven;
    this.bySearch.hidden = isProven || !isAsked;
    for (const element of [this.moves, this.rest]) element.hidden = isProven || !isAsked;
    setText(this.words, isProven || !isAsked ? "" : this.#opinion(position, found, isOn));
    setText(this.scales, marker && !isProven && isAsked ? twoScales(marker) : "");
    setText(this.effort, found ? effort(found, isLooking) : "");
    setText(this.button, isLooking ? "Stop searching" : "Search again");
    this.#showLine(position, isProven ? [] : pv);
  }

  #opinion(position, found, isOn) {
    if (found) return `${colourName(position.toMove)} ${opinion(found.score)}`;
    return isOn ? "The engine looks ahead…" : "The engine was given up.";
  }

  #showLine(position, pv) {
    const shown = pv.slice(0, SHOWN).map((square) => formatSquare(square, position.cols));
    if (shown.join() === this.shown) return; // the focus stays where it is
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
  `Two scales: the numbers on the squares are what ${marker} says after each move, the engine's is what ${SEARCH} finds.`;

function effort({ depth, nodes, ms }, isLooking) {
  const done = `${formatPlies(depth)} deep, ${count.format(nodes)} positions, ${(ms / 1000).toFixed(1)} s`;
  return isLooking ? `${done} of ${MOST_MS / 1000}` : done;
}

// The engine's part in the page.

const isPlaced = ({ squares }) => !squares.includes(null);

/** Whether a position, by its values, is past the solver, and can be searched: both stand on it. */
export function isUnsolved(position, values) {
  return values?.value === "unknown" && isPlaced(position);
}

export class EngineAnalysis {
  /**
   * @param {() => void} onNews called whenever the engine has looked further, or is to.
   * @param {(text: string) => void} onProblem called with what went wrong.
   * @param {(squares: number[]) => void} onLine called with moves of the engine's line, up to the one that was chosen.
   */
  constructor(onNews, onProblem, onLine) {
    this.onNews = onNews;
    this.engine = new Engine(onNews, onProblem);
    this.card = new EngineCard(onLine, () => this.#switch());
    this.node = null; // the one on the board
  }

  #switch() {
    if (this.engine.looksAt(this.node)) this.engine.giveUp();
    else this.engine.goOn();
    this.onNews();
  }

  /**
   * Have the engine look at what is not solved.
   * @param {import("../game/tree.js").GameTree} tree
   * @param {object|null} values of the position on the board.
   * @param {import("./tree_judge.js").TreeJudge} judge
   */
  look(tree, values, judge) {
    const isOpen = (node) => judge.at(node)?.winner === null && isPlaced(node.position);
    this.node = tree.current;
    this.engine.look(isUnsolved(tree.position, values) ? tree.current : null, tree.line().filter(isOpen));
  }

  /** Look at nothing. */
  rest() {
    this.engine.look(null, []);
  }

  /** The moves that the engine expects from a node on, where it was asked. */
  expected(node, values) {
    if (!isUnsolved(node.position, values)) return [];
    const { rows, cols } = node.position;
    return (this.engine.of(node)?.pv ?? []).map((name) => parseSquare(name, rows, cols));
  }

  /** What a search proved of a position that the solver did not reach, as values have it; null if nothing. */
  proof(node, values) {
    const found = isUnsolved(node.position, values) ? this.engine.of(node) : null;
    if (!found?.proven) return null;
    return { value: found.score.startsWith("win") ? "wins" : "loses", plies: found.plies };
  }

  /** The engine's opinion of a node's position, for the first player; null where it has none. */
  opinionOf(node) {
    const found = this.engine.of(node);
    return found ? forFirst(found.score, node.position.toMove) : null;
  }

  /** Show how sure it is what a node's position is worth, on a board with the values of `marker`; without values, nothing. */
  show(node, values, marker) {
    const isOpen = node.position.winner() === null && Boolean(values);
    const isAsked = isOpen && isUnsolved(node.position, values);
    this.card.show(node.position, {
      isProven: isOpen && (values.value !== "unknown" || this.proof(node, values) !== null),
      isAsked,
      isLooking: this.engine.looksAt(node),
      isOn: this.engine.isOn,
      opinion: isAsked ? this.engine.of(node) : null,
      pv: this.expected(node, values),
      marker,
    });
  }
}
