// The oracle: a perfect player where the solver finishes, else a strong one. As `isolarium.agents.oracle`.

import { symmetriesOf } from "../game/symmetry.js";
import { Allowance } from "./limits.js";
import { chooseByIndex } from "./known_positions.js";
import { EVERY_MOVE_BLANKS, ExactValues, HOW_SOON_BLANKS } from "./exact_values.js";
import { mixedSeed } from "./searches.js";

const DEFAULT_NODES = 2_000_000;
const NODES_A_MS = 10_000;
const SOLVERS_SHARE = 7 / 8; // the rest is for a search, in case the solver does not finish
const WITHIN_REACH = 8; // larger than in the champion, because a search would prove nothing
const HARDEST_NODES = 400_000; // for counting winning replies

export class Oracle {
  /**
   * @param {object} engine
   * @param {import("./known_positions.js").KnownStarts} starts
   * @param {import("./known_positions.js").Books} books
   */
  constructor(engine, starts, books) {
    this.engine = engine;
    this.books = books;
    this.exact = new ExactValues(engine, starts, (rows, cols) => books.of(rows, cols), {
      each: null,
      withinReach: WITHIN_REACH,
    });
  }

  /**
   * Choose a move.
   * @param {object} position
   * @param {{nodes?: number, ms?: number}} limit
   * @param {{seed: bigint, gameSeed: number, isStopped: () => boolean, onProgress: (report: object) => void}} options the
   *   seed of this move, and the game's, which it is derived from.
   */
  async choose(position, limit, options) {
    const isLimited = (limit.nodes ?? null) !== null || (limit.ms ?? null) !== null;
    const allowance = new Allowance(isLimited ? limit : { ...limit, nodes: DEFAULT_NODES }, options.isStopped);
    const found =
      (await this.books.choose(position, options.seed)) ??
      (await this.#solved(position, allowance, options.seed)) ??
      (await this.#searched(position, allowance, options));
    return { ...found, ms: allowance.elapsedMs };
  }

  /** The solver's choice within its share of the limit; null if it does not finish. */
  async #solved(position, whole, seed) {
    const share = solversShare(whole.limit);
    if (!share) return null;
    const allowance = new Allowance(share, whole.isStopped);
    if (allowance.isOver() || !this.exact.reaches(position, allowance)) return null;
    // The solver's move order must not favour one side, so it solves a random symmetry of the board.
    const known = symmetriesOf(position.rows, position.cols);
    const symmetry = known[Number(mixedSeed(seed, 1) % BigInt(known.length))];
    const seen = symmetry.position(position);
    const solution = await this.#solution(seen, allowance);
    if (solution.wins === null) {
      whole.spent += allowance.spent;
      return null;
    }
    const move = solution.move ?? (await this.#hardest(seen, allowance, seed));
    const line = (await this.#line(seen, move, solution.plies, allowance)).map((square) => symmetry.source[square]);
    const { plies } = solution;
    const score = solution.wins ? Infinity : -Infinity;
    return { move: line[0], score, depth: plies || line.length, nodes: allowance.spent, line, proven: true, plies };
  }

  /** The winner, and the number of plies if it is known or cheap to find. */
  async #solution(position, allowance) {
    const inBook = await this.books.moves(position);
    if (inBook && !inBook.wins) return { wins: false, move: null, plies: null };
    const distance = position.blankCount <= HOW_SOON_BLANKS && !position.placing;
    return this.exact.solve(position, allowance, { distance });
  }

  /** The move in a lost position that leaves the fewest winning replies, counted within the allowance. */
  async #hardest(position, allowance, seed) {
    const moves = position.legalMoves();
    if (position.placing) return chooseByIndex(moves, seed, 2);
    const end = allowance.spent + HARDEST_NODES;
    const afters = moves.map((move) => position.play(move));
    let toTry = afters.reduce((sum, after) => sum + after.legalMoves().length, 0);
    const counts = [];
    for (const [at, after] of afters.entries()) {
      const replies = after.legalMoves();
      let winning = 0;
      for (const reply of replies) {
        const left = allowance.nodesLeft(end - allowance.spent);
        winning += await this.#chance(after.play(reply), allowance, Math.floor(left / toTry));
        toTry -= 1;
      }
      counts.push({ move: moves[at], winning, replies: replies.length });
    }
    return counts.reduce((best, one) => (isHarder(one, best) ? one : best)).move;
  }

  /** 1 if the player to move loses, 0 if it wins, 1/2 if not known. */
  async #chance(position, allowance, most) {
    if (most <= 0) return 0.5;
    const { wins } = await this.exact.solve(position, allowance, { most });
    return wins === null ? 0.5 : Number(!wins);
  }

  /** The move and, if few blanks are left, the best play that follows. */
  async #line(position, move, plies, allowance) {
    const line = [move];
    if (plies === null || position.blankCount > EVERY_MOVE_BLANKS) return line;
    let after = position.play(move);
    while (line.length < plies) {
      const solution = await this.exact.solve(after, allowance, { distance: true });
      if (solution.plies === null || solution.move === null) break;
      line.push(solution.move);
      after = after.play(solution.move);
    }
    return line;
  }

  /** Search with the rest of the limit. */
  async #searched(position, allowance, options) {
    const limit = allowance.rest();
    const found = await this.engine.choose("champion", position, { ...options, seed: options.gameSeed, limit, proofs: false });
    return { ...found, nodes: found.nodes + allowance.spent };
  }
}

const isHarder = (one, best) =>
  one.winning < best.winning || (one.winning === best.winning && one.replies > best.replies);

/** The solver's share of a limit; null if it is below one node. */
function solversShare({ nodes, ms }) {
  const bounds = [nodes, ms === null ? null : ms * NODES_A_MS].filter((bound) => bound !== null);
  const most = Math.floor(SOLVERS_SHARE * Math.min(...bounds));
  return most ? { nodes: most, ms: ms === null ? null : SOLVERS_SHARE * ms } : null;
}
