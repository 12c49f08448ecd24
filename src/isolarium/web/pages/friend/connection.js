// The connection to a game with a friend: opened, watched, and opened again when it is lost. No DOM but the browser's
// events about the network.
//
// Events: "game" with `detail` the state of the game, "problem" with one line, "state" when `state` changed.

import { socketAddress } from "../shared/api.js";

const FIRST_MS = 500;
const MOST_MS = 10_000;
const PING_MS = 10_000;
const PATIENCE_MS = 8_000;
const FOR_GOOD = [403, 404, 422];

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

  /** Begin. */
  open() {
    clearTimeout(this.#again);
    if (!navigator.onLine) return this.#lose("offline");
    const socket = (this.#socket = new WebSocket(socketAddress("/api/friend")));
    this.#expectWord();
    socket.addEventListener("open", () => socket.send(JSON.stringify({ token: this.#token })));
    socket.addEventListener("message", ({ data }) => socket === this.#socket && this.#hear(JSON.parse(data)));
    socket.addEventListener("close", () => socket === this.#socket && this.#lose("lost"));
    return undefined;
  }

  /** Send a message; whether the connection is open. */
  say(message) {
    if (this.state !== "open") return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  #hear(message) {
    clearTimeout(this.#deadline);
    if (message.kind === "game") {
      this.#wait = FIRST_MS;
      this.#change("open");
      this.#emit("game", message);
    } else if (message.kind === "error") {
      const isOver = this.state !== "open" && FOR_GOOD.includes(message.status);
      if (isOver) this.#drop();
      this.#emit("problem", message.error);
      if (isOver) this.#change("refused");
    }
    clearTimeout(this.#ping);
    if (this.state === "open") this.#ping = setTimeout(() => this.#ask(), PING_MS);
  }

  #ask() {
    if (this.say({ do: "ping" })) this.#expectWord();
  }

  /** Without a message for long the connection is dead, whatever the browser reports. */
  #expectWord() {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#lose("lost"), PATIENCE_MS);
  }

  #lose(state) {
    if (this.state === "refused") return;
    this.#drop();
    this.#change(state);
    if (state === "offline") return; // an event tells when there is a network again
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
