// Requests to the server. Every refusal becomes an ApiError whose message is the server's one line.
//
// Requests that a page makes by itself (`get`, `query`, `Conversation`) are repeated until there is an answer, however
// often the server is busy, away or silent. A request made with a button (`post`) is sent once: its failure is shown,
// and the person presses the button again.

const TOKEN = "isolarium-token";
const AGAIN_MS = 1000;
const MOST_AGAIN_MS = 8000;
const PATIENCE_MS = 240_000; // longer than the server gives anything to be begun, compiled and done
const PASSING = [0, 408, 502, 503, 504]; // no answer, or none this time

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Keep a token that came in the address's fragment for this visit. */
export function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  sessionStorage.setItem(TOKEN, token);
  history.replaceState(null, "", location.pathname + location.search);
}

/**
 * Ask for something, until it is answered.
 * @param {string} path
 * @param {{signal?: AbortSignal, onWait?: (text: string) => void}} options `onWait` is called with why there is no answer
 *   yet, and with nothing once that is over.
 */
export const get = (path, options) => untilAnswered(path, {}, options);

/** Send a request with a body that changes nothing, until it is answered; options are those of `get`. */
export const query = (path, body, options) => untilAnswered(path, posted(body), options);

/** Ask once for something that a person wants done. */
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
      if (!PASSING.includes(error.status)) throw error;
      onWait(tryingAgain(error.message));
      await new Promise((resolve) => setTimeout(resolve, waitAfter(tries)));
      signal?.throwIfAborted();
    }
  }
}

const tryingAgain = (why) => `${why} Trying again…`;
const waitAfter = (tries) => Math.min(AGAIN_MS * 2 ** (tries - 1), MOST_AGAIN_MS);

async function ask(path, request, signal) {
  const ending = new AbortController();
  const end = () => ending.abort();
  const deadline = setTimeout(end, PATIENCE_MS);
  signal?.addEventListener("abort", end);
  try {
    const response = await fetch(path, { ...request, signal: ending.signal });
    const answer = await response.json();
    if (response.ok) return answer;
    throw new ApiError(answer.error, response.status);
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error;
    throw new ApiError("The server does not answer. Is it still running?", 0);
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener("abort", end);
  }
}

export const socketAddress = (path) => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;

export const LOST = "The connection to the server was lost.";

/** Questions over one WebSocket, each with its own answers. It is opened when first needed, and again after a loss. */
export class Conversation {
  #path;
  #socket = null;
  #open = new Map(); // the questions that are not answered yet, by id
  #next = 1;
  #deadline = 0;

  constructor(path) {
    this.#path = path;
  }

  /**
   * Ask something, until it is answered.
   * @param {object} question what is sent, with an id of its own.
   * @param {(answer: object) => void} onAnswer called with every answer to it.
   * @param {(text: string) => void} onWait called with why there is no answer yet, and with nothing once that is over.
   * @returns {{stop: () => void, forget: () => void}} end it early with what is known; or stop and drop later answers.
   */
  ask(question, onAnswer, onWait) {
    const asked = { question, onAnswer, onWait, id: 0, tries: 0, again: 0 };
    this.#begin(asked);
    const stop = () => this.#open.has(asked.id) && this.#send({ id: asked.id, stop: true });
    const forget = () => {
      stop();
      clearTimeout(asked.again);
      this.#open.delete(asked.id);
    };
    return { stop, forget };
  }

  #begin(asked) {
    asked.id = this.#next++;
    asked.tries++;
    this.#open.set(asked.id, asked);
    this.#send({ id: asked.id, ...asked.question });
  }

  #beginLater(asked, why) {
    this.#open.delete(asked.id);
    asked.onWait(tryingAgain(why));
    asked.again = setTimeout(() => this.#begin(asked), waitAfter(asked.tries));
  }

  #send(message) {
    const socket = this.#connect();
    const text = JSON.stringify(message);
    if (socket.readyState === WebSocket.OPEN) socket.send(text);
    else socket.addEventListener("open", () => socket.send(text), { once: true });
    this.#expectWord();
  }

  #connect() {
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return this.#socket;
    const socket = new WebSocket(socketAddress(this.#path));
    socket.addEventListener("message", ({ data }) => socket === this.#socket && this.#hear(JSON.parse(data)));
    socket.addEventListener("close", () => this.#lose(socket));
    return (this.#socket = socket);
  }

  #hear(answer) {
    this.#expectWord();
    const asked = this.#open.get(answer.id);
    if (!asked) return;
    if (answer.kind === "busy") return void this.#beginLater(asked, answer.error);
    if (["move", "summary", "error"].includes(answer.kind)) this.#open.delete(answer.id);
    if (asked.tries > 1) asked.onWait("");
    asked.tries = 1;
    asked.onAnswer(answer);
  }

  /** Without a message for long the connection is dead, whatever the browser reports. */
  #expectWord() {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#open.size && this.#lose(this.#socket), PATIENCE_MS);
  }

  #lose(socket) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    socket.close();
    for (const asked of [...this.#open.values()]) this.#beginLater(asked, LOST);
  }
}

/**
 * Receive the messages that the server sends on a path.
 * @param {() => void} onLost called a while after the line was lost.
 */
export function listen(path, onMessage, onLost) {
  const socket = new WebSocket(socketAddress(path));
  socket.addEventListener("message", ({ data }) => onMessage(JSON.parse(data)));
  socket.addEventListener("close", () => setTimeout(onLost, AGAIN_MS));
}
