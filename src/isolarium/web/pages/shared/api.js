// Requests to the server. Every error response becomes an ApiError with the server's one-line message.
//
// Requests that a page makes by itself (`get`, `query`, `JobSocket`) are retried until they are answered, even if the
// server is busy or unreachable. A request made with a button (`post`) is sent once: an error is shown, and the visitor
// can press the button again.

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
      onWait(retryText(error.message));
      await new Promise((resolve) => setTimeout(resolve, waitAfter(tries)));
      signal?.throwIfAborted();
    }
  }
}

const retryText = (why) => `${why} Trying again…`;
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

/** Requests over one WebSocket, each with its own answers. It is opened on first use, and again after a loss. */
export class JobSocket {
  #path;
  #socket = null;
  #open = new Map(); // the unanswered requests, by id
  #next = 1;
  #deadline = 0;

  constructor(path) {
    this.#path = path;
  }

  /**
   * Send a request, and retry until it is answered.
   * @param {object} request the message; an id is added.
   * @param {(answer: object) => void} onAnswer called with every answer.
   * @param {(text: string) => void} onWait called with the reason for a retry, and with an empty text once it succeeds.
   * @returns {{stop: () => void, forget: () => void}} `stop` ends it early with the result so far; `forget` also drops
   *   later answers.
   */
  ask(request, onAnswer, onWait) {
    const entry = { request, onAnswer, onWait, id: 0, tries: 0, again: 0 };
    this.#begin(entry);
    const stop = () => this.#open.has(entry.id) && this.#send({ id: entry.id, stop: true });
    const forget = () => {
      stop();
      clearTimeout(entry.again);
      this.#open.delete(entry.id);
    };
    return { stop, forget };
  }

  #begin(entry) {
    entry.id = this.#next++;
    entry.tries++;
    this.#open.set(entry.id, entry);
    this.#send({ id: entry.id, ...entry.request });
  }

  #beginLater(entry, why) {
    this.#open.delete(entry.id);
    entry.onWait(retryText(why));
    entry.again = setTimeout(() => this.#begin(entry), waitAfter(entry.tries));
  }

  #send(message) {
    const socket = this.#connect();
    const text = JSON.stringify(message);
    if (socket.readyState === WebSocket.OPEN) socket.send(text);
    else socket.addEventListener("open", () => socket.send(text), { once: true });
    this.#expectMessage();
  }

  #connect() {
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return this.#socket;
    const socket = new WebSocket(socketAddress(this.#path));
    socket.addEventListener("message", ({ data }) => socket === this.#socket && this.#receive(JSON.parse(data)));
    socket.addEventListener("close", () => this.#lose(socket));
    return (this.#socket = socket);
  }

  #receive(answer) {
    this.#expectMessage();
    const entry = this.#open.get(answer.id);
    if (!entry) return;
    if (answer.kind === "busy") return void this.#beginLater(entry, answer.error);
    if (["move", "summary", "error"].includes(answer.kind)) this.#open.delete(answer.id);
    if (entry.tries > 1) entry.onWait("");
    entry.tries = 1;
    entry.onAnswer(answer);
  }

  /** Treat the connection as dead after a long silence, even if the browser still calls it open. */
  #expectMessage() {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#open.size && this.#lose(this.#socket), TIMEOUT_MS);
  }

  #lose(socket) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    socket.close();
    for (const entry of [...this.#open.values()]) this.#beginLater(entry, LOST);
  }
}

/**
 * Receive the messages that the server sends on a path.
 * @param {() => void} onLost called a moment after the connection was lost.
 */
export function listen(path, onMessage, onLost) {
  const socket = new WebSocket(socketAddress(path));
  socket.addEventListener("message", ({ data }) => onMessage(JSON.parse(data)));
  socket.addEventListener("close", () => setTimeout(onLost, RETRY_MS));
}
