// The connection to a game with a friend, reopened whenever it is lost. It uses no DOM except the browser's network
// events.
//
// Events: "game" with the state of the game as `detail`, "problem" with an error message, "state" when `state` changes.

import { socketAddress } from "../shared/api.js";

const FIRST_MS = 500;
const MOST_MS = 10_000;
const PING_MS = 10_000;
const TIMEOUT_MS = 8_000;
const FINAL = [403, 404, 422]; // statuses that a retry does not change

export class FriendConnection extends EventTarget {
  #token;
  #socket = null;
  #wait = FIRST_MS;
  #again = 0;
  #ping = 0;
  #deadline = 0;

  constructor(token) {
    super();
    this.#token = token;
    this.state = "connecting"; // or open, lost, offline, refused
    addEventListener("offline", () => this.#lose("offline"));
    addEventListener("online", () => this.#retryNow());
    document.addEventListener("visibilitychange", () => document.hidden || this.#retryNow());
    addEventListener("pagehide", () => this.#drop());
    addEventListener("pageshow", ({ persisted }) => persisted && this.#retryNow());
  }

  /** Connect. */
  open() {
    clearTimeout(this.#again);
    if (!navigator.onLine) return this.#lose("offline");
    const socket = (this.#socket = new WebSocket(socketAddress("/api/friend")));
    this.#expectMessage();
    socket.addEventListener("open", () => socket.send(JSON.stringify({ token: this.#token })));
    socket.addEventListener("message", ({ data }) => socket === this.#socket && this.#receive(JSON.parse(data)));
    socket.addEventListener("close", () => socket === this.#socket && this.#lose("lost"));
    return undefined;
  }

  /** Send a message. Returns false if the connection is not open. */
  send(message) {
    if (this.state !== "open") return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  #receive(message) {
    clearTimeout(this.#deadline);
    if (message.kind === "game") {
      this.#wait = FIRST_MS;
      this.#change("open");
      this.#emit("game", message);
    } else if (message.kind === "error") {
      const isOver = this.state !== "open" && FINAL.includes(message.status);
      if (isOver) this.#drop();
      this.#emit("problem", message.error);
      if (isOver) this.#change("refused");
    }
    clearTimeout(this.#ping);
    if (this.state === "open") this.#ping = setTimeout(() => this.#sendPing(), PING_MS);
  }

  #sendPing() {
    if (this.send({ do: "ping" })) this.#expectMessage();
  }

  /** Treat the connection as dead after a long silence, even if the browser still calls it open. */
  #expectMessage() {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#lose("lost"), TIMEOUT_MS);
  }

  #lose(state) {
    if (this.state === "refused") return;
    this.#drop();
    this.#change(state);
    if (state === "offline") return; // the "online" event reconnects
    this.#again = setTimeout(() => this.open(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, MOST_MS);
  }

  #retryNow() {
    if (["lost", "offline"].includes(this.state)) this.open();
  }

  #drop() {
    for (const timer of [this.#again, this.#ping, this.#deadline]) clearTimeout(timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #change(state) {
    if (this.state === state) return;
    this.state = state;
    this.#emit("state", state);
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
