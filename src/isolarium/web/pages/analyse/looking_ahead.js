// Where the solver does not reach: what the engine thinks of the line on the board, and how sure the verdict is.

import { parseSquare } from "../game/notation.js";
import { Engine, forFirst } from "./engine.js";
import { EngineCard } from "./engine_card.js";

const isPlaced = ({ squares }) => !squares.includes(null);

/** Whether a position, by its values, is past the solver, and can be searched: both stand on it. */
export function isUnsolved(position, values) {
  return values?.value === "unknown" && isPlaced(position);
}

export class LookingAhead {
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
