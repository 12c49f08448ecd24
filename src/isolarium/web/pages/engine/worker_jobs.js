// The jobs of a worker: an agent's move, the values of moves, the best line, and the mark of a move. Requests and answers
// are those of the server's routes, so that pages need not know who answers.

import { formatPosition, formatSquare, parseGame, parseSquare, parseStart } from "../game/notation.js";
import { PLAYERS } from "../game/rules.js";
import { Allowance } from "./limits.js";
import { Books } from "./known_positions.js";
import { EVERY_MOVE_BLANKS, ExactValues, markMove } from "./exact_values.js";
import { Oracle } from "./oracle.js";
import { mixedSeed } from "./searches.js";

const MOST_MS = 10_000; // the longest search
const EXACTLY = { nodes: 12_000_000 }; // for the exact values of one request: a few seconds
const PERFECT = { nodes: 2_000_000 }; // for each position of the best line
const LINE_SEED = 1;
const VALUES = new Map([
  [true, "wins"],
  [false, "loses"],
  [null, "unknown"],
]);

/** Read a game, or only its start. */
function readGame(text) {
  return text.includes(":") ? parseGame(text) : { start: parseStart(text), moves: [] };
}

function endOf(text) {
  const { start, moves } = readGame(text);
  return moves.reduce((position, move) => position.play(move), start);
}

/** A report's score as text or a number: "win 5", "inf", 2.5; null if there is none. */
export function scoreText({ score, proven, plies }) {
  if (score === null || score === undefined || Number.isNaN(score)) return null;
  if (proven) return `${score > 0 ? "win" : "loss"}${plies === null || plies === undefined ? "" : ` ${plies}`}`;
  return Number.isFinite(score) ? score : score > 0 ? "inf" : "-inf";
}

/** A report's score for the opponent, one ply earlier. */
function turned(report) {
  const score = scoreText(report);
  if (score === null) return null;
  if (typeof score === "number") return 0 - score;
  if (!report.proven) return score === "inf" ? "-inf" : "inf";
  const word = score.startsWith("win") ? "loss" : "win";
  return report.plies === null ? word : `${word} ${report.plies + 1}`;
}

/** A heuristic's value as JSON: -inf in place of NaN. */
const valueText = (value) => (Number.isFinite(value) ? value : value > 0 ? "inf" : "-inf");

export class WorkerJobs {
  /**
   * @param {object} engine
   * @param {import("./known_positions.js").KnownStarts} starts
   * @param {Map<string, URL>} books their addresses, by board.
   * @param {(address: URL) => Promise<Uint8Array>} load
   */
  constructor(engine, starts, books, load) {
    this.engine = engine;
    this.books = new Books(books, starts, load);
    this.exact = new ExactValues(engine, starts, (rows, cols) => this.books.of(rows, cols));
    this.oracle = new Oracle(engine, starts, this.books);
  }

  /** Do a job: "think", "values", "line", "mark" or "agent". */
  async do(kind, request, emit, isStopped) {
    const jobs = { think: this.#think, values: this.#values, line: this.#line, mark: this.#mark, agent: this.#agent };
    return jobs[kind].call(this, request, emit, isStopped);
  }

  async #agent({ agent }) {
    this.engine.read(agent);
    return { agent };
  }

  async #think({ game, agent, seed = 1 }, emit, isStopped) {
    const position = endOf(game);
    if (position.winner() !== null) throw new Error("the game is over; expected a position with a legal move");
    const stop = deadline(MOST_MS, isStopped);
    const onProgress = (found) => found.nodes > 0 && emit({ kind: "thinking", ...facts(found, position) });
    const found = await this.#choose(agent, position, seed, stop, onProgress);
    const move = formatSquare(found.move, position.cols);
    return { kind: "move", move, report: facts(found, position), stopped: stop() };
  }

  /** An agent's choice in a game with a seed. */
  async #choose(agent, position, gameSeed, isStopped, onProgress = () => {}) {
    const spec = this.engine.read(agent);
    const seed = mixedSeed(gameSeed, position.blankCount);
    if (spec.book) {
      const known = await this.books.choose(position, seed);
      if (known) return known;
    }
    const options = { seed, gameSeed, isStopped, onProgress };
    if (spec.search === "oracle") return this.oracle.choose(position, spec.limit, options);
    return this.engine.choose(agent, position, { ...options, seed: gameSeed });
  }

  async #values({ game, exact = true, heuristics = [], searches = [], seed = 1 }, emit, isStopped) {
    const position = endOf(game);
    const allowance = new Allowance(EXACTLY, isStopped);
    const moves = position.legalMoves();
    const found = moves.map((move) => ({ move: formatSquare(move, position.cols), value: "unknown", plies: null }));
    if (exact) await this.#exactValues(position, moves, found, allowance);
    const { nodes, ms } = { nodes: allowance.spent, ms: allowance.elapsedMs };
    const stop = deadline(MOST_MS, isStopped);
    for (const [at, move] of moves.entries()) {
      const after = position.play(move);
      found[at].heuristics = [];
      for (const one of heuristics) found[at].heuristics.push(await this.#static(one, after, position.toMove));
      found[at].searches = [];
      for (const one of searches) found[at].searches.push(await this.#searched(one, after, seed, stop));
    }
    return {
      position: formatPosition(position),
      to_move: PLAYERS[position.toMove],
      ...bestOf(found, exact),
      nodes,
      ms,
      stopped: isStopped() || (searches.length > 0 && stop()),
      moves: found,
    };
  }

  async #exactValues(position, moves, found, allowance) {
    const wins = [];
    for (const move of moves) wins.push(await this.exact.wins(position.play(move), allowance));
    for (const [at, move] of moves.entries()) {
      found[at].value = VALUES.get(wins[at] === null ? null : !wins[at]);
      const plies = wins[at] === null ? null : await this.exact.plies(position.play(move), allowance);
      found[at].plies = plies === null ? null : 1 + plies;
    }
  }

  /** A heuristic's value of a position for a player; null if there is none. */
  async #static(heuristic, position, player) {
    if (position.squares.includes(null) || position.winner() !== null) return null;
    return valueText(await this.engine.value(heuristic, position, player));
  }

  /** A search's score for the player who moved to this position; null if time ran out. */
  async #searched(spec, after, seed, stop) {
    if (after.winner() !== null) return "win 1";
    if (stop()) return null;
    return turned(await this.#choose(spec, after, seed, stop));
  }

  async #line({ game }, emit, isStopped) {
    const start = endOf(game);
    const whole = new Allowance({ ms: MOST_MS }, isStopped);
    const moves = [];
    let [exact, value] = [0, start.winner() === null ? "unknown" : "loses"];
    let position = start;
    while (position.winner() === null && !whole.isOver() && (await this.#isSolvable(position))) {
      const seed = mixedSeed(LINE_SEED, position.blankCount);
      const options = { seed, gameSeed: LINE_SEED, isStopped: () => whole.isOver(), onProgress() {} };
      const found = await this.oracle.choose(position, PERFECT, options);
      if (!found.proven) break;
      if (!moves.length) value = found.score > 0 ? "wins" : "loses";
      if (found.plies === null) exact = moves.length + 1;
      const isWhole = found.plies !== null && position.blankCount <= EVERY_MOVE_BLANKS;
      moves.push(...found.line.slice(0, isWhole ? undefined : 1));
      position = moves.reduce((at, move) => at.play(move), start);
    }
    return {
      position: formatPosition(start),
      to_move: PLAYERS[start.toMove],
      value,
      moves: moves.map((move) => formatSquare(move, start.cols)),
      exact,
      ends: position.winner() !== null,
    };
  }

  async #isSolvable(position) {
    return (await this.exact.lookedUp(position)) !== null || this.exact.reaches(position);
  }

  /** Mark a move of a game; `wins` is whether the position is won for the mover, if known. */
  async #mark({ position: text, move: name, wins = null, heuristic = null }) {
    const position = parseStart(text);
    const move = parseSquare(name, position.rows, position.cols);
    const marked = await markMove(this.exact, position, move, wins);
    const score = heuristic === null ? null : await this.#static(heuristic, position.play(move), 0);
    return { ...marked, score };
  }
}

/** A stop condition that is also true after some milliseconds. */
function deadline(ms, isStopped) {
  const end = performance.now() + ms;
  return () => performance.now() >= end || isStopped();
}

/** A report as JSON. */
function facts(report, { cols }) {
  const { depth, nodes, ms, line, proven, plies } = report;
  const pv = line.map((square) => formatSquare(square, cols));
  return { score: scoreText(report), depth, nodes, ms, pv, proven, plies: plies ?? null };
}

/** The value of a position from those of its moves: the winner plays the quickest win, the loser the longest resistance. */
function bestOf(moves, exact) {
  if (!moves.length) return { value: "loses", plies: 0 };
  const values = moves.map(({ value }) => value);
  const value = ["wins", "unknown"].find((one) => values.includes(one)) ?? "loses";
  if (!exact || value === "unknown") return { value, plies: null };
  const plies = moves.filter((move) => move.value === value).map((move) => move.plies);
  if (plies.includes(null)) return { value, plies: null };
  return { value, plies: value === "wins" ? Math.min(...plies) : Math.max(...plies) };
}
