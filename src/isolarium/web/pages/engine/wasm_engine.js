// The engine: the built-in agents and the solver of Isolarium as WebAssembly, move for move and node for node as on the
// command line. It runs in a Web Worker, in a page and in Node.
//
//   const engine = await loadEngine("/pages/engine/");
//   const choice = await engine.choose("champion@nodes=500", parsePosition("7/7/2A4/3x3/4B2/7/7 a"));
//
// An engine does one thing at a time: a call waits for those before it. While it works, other tasks of the same thread
// run about every 16 ms, so a search that is stopped ends within 50 ms with the best choice so far. Modules and weights
// are loaded when they are first needed: one module for each number of words in a set of squares,
// or its slower twin without vector instructions.

import { parseAgent, parseCall, SpecError, bindHeuristic } from "./agent_spec.js";
import { Instance, MemoryError, blanksOf, wordsFor } from "./instance.js";
import { Allowance, Slices, Watch } from "./limits.js";
import { SEARCHES, mixedSeed } from "./searches.js";
import { Solver } from "./solver.js";

const never = () => false;

/**
 * Load the engine.
 * @param {string} baseUrl the folder of the engine's files, with a slash at its end.
 * @param {(url: string) => Promise<ArrayBuffer>} [read] reads a file; by default with fetch.
 * @returns {Promise<Engine>}
 */
export async function loadEngine(baseUrl, read = fetchFile) {
  const about = JSON.parse(new TextDecoder().decode(await read(`${baseUrl}engine.json`)));
  return new Engine(about, (name) => read(baseUrl + name));
}

async function fetchFile(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer.arrayBuffer();
}

/**
 * What a search found.
 * @typedef {object} Choice
 * @property {number} move the square to move to.
 * @property {number|null} score for the player to move, ±Infinity at a proven end; null if there is none.
 * @property {number} depth the plies searched in full.
 * @property {number} nodes the positions entered.
 * @property {number[]} line the principal variation; its first move is the choice.
 * @property {boolean} proven whether the score is the true result.
 * @property {number|null} plies the plies to the end of a proven game, if known.
 * @property {number} ms the time it took.
 */

/**
 * What the solver found.
 * @typedef {object} Answer
 * @property {boolean|null} wins whether the player to move wins against every defence; null if the budget ran out first.
 * @property {number|null} move a winning move, if there is one; with `distance`, the best move also of the loser.
 * @property {number} nodes the positions entered.
 * @property {number|null} plies the plies to the end of the game with perfect play, if asked for and found.
 */

export class Engine {
  #about;
  #read;
  #instances = new Map(); // by words, promises
  #weights = new Map(); // by file, promises
  #slices = new Map(); // by search and heuristic
  #last = Promise.resolve();

  constructor(about, read) {
    this.#about = about;
    this.#read = read;
  }

  /**
   * The parts of an agent that any code can look at, among them the oracle, which `choose` does not have.
   * @returns {{search: string, limit: object, book: boolean}}
   */
  read(spec) {
    const { search, limit, book, heuristic } = parseAgent(spec, this.#about.searches);
    if (heuristic) bindHeuristic(heuristic, this.#about.heuristics);
    return { search, limit, book };
  }

  /**
   * Choose a move as the agent does on the command line.
   * @param {string} spec the agent, such as alphabeta:improved@nodes=8000.
   * @param {import("../game/rules.js").Position} position an unfinished position.
   * @param {object} [options]
   * @param {{nodes?: number|null, ms?: number|null}} [options.limit] replaces the agent's, if it has a bound.
   * @param {number|bigint} [options.seed] the game's seed.
   * @param {() => boolean} [options.isStopped] ends the search.
   * @param {boolean} [options.proofs] whether the champion also proves its move.
   * @param {(choice: Choice) => void} [options.onProgress] called about ten times a second with the best choice so far.
   * @returns {Promise<Choice>}
   */
  choose(spec, position, options = {}) {
    return this.#inTurn(() => this.#choose(spec, position, options));
  }

  async #choose(spec, position, { limit: bounds = {}, seed = 0, isStopped = never, proofs = true, onProgress = null }) {
    if (position.winner() !== null) throw new Error("the game is over");
    const agent = this.#agent(spec);
    const about = this.#about.searches[agent.search];
    const given = givenOf(bounds);
    if (about.takesLimit && Object.keys(given).length) agent.limit = given;
    const limit = about.takesLimit ? agent.limit : { depth: 1 };
    const instance = await this.#instanceFor(position, agent.heuristic);
    const search = new SEARCHES[agent.search](instance, agent, proofs);
    search.start(position, limit, mixedSeed(seed, position.blankCount));
    const report = () => ({ ...search.best(), ms: watch.ms });
    const watch = new Watch(isStopped, onProgress && (() => search.best() && onProgress(report())));
    await search.run(this.#slicesOf(agent), limit, watch);
    return report();
  }

  /**
   * Find the exact value of a position.
   * @param {import("../game/rules.js").Position} position a position with both players placed.
   * @param {object} [budget]
   * @param {number|null} [budget.nodes] the most positions to enter.
   * @param {number|null} [budget.ms] the most milliseconds.
   * @param {boolean} [budget.distance] whether to find the length of the game as well.
   * @param {() => boolean} [budget.isStopped] ends the search.
   * @returns {Promise<Answer>}
   */
  solve(position, budget = {}) {
    return this.#inTurn(() => this.#solve(position, budget));
  }

  async #solve(position, { distance = false, isStopped = never, ...budget }) {
    const solver = new Solver(await this.#instanceFor(position, null), new Watch(isStopped));
    const allowance = new Allowance(budget, isStopped);
    const answer = { ...(await solver.solve(position, allowance)), plies: null };
    if (!distance || answer.wins === null) return answer;
    const found = await solver.distance(position, answer.wins, allowance);
    return { ...answer, plies: found.plies, move: found.move ?? answer.move, nodes: allowance.spent };
  }

  /**
   * A heuristic's value of a position with both players placed, for the player to move or the other.
   * @param {string} heuristic such as distance(z=0).
   * @param {import("../game/rules.js").Position} position
   * @param {number} [player] 0 for the first player, 1 for the second; by default the player to move.
   * @returns {Promise<number>}
   */
  value(heuristic, position, player) {
    return this.#inTurn(() => this.#value(heuristic, position, player));
  }

  async #value(heuristic, position, player = position.toMove) {
    const bound = bindHeuristic(parseCall(heuristic), this.#about.heuristics);
    const instance = await this.#instanceFor(position, bound);
    const { heap, words, exports } = instance;
    const tables = instance.tablesOf(position.rows, position.cols);
    const parameters = instance.parametersOf(bound);
    const blank = heap.block("blank", words);
    heap.setSquares(blank, 0, blanksOf(position), words);
    const [own, opp] = [position.squares[player], position.squares[1 - player]];
    const turn = position.toMove === player ? 1 : 0;
    return exports.isolarium_value(instance.indexOf("value"), tables.first, parameters, blank, own, opp, turn);
  }

  #agent(spec) {
    const agent = parseAgent(spec, this.#about.searches);
    if (!SEARCHES[agent.search]) throw new SpecError(`${spec}: the browser has no search ${agent.search}`);
    if (agent.heuristic) agent.heuristic = bindHeuristic(agent.heuristic, this.#about.heuristics);
    const about = this.#about.searches[agent.search];
    if (!Object.keys(agent.limit).length) agent.limit = { nodes: about.defaultNodes };
    return agent;
  }

  #slicesOf({ search, heuristic }) {
    const key = `${search}:${heuristic?.name}`;
    if (!this.#slices.has(key)) this.#slices.set(key, new Slices());
    return this.#slices.get(key);
  }

  /** The instance for a board, with the heuristic's weights. */
  async #instanceFor(position, heuristic) {
    const words = wordsFor(position.rows, position.cols);
    const instance = await once(this.#instances, words, async () =>
      Instance.load(await this.#moduleFor(words), words, this.#about),
    );
    const file = heuristic?.weights;
    if (file) instance.weights.set(file, await once(this.#weights, file, () => this.#read(file)));
    return instance;
  }

  /** The module for a number of words; browsers without vector instructions get the scalar one. */
  async #moduleFor(words) {
    const content = await this.#read(`engine-${words}.wasm`);
    return WebAssembly.validate(content) ? content : this.#read(`engine-${words}-scalar.wasm`);
  }

  /** Run a task after those before it; if memory runs out, once more without the tables of earlier tasks. */
  #inTurn(task) {
    const again = (error) => {
      if (!(error instanceof MemoryError)) throw error;
      this.#instances.clear();
      return task();
    };
    const result = this.#last.then(() => task().catch(again));
    this.#last = result.catch(() => {});
    return result;
  }
}

/** The promise of a value, made once; a failure is not kept. */
function once(promises, key, make) {
  if (!promises.has(key)) {
    const made = make();
    promises.set(key, made);
    made.catch(() => promises.delete(key));
  }
  return promises.get(key);
}

/** The bounds that are given. */
const givenOf = (limit) => Object.fromEntries(Object.entries(limit).filter(([, bound]) => (bound ?? null) !== null));
