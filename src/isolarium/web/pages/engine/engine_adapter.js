// The engine as the jobs of a worker use it: with positions and squares in place of their texts, and with stop conditions
// in place of signals.

import { formatPosition, parseSquare } from "../game/notation.js";

export class EngineAdapter {
  /** @param {object} engine what `loadEngine` returns. */
  constructor(engine) {
    this.engine = engine;
  }

  /** The parts of an agent's spec: {search, limit, book}. */
  read(spec) {
    return this.engine.read(spec);
  }

  /**
   * An agent's choice.
   * @param {string} spec
   * @param {object} position
   * @param {{limit?: object, seed: number, isStopped: () => boolean, onProgress: (report: object) => void, proofs?: boolean}} options
   *   a limit in place of the spec's, the game's seed, and whether the champion also proves.
   */
  async choose(spec, position, { limit = {}, seed, isStopped, onProgress, proofs }) {
    const toReport = (found) => withSquares(found, position);
    const limits = { ...known(limit), seed, signal: signalOf(isStopped), proofs };
    const report = (found) => onProgress(toReport(found));
    return toReport(await this.engine.choose(spec, formatPosition(position), limits, report));
  }

  /** The exact value of a position with both players placed: {wins, move, plies, nodes}. */
  async solve(position, { nodes, ms, distance }, { isStopped }) {
    const budget = { ...known({ nodes, ms }), distance, signal: signalOf(isStopped) };
    const { move, ...found } = await this.engine.solve(formatPosition(position), budget);
    return { ...found, move: move === null ? null : parseSquare(move, position.rows, position.cols) };
  }

  /** A heuristic's value of a position for a player. */
  value(heuristic, position, player) {
    return this.engine.value(heuristic, formatPosition(position), player);
  }
}

/** The bounds that are given. */
const known = (limit) => Object.fromEntries(Object.entries(limit).filter(([, bound]) => (bound ?? null) !== null));

/** A stop condition in the form of a signal, of which the engine reads `aborted`. */
const signalOf = (isStopped) => ({
  get aborted() {
    return isStopped();
  },
});

function withSquares(found, { rows, cols }) {
  const line = found.line.map((name) => parseSquare(name, rows, cols));
  return { ...found, line, move: line[0] };
}
