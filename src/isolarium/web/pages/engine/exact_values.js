// Exact values of positions from the cheapest source that has the answer: the rules, the map of starts, the mirror
// theorem, the opening book, and the solver if it is likely to finish (`isolarium.solver.solver`). And the marks of
// moves compared with perfect play (`isolarium.analysis.accuracy`).

import { isMirror } from "../game/symmetry.js";
import { placementsOf } from "./known_positions.js";
import { Allowance } from "./limits.js";

const EACH = 2_000_000; // nodes for one position; every 7x7 position takes fewer
const WITHIN_REACH = 4; // the estimate predicts the median, and many positions need far fewer nodes
export const HOW_SOON_BLANKS = 36; // up to here the length of a game can be computed as well
export const EVERY_MOVE_BLANKS = 30; // up to here the lengths after every move

/** The solver's likely number of nodes, fitted to measured medians. */
function likelyNodes({ size, blankCount, squares }) {
  const blocked = size - blankCount - 2;
  const starts = 10 ** squares.filter((square) => square === null).length;
  return starts * Math.exp(12.5 + 0.36 * (blankCount - 47) - 0.216 * blocked);
}

export class ExactValues {
  /**
   * @param {import("./wasm_engine.js").Engine} engine its `solve` is used.
   * @param {import("./known_positions.js").KnownStarts} starts
   * @param {(rows: number, cols: number) => Promise<object|null>} bookOf reads a board's opening book.
   * @param {{each?: number|null, withinReach?: number}} limits the nodes for one position, null for no limit, and how far
   *   the estimate may exceed a limit.
   */
  constructor(engine, starts, bookOf, { each = EACH, withinReach = WITHIN_REACH } = {}) {
    this.engine = engine;
    this.starts = starts;
    this.bookOf = bookOf;
    this.each = each;
    this.withinReach = withinReach;
  }

  async #bookEntry(position) {
    return position.placing ? null : ((await this.bookOf(position.rows, position.cols))?.entry(position) ?? null);
  }

  /** Whether the player to move wins, if this is known without a search; else null. */
  async lookedUp(position) {
    if (position.winner() !== null) return false;
    const wins = this.starts.wins(position);
    if (wins !== null) return wins;
    if (isMirror(position)) return false;
    return (await this.#bookEntry(position))?.wins ?? null;
  }

  /** Whether the player to move wins; null if not known. */
  async wins(position, allowance = new Allowance()) {
    const known = await this.lookedUp(position);
    if (known !== null || !this.reaches(position, allowance)) return known;
    return (await this.solve(position, allowance)).wins;
  }

  /** A winning move; null if there is none or none is known. */
  async winningMove(position, allowance = new Allowance()) {
    if ((await this.lookedUp(position)) === false) return null;
    if (position.placing && this.starts.wins(position)) {
      return position.legalMoves().find((move) => !this.starts.wins(position.play(move)));
    }
    const entry = await this.#bookEntry(position);
    if (entry && entry.move !== null) return entry.move;
    return (await this.solve(position, allowance)).move;
  }

  /** The plies to the end with perfect play; null if not known, as in placements and with many blanks. */
  async plies(position, allowance = new Allowance()) {
    if (position.winner() !== null) return 0;
    if (position.placing || position.blankCount > EVERY_MOVE_BLANKS) return null;
    return (await this.solve(position, allowance, { distance: true })).plies;
  }

  /** Whether the solver would probably find the answer within the allowance. */
  reaches(position, allowance = new Allowance()) {
    const bounds = [this.each, allowance.limit.nodes].filter((nodes) => nodes !== null);
    return !bounds.length || likelyNodes(position) <= this.withinReach * Math.min(...bounds);
  }

  /**
   * The solver's answer, without the map of starts for placed knights, and without the book.
   * @param {{most?: number|null, distance?: boolean}} options the nodes for this position, and whether to compute the
   *   length of the game too.
   * @returns {Promise<{wins: boolean|null, move: number|null, plies: number|null, nodes: number}>}
   */
  async solve(position, allowance, { most = this.each, distance = false } = {}) {
    const unknown = { wins: null, move: null, plies: null, nodes: 0 };
    if (allowance.isOver()) return unknown;
    if (position.squares.includes(null)) return this.#solvePlacement(position, allowance, most);
    const { nodes, ms } = allowance.rest({ nodes: most });
    const answer = await this.engine.solve(position, { nodes, ms, distance, isStopped: allowance.isStopped });
    allowance.spent += answer.nodes;
    return answer;
  }

  async #solvePlacement(position, allowance, most) {
    const isKnown = this.starts.wins(position) !== null;
    let nodes = 0;
    for (const { move, after } of placementsOf(position)) {
      const loses = isKnown
        ? { wins: this.starts.wins(after), nodes: 0 }
        : await this.solve(after, allowance, { most: most === null ? null : most - nodes });
      nodes += loses.nodes;
      if (loses.wins === true) continue;
      return { wins: loses.wins === null ? null : true, move: loses.wins === null ? null : move, plies: null, nodes };
    }
    return { wins: false, move: null, plies: null, nodes };
  }
}

/**
 * Mark one move.
 * @param {ExactValues} exact
 * @param {object} before the position before the move.
 * @param {number} move
 * @param {boolean|null} known whether the mover wins this position, if earlier moves have shown it.
 * @returns {Promise<{mark: string, wins: boolean|null, after: boolean|null, decides: boolean|null, keeps: number|null}>}
 *   `after` is whether the opponent wins after the move.
 */
export async function markMove(exact, before, move, known = null) {
  const after = before.play(move);
  const wins = known ?? (await exact.wins(before));
  const moves = before.legalMoves();
  const afterWins = await follows(exact, moves, wins, after);
  const marked = { wins, after: afterWins, decides: false, keeps: null };
  if (moves.length === 1) return { ...marked, mark: "forced" };
  if (wins === false) return { ...marked, mark: "lost" };
  if (wins === null || afterWins === null) return { ...marked, mark: "unknown" };
  if (afterWins) return { ...marked, mark: "mistake", decides: true, keeps: await exact.winningMove(before) };
  return { ...marked, mark: "right", decides: await couldLose(exact, before, move) };
}

/** Whether the opponent wins after a move, solved only if the position before does not imply it. */
async function follows(exact, moves, wins, after) {
  if (wins === false) return true;
  if (wins && moves.length === 1) return false;
  return exact.wins(after);
}

/** Whether another move loses; null if not known. */
async function couldLose(exact, before, move) {
  let could = false;
  for (const other of before.legalMoves()) {
    if (other === move) continue;
    const wins = await exact.wins(before.play(other));
    if (wins) return true;
    if (wins === null) could = null;
  }
  return could;
}

