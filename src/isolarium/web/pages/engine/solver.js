// Exact solving with the compiled solver: who wins, a winning move, and how long the game lasts with perfect play
// (isolarium/solver/winloss.py, depth_to_win.py and solver.py).

import { isMirror } from "../game/symmetry.js";
import { blanksOf, setOf } from "./instance.js";

const SLICE_NODES = 5_000; // at 5 to 20 million nodes a second
const EARLY_BLANKS = 16;
const MIDDLE_BLANKS = 26;

/** The binary logarithm of the number of entries for a position with so many blanks. */
export function tableBits(blanks, { MANY_BLANKS, MOST_BITS, LEAST_BITS }) {
  return blanks > MANY_BLANKS ? MOST_BITS : LEAST_BITS;
}

export class Solver {
  /**
   * @param {import("./instance.js").Instance} instance
   * @param {import("./limits.js").Watch} watch
   */
  constructor(instance, watch) {
    this.instance = instance;
    this.watch = watch;
  }

  /**
   * Find the winner of a position with both players placed, by the mirror theorem or the depth-first search.
   * @returns {Promise<{wins: boolean|null, move: number|null, nodes: number}>} null for what is unknown.
   */
  async solve(position, allowance) {
    if (!position.legalMoves().length) return { wins: false, move: null, nodes: 1 };
    if (isMirror(position)) {
      allowance.spent += 1;
      return { wins: false, move: null, nodes: 1 };
    }
    const { instance } = this;
    const { heap, places } = instance;
    const { winloss: at, walks: walksAt } = places;
    const tables = instance.tablesOf(position.rows, position.cols);
    const { words } = instance;
    const bits = tableBits(position.blankCount, at);
    const state = heap.block("solver state", at.STATE_WORDS);
    const frames = heap.block("solver frames", at.MOST_FRAMES * at.FRAME_WORDS);
    const walks = heap.block("solver walks", walksAt.SCRATCH_WORDS);
    const entries = heap.block("solver entries", (words + 1) * 2 ** at.MOST_BITS);
    heap.zero(state, at.STATE_WORDS);
    heap.zero(entries, (words + 1) * 2 ** bits);
    heap.set(state, at.WINNING, -1);
    heap.setSquares(state, at.LIGHT, lightSquares(position), words);
    this.#writeRoot(frames, at, position, words);
    heap.set(walks, walksAt.SEARCHED, 0);
    const fixed = [instance.indexOf("winloss"), tables.first, state, frames, entries, 2 ** bits - 1, walks];
    let nodes = 0;
    while (!allowance.isOver()) {
      const most = nodes + allowance.nodesLeft(SLICE_NODES);
      const steps = heap.get(walks, walksAt.SEARCHED) + at.SHORT_SLICE_STEPS;
      const known = instance.exports.isolarium_winloss(...fixed, most, steps);
      const now = heap.get(state, at.NODES);
      allowance.spent += now - nodes;
      nodes = now;
      if (known) {
        const wins = heap.get(state, at.RESULT) > 0;
        return { wins, move: wins ? heap.get(state, at.WINNING) : null, nodes };
      }
      await this.watch.rest();
    }
    return { wins: null, move: null, nodes };
  }

  /**
   * Find the length of a game whose winner is known.
   * @returns {Promise<{plies: number|null, move: number|null}>} null if the allowance ends it.
   */
  async distance(position, wins, allowance) {
    const { instance } = this;
    const { heap, places } = instance;
    const { distance: at, winloss } = places;
    const tables = instance.tablesOf(position.rows, position.cols);
    const { words } = instance;
    const blanks = position.blankCount;
    const bits = blanks <= EARLY_BLANKS ? 10 : blanks <= MIDDLE_BLANKS ? 14 : 18;
    const entryWords = words + at.ENTRY_EXTRA;
    const state = heap.block("distance state", at.STATE_WORDS);
    const frames = heap.block("distance frames", winloss.MOST_FRAMES * at.FRAME_WORDS);
    const entries = heap.block("distance entries", entryWords * 2 ** bits);
    heap.zero(state, at.STATE_WORDS);
    heap.zero(entries, entryWords * 2 ** bits);
    this.#writeRoot(frames, at, position, words);
    heap.set(frames, at.ALPHA_AT, wins ? 0 : -at.FAR);
    heap.set(frames, at.BETA_AT, wins ? at.FAR : 0);
    const fixed = [instance.indexOf("distance"), tables.first, state, frames, entries, 2 ** bits - 1];
    let nodes = 0;
    while (!allowance.isOver()) {
      const known = instance.exports.isolarium_distance(...fixed, nodes + allowance.nodesLeft(4 * SLICE_NODES));
      const now = heap.get(state, at.NODES);
      allowance.spent += now - nodes;
      nodes = now;
      if (known) {
        const best = heap.get(state, at.BEST);
        return { plies: at.FAR - Math.abs(heap.get(state, at.VALUE)), move: best >= 0 ? best : null };
      }
      await this.watch.rest();
    }
    return { plies: null, move: null };
  }

  #writeRoot(frames, at, position, words) {
    const { heap } = this.instance;
    heap.setSquares(frames, 0, blanksOf(position), words);
    heap.set(frames, at.MOVER_AT, position.mover);
    heap.set(frames, at.OTHER_AT, position.squares[1 - position.toMove]);
  }
}

function lightSquares(position) {
  return setOf([...position.blank.keys()].filter((square) => position.isLight(square)));
}
