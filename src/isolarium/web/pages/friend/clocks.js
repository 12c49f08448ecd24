// Two clocks, which run by themselves between what the server says of them.

import { h, setText } from "../shared/dom.js";
import { formatTime } from "./messages.js";

const TICK_MS = 100;
const SHORT_MS = 20_000;

export class Clocks {
  #left = [0, 0];
  #running = null;
  #since = 0;

  constructor() {
    this.halves = ["first", "second"].map((side) => h(`div.clock.${side}`, { role: "timer" }));
    this.element = h("div.clocks", { hidden: true }, this.halves);
    setInterval(() => this.#running !== null && this.#show(), TICK_MS);
  }

  /**
   * @param {{left_ms: number[], running: number|null}|null} clock where the clocks stand now; null: there are none.
   * @param {string[]} names of the players.
   */
  show(clock, names) {
    this.element.hidden = !clock;
    this.#running = clock?.running ?? null;
    if (!clock) return;
    this.#left = clock.left_ms;
    this.#since = performance.now();
    this.halves.forEach((half, player) => {
      half.setAttribute("aria-label", `Time left: ${names[player]}`);
      half.classList.toggle("runs", player === this.#running);
    });
    this.#show();
  }

  #show() {
    this.halves.forEach((half, player) => {
      const spent = player === this.#running ? performance.now() - this.#since : 0;
      const left = this.#left[player] - spent;
      half.classList.toggle("short", left < SHORT_MS);
      setText(half, formatTime(left));
    });
  }
}
