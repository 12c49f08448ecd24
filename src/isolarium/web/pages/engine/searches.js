// The compiled searches: what each needs in memory before its first slice, as the classes in isolarium/search prepare it.

import { MemoryError, blanksOf } from "./instance.js";
import { tableBits } from "./solver.js";

const MOST_NODES_WITHOUT_LIMIT = 2 ** 20; // of a tree that time alone limits: 32 MiB
const LAST_GENERATION = 60_000;
const MASK = (1n << 64n) - 1n;

/** A random number below 2**62, a BigInt, that depends on every bit of seed and stream, as in isolarium/limits.py. */
export function mixedSeed(seed, stream) {
  let word = (BigInt(seed) + 0x9e3779b97f4a7c15n * (BigInt(stream) + 1n)) & MASK;
  word = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  word = ((word ^ (word >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return (word ^ (word >> 31n)) >> 2n;
}

/** A search in one instance, for one position at a time. */
export class Search {
  /**
   * @param {Instance} instance
   * @param {object} agent a parsed agent.
   */
  constructor(instance, agent) {
    this.instance = instance;
    this.heap = instance.heap;
    this.agent = agent;
    this.places = instance.places;
    this.function = instance.indexOf(this.name);
  }

  /** The compiled function's name. */
  get name() {
    const { search, heuristic } = this.agent;
    const name = { greedy: "alphabeta", minimax: "alphabeta" }[search] ?? search;
    const inlined = `${name}:${heuristic?.name}`;
    return this.instance.has(inlined) ? inlined : name;
  }

  /** Whether a proven result has no number of plies, because a shorter win may have been pruned. */
  get hidesPlies() {
    return this.agent.search === "champion";
  }

  /** Write inputs and state for a position. */
  start(position, limit, seed) {
    const { heap, places, instance } = this;
    const { inputs: at, state } = places;
    const tables = instance.tablesOf(position.rows, position.cols);
    this.words = instance.words;
    this.state = heap.block("state", state.STATE_WORDS);
    this.inputs = heap.block("inputs", at.INPUT_WORDS);
    const depth = limit.depth ?? 0;
    const depthAlone = limit.depth !== undefined && limit.nodes === undefined && limit.ms === undefined;
    const generation = heap.get(this.inputs, at.GENERATION);
    heap.zero(this.inputs, at.INPUT_WORDS);
    for (const [place, value] of [
      [at.STATE, this.state],
      [at.TABLES, tables.list],
      [at.SYMMETRIES, tables.count],
      [at.GENERATION, generation],
      [at.DEPTH_LIMIT, Math.min(depth, at.EVERYTHING)],
      [at.ONE_DEPTH, depthAlone ? 1 : 0],
    ]) {
      heap.set(this.inputs, place, value);
    }
    if (this.agent.heuristic) heap.set(this.inputs, at.PARAMETERS, instance.parametersOf(this.agent.heuristic));
    this.prepare(position, limit);
    const { inputs } = this;
    heap.zero(this.state, state.STATE_WORDS);
    heap.set(this.state, state.SEED, seed);
    heap.set(this.state, state.MOVER, position.mover ?? position.size);
    heap.set(this.state, state.OTHER, position.squares[1 - position.toMove] ?? position.size);
    heap.setSquares(this.state, state.BLANK, blanksOf(position), 3);
    this.extend = (quota) => instance.choose(this.function, inputs, quota);
  }

  /** Write the search's own inputs. */
  prepare() {
    const { heap, places, inputs } = this;
    const { search } = this.agent;
    if (search === "random") return;
    heap.set(inputs, places.inputs.MEMORY, heap.block("frames", places.alphabeta.MEMORY_WORDS));
    const open = search === "greedy" || search === "minimax";
    heap.setFloat(inputs, places.alphabeta.CEILING, open ? -places.state.NOTHING : places.state.NOTHING);
  }

  /** The best choice so far; null before the first slice. */
  best() {
    const { heap } = this;
    const { state: at } = this.places;
    const state = this.state;
    if (heap.get(state, at.STARTED) === 0) return null;
    const line = Array.from({ length: heap.get(state, at.PV_LENGTH) }, (_, place) => heap.get(state, at.PV + place));
    const score = heap.getFloat(state, at.SCORE);
    const proven = Math.abs(score) > at.PROVEN;
    return {
      move: line[0],
      score: Number.isNaN(score) ? null : Math.abs(score) > at.FINITE ? Math.sign(score) * Infinity : score,
      depth: heap.get(state, at.DEPTH),
      nodes: heap.get(state, at.NODES),
      line,
      proven,
      plies: proven && !this.hidesPlies ? Math.round(at.WIN - Math.abs(score)) : null,
    };
  }

  /** Search until a limit; see `Slices.run`. */
  async run(slices, limit, watch) {
    await slices.run(this.extend, limit, watch);
    if (!this.best()) this.extend(1);
  }
}

/** A search with a transposition table. */
export class TableSearch extends Search {
  prepare(position, limit) {
    super.prepare(position, limit);
    this.prepareTable(tableMask(limit, this.places.table));
  }

  prepareTable(mask) {
    const { heap, places, inputs, words } = this;
    const needed = (mask + 1) * (words + places.table.ENTRY_EXTRA);
    const isNew = !heap.has("entries", needed);
    heap.set(inputs, places.inputs.ENTRIES, heap.block("entries", needed));
    heap.set(inputs, places.inputs.MASK, mask);
    // Entries of earlier searches have another generation; before the generations run out, all are cleared.
    if (isNew || heap.get(inputs, places.inputs.GENERATION) > LAST_GENERATION) {
      heap.clear("entries");
      heap.set(inputs, places.inputs.GENERATION, 0);
    }
  }
}

export function tableMask(limit, { LEAST_BITS, MOST_BITS }) {
  const bits = limit.nodes === undefined ? MOST_BITS : Math.floor(limit.nodes / 4).toString(2).length;
  return 2 ** Math.max(LEAST_BITS, Math.min(MOST_BITS, bits)) - 1;
}

/** The champion: a search, then proofs by the solver. */
export class ChampionSearch extends TableSearch {
  /** @param {boolean} proves false for the search alone, as the oracle uses it. */
  constructor(instance, agent, proves = true) {
    super(instance, agent);
    this.proves = proves;
    this.searchFunction = instance.indexOf("selective");
    if (!proves) this.function = this.searchFunction;
  }

  prepare(position, limit) {
    const { heap, places, inputs, words } = this;
    const { champion, prover, inputs: at, selective } = places;
    heap.set(inputs, at.MEMORY, heap.block("frames", selective.MEMORY_WORDS));
    heap.set(inputs, selective.SELECTIVE, 1);
    this.prepareTable(tableMask(limit, places.table));
    if (!this.proves) return;
    const nodes = proofNodes(limit, prover);
    this.part = searchPart(limit, prover);
    const most = Math.floor(nodes) ? mostBlanks(position.rows * position.cols, prover.WITHIN_REACH * nodes) : -1;
    this.tries = position.blankCount <= most && !position.placing;
    const proofWords = champion.SOLVER_ENTRIES + (words + 1) * 2 ** tableBits(position.size, places.winloss);
    this.proofs = heap.block("proofs", proofWords);
    for (const [place, value] of [
      [champion.SEARCH, this.searchFunction],
      [champion.SOLVER, this.instance.indexOf("winloss")],
      [champion.PROOFS, this.proofs],
      [champion.STAGE, limit.ms === undefined ? champion.BOTH : champion.ONLY_SEARCH],
      [champion.MOST_BLANKS, most],
      [champion.SEARCH_NODES, this.part.nodes ?? at.EVERYTHING],
      [champion.SEARCH_MASK, tableMask(this.part, places.table)],
      [champion.WHOLE_MASK, tableMask(limit, places.table)],
      [champion.PROOF_NODES, limit.nodes === undefined ? at.EVERYTHING : Math.floor(nodes)],
      [champion.WHOLE_NODES, limit.nodes ?? at.EVERYTHING],
    ]) {
      heap.set(inputs, place, value);
    }
  }

  async run(slices, limit, watch) {
    if (!this.proves || limit.ms === undefined) return super.run(slices, limit, watch);
    await super.run(slices, this.tries ? this.part : limit, watch);
    if (this.tries && !watch.stopped) await this.prove(limit.ms, watch);
  }

  /** Prove by the clock: each move may take half of the time that is left. */
  async prove(ms, watch) {
    const { heap, inputs } = this;
    const { champion, inputs: at } = this.places;
    heap.set(inputs, champion.STAGE, champion.ONLY_PROOFS);
    let index = -1;
    let until = ms;
    while (this.extend(at.EVERYTHING) !== "finished") {
      const elapsed = watch.ms;
      if (heap.get(this.proofs, champion.INDEX) !== index) {
        index = heap.get(this.proofs, champion.INDEX);
        until = (elapsed + ms) / 2;
      } else if (elapsed >= until) heap.set(this.proofs, champion.MOST, 0);
      if (elapsed >= ms || watch.stopped) return;
      await watch.rest();
    }
  }
}

/** The nodes for proofs; 0 for a limit in depth. */
function proofNodes(limit, { PROOFS_SHARE, NODES_A_MS }) {
  const most = Math.min(limit.nodes ?? Infinity, limit.ms === undefined ? Infinity : limit.ms * NODES_A_MS);
  return limit.depth === undefined && most < Infinity ? PROOFS_SHARE * most : 0;
}

function searchPart(limit, { PROOFS_SHARE }) {
  const share = 1 - PROOFS_SHARE;
  const part = { ...limit };
  if (limit.nodes !== undefined) part.nodes = Math.max(1, Math.floor(share * limit.nodes));
  if (limit.ms !== undefined) part.ms = share * limit.ms;
  return part;
}

/** The largest number of blanks for which the solver is likely to need at most so many nodes; -1 for none. */
export function mostBlanks(size, nodes) {
  let most = -1;
  for (let blanks = 0; blanks < size - 1; blanks++) {
    const blocked = size - blanks - 2;
    if (Math.exp(12.5 + 0.36 * (blanks - 47) - 0.216 * blocked) <= nodes) most = blanks;
  }
  return most;
}

/** Monte-Carlo tree search. */
export class MonteCarloSearch extends Search {
  prepare(position, limit) {
    const { heap, places, inputs } = this;
    const { EXPLORATION, CAPACITY, PATH, NODE_BYTES, MOST_TREE_NODES } = places.mcts;
    const { size } = position;
    // Each iteration enters a node and adds at most eight, after the placements of both players.
    const placed = 1 + size + (position.squares.includes(null) ? size * size : 0);
    const most = limit.nodes === undefined ? MOST_NODES_WITHOUT_LIMIT : placed + 8 * limit.nodes;
    const capacity = Math.min(MOST_TREE_NODES, most);
    heap.set(inputs, places.inputs.MEMORY, heap.block("tree", (capacity * NODE_BYTES) / 8));
    heap.setFloat(inputs, EXPLORATION, this.agent.options.c);
    heap.set(inputs, CAPACITY, capacity);
    heap.set(inputs, PATH, heap.block("path", size + 1));
  }
}

/** Rivest's min/max approximation, whose tree grows block by block. */
export class ApproximationSearch extends Search {
  prepare() {
    const { heap, places, inputs } = this;
    const at = places.approximation;
    const { reverse, constant, p, scale, proven } = this.agent.options;
    const words = (at.BLOCK_NODES * at.NODE_BYTES) / 8;
    const head = heap.block("tree head", at.HEAD_WORDS);
    const block = (number) => heap.block(`tree ${number}`, words);
    heap.zero(head, at.HEAD_WORDS);
    heap.set(head, at.REVERSE, Number(reverse));
    heap.set(head, at.PROVEN, Number(proven));
    heap.setFloat(head, at.CONSTANT, Math.floor(constant * at.GRID + 0.5) / at.GRID);
    heap.setFloat(head, at.POWER, p);
    heap.setFloat(head, at.SCALE, scale);
    heap.set(head, at.FIRST, block(0));
    heap.set(head, at.FIRST_END, block(0) + words * 8);
    heap.set(inputs, places.inputs.MEMORY, head);
    let used = 1;
    this.grow = () => {
      const start = used < at.MOST_NODES / at.BLOCK_NODES ? this.#blockIfRoom(block, used) : null;
      if (start === null) return false;
      used++;
      heap.set(head, at.FREE, start);
      heap.set(head, at.END, start + words * 8);
      return true;
    };
  }

  /** The address of another block; null if memory is full, where the tree ends as a native one does at its maximum. */
  #blockIfRoom(block, number) {
    try {
      return block(number);
    } catch (error) {
      if (error instanceof MemoryError) return null;
      throw error;
    }
  }

  async run(slices, limit, watch) {
    const { extend } = this;
    this.extend = (quota) => {
      let status = extend(quota);
      while (status === "paused") status = this.grow() ? extend(quota) : "finished";
      return status;
    };
    return super.run(slices, limit, watch);
  }
}

/** The class of each search by its name in a spec. */
export const SEARCHES = {
  random: Search,
  greedy: Search,
  minimax: Search,
  alphabeta: Search,
  strong: TableSearch,
  champion: ChampionSearch,
  mcts: MonteCarloSearch,
  minmax_approximation: ApproximationSearch,
};
