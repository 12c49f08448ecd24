// Requests to the server, and the data of the package. Every error response becomes an ApiError with the server's one-line
// message.
//
// Requests that a page makes by itself (`get`, `query`) are retried until they are answered, even if the server is busy or
// unreachable. A request made with a button (`post`) is sent once: an error is shown, and the visitor can press the button
// again.

import { isSite } from "./address.js";

const TOKEN = "isolarium-token";
const RETRY_MS = 1000;
const MOST_RETRY_MS = 8000;
const TIMEOUT_MS = 240_000; // longer than the server allows a job to wait, compile and run
const RETRIED = [0, 408, 502, 503, 504]; // 0: no answer

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Move a token from the address's fragment to the session storage. */
export function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  sessionStorage.setItem(TOKEN, token);
  history.replaceState(null, "", location.pathname + location.search);
}

/**
 * Send a GET request, and retry until it is answered.
 * @param {string} path
 * @param {{signal?: AbortSignal, onWait?: (text: string) => void}} options `onWait` is called with the reason for a retry,
 *   and with an empty text once the request succeeds.
 */
export const get = (path, options) => untilAnswered(path, {}, options);

/** Send a POST request that changes nothing, and retry until it is answered; options are those of `get`. */
export const query = (path, body, options) => untilAnswered(path, posted(body), options);

/** Send a POST request once. */
export const post = (path, body) => ask(path, posted(body));

function posted(body) {
  const headers = { "Content-Type": "application/json" };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers["X-Isolarium-Token"] = token;
  return { method: "POST", headers, body: JSON.stringify(body) };
}

async function untilAnswered(path, request, { signal, onWait = () => {} } = {}) {
  for (let tries = 1; ; tries++) {
    try {
      const answer = await ask(path, request, signal);
      if (tries > 1) onWait("");
      return answer;
    } catch (error) {
      if (!RETRIED.includes(error.status)) throw error;
      onWait(`${error.message} Trying again…`);
      await new Promise((resolve) => setTimeout(resolve, waitAfter(tries)));
      signal?.throwIfAborted();
    }
  }
}

const waitAfter = (tries) => Math.min(RETRY_MS * 2 ** (tries - 1), MOST_RETRY_MS);

async function ask(path, request, signal) {
  const controller = new AbortController();
  const end = () => controller.abort();
  const deadline = setTimeout(end, TIMEOUT_MS);
  signal?.addEventListener("abort", end);
  try {
    const response = await fetch(path, { ...request, signal: controller.signal });
    const answer = await response.json();
    if (response.ok) return answer;
    throw new ApiError(answer.error, response.status);
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error;
    throw new ApiError("The server does not respond. Is it still running?", 0);
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener("abort", end);
  }
}

export const socketAddress = (path) => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;

export const LOST = "The connection to the server was lost.";

/**
 * Receive the messages that the server sends on a path.
 * @param {() => void} onLost called a moment after the connection was lost.
 */
export function listen(path, onMessage, onLost) {
  const socket = new WebSocket(socketAddress(path));
  socket.addEventListener("message", ({ data }) => onMessage(JSON.parse(data)));
  socket.addEventListener("close", () => setTimeout(onLost, RETRY_MS));
}

// Data of the package: its agents, puzzles and solved starts. A server sends them; a site has them as files.

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
