// Data of the package: its agents, puzzles and solved starts. A server sends them; a site has them as files.

import { isSite } from "./address.js";
import { ApiError, get } from "./api.js";

const FILES = new URL("../data/", import.meta.url);

/** Options are those of `get`. */
const load = (name, options) => get(isSite ? new URL(`${name}.json`, FILES) : `/api/${name}`, options);

/** The searches, heuristics, levels and limits: the answer to GET /api/agents. */
export const agentCatalogue = (options) => load("agents", options);

/** Who wins each start of a board: the answer to GET /api/starts/BOARD. */
export const startsOf = (board, options) => load(`starts/${board}`, options);

/** The number of puzzles and their difficulties: the answer to GET /api/puzzles. */
export const puzzleList = (options) => load("puzzles", options);

/** A puzzle: the answer to GET /api/puzzles/NUMBER. */
export async function puzzleOf(number, options) {
  if (!isSite) return get(`/api/puzzles/${encodeURIComponent(number)}`, options);
  const { puzzles } = await puzzleList(options);
  const found = puzzles[number - 1];
  if (!found) throw new ApiError(`puzzle ${number}: expected 1 to ${puzzles.length}`, 404);
  return found;
}
