// What the server is asked. Every refusal becomes an ApiError whose message is the server's one line.

const TOKEN = "isolab-token";
const MOST_TRIES = 5;
export const BUSY = 503;
export const AGAIN_MS = 1000;

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

/** Ask for something; while the server is busy, again a few times. */
export async function get(path, signal) {
  for (let tries = 1; ; tries++) {
    try {
      return await ask(path, { signal });
    } catch (error) {
      if (error.status !== BUSY || tries === MOST_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

export function post(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers["X-Isolab-Token"] = token;
  return ask(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

async function ask(path, options) {
  try {
    const response = await fetch(path, options);
    const answer = await response.json();
    if (response.ok) return answer;
    throw new ApiError(answer.error, response.status);
  } catch (error) {
    if (error instanceof ApiError || error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Is it still running?", 0);
  }
}

export const socketAddress = (path) => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;

/** Questions over one WebSocket, each with its own answers. It is opened when first needed, and again after a loss. */
export class Conversation {
  #path;
  #socket = null;
  #listeners = new Map();
  #next = 1;

  constructor(path) {
    this.#path = path;
  }

  /**
   * Ask something.
   * @param {object} question what is sent, with an id of its own.
   * @param {(answer: object) => void} onAnswer called with every answer to it.
   * @returns {{stop: () => void, forget: () => void}} end it early with what is known; or stop and hear no more.
   */
  ask(question, onAnswer) {
    const id = this.#next++;
    this.#listeners.set(id, onAnswer);
    this.#send({ id, ...question });
    const stop = () => this.#listeners.has(id) && this.#send({ id, stop: true });
    const forget = () => {
      stop();
      this.#listeners.delete(id);
    };
    return { stop, forget };
  }

  #send(message) {
    const socket = this.#open();
    const text = JSON.stringify(message);
    if (socket.readyState === WebSocket.OPEN) socket.send(text);
    else socket.addEventListener("open", () => socket.send(text), { once: true });
  }

  #open() {
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return this.#socket;
    const socket = new WebSocket(socketAddress(this.#path));
    socket.addEventListener("message", (event) => this.#hear(JSON.parse(event.data)));
    socket.addEventListener("close", () => this.#lose(socket));
    return (this.#socket = socket);
  }

  #hear(answer) {
    const listener = this.#listeners.get(answer.id);
    if (["move", "summary", "error", "busy"].includes(answer.kind)) this.#listeners.delete(answer.id);
    listener?.(answer);
  }

  #lose(socket) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    const waiting = [...this.#listeners];
    this.#listeners.clear();
    const error = "The connection to the server was lost. Is it still running?";
    for (const [, listener] of waiting) listener({ kind: "error", error, status: 0 });
  }
}

/**
 * Listen to what a path tells by itself.
 * @returns {() => void} stops listening.
 */
export function listen(path, onMessage, onLost) {
  const socket = new WebSocket(socketAddress(path));
  let heard = true;
  socket.addEventListener("message", (event) => heard && onMessage(JSON.parse(event.data)));
  socket.addEventListener("close", () => heard && onLost());
  return () => {
    heard = false;
    socket.close();
  };
}
