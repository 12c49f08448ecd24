// A run live on a board: the game in progress if games take seconds; else a replay of the latest finished game, then of
// the next latest.

import { BoardView } from "../board/board.js";
import { parseGame } from "../game/notation.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { get } from "../shared/api.js";
import { PlayerStrip, boardSide } from "../shared/board_side.js";
import { fill, h, setText } from "../shared/dom.js";

const STEP_MS = 500;
const END_MS = 1500; // pause at the end of a game

export class LiveBoard {
  #timer = 0;
  #shown = 0; // the number of the game on the board

  /** @param {string} run the run's name. */
  constructor(run) {
    this.path = `/api/runs/${encodeURIComponent(run)}/games`;
    this.board = new BoardView({ interactive: false });
    this.strip = new PlayerStrip();
    this.line = h("p.small.quiet-text");
    this.pause = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.#toggle() }, "Pause");
    this.element = h("section.live", { "aria-label": "Live", hidden: true });
    this.content = [
      h("div.row.spread", {}, h("h2", {}, "Live"), this.pause),
      this.line,
      boardSide(this.board, [this.strip.element]),
    ];
  }

  get #isPaused() {
    return this.pause.getAttribute("aria-pressed") === "true";
  }

  #toggle() {
    this.pause.setAttribute("aria-pressed", String(!this.#isPaused));
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (!this.#isPaused) this.show(this.run);
  }

  /** Follow a run while it is played; afterwards, the section is hidden. */
  show(run) {
    this.run = run;
    const isLive = run.state === "playing" && (run.games > 0 || run.live !== null);
    this.element.hidden = !isLive;
    if (isLive !== this.element.hasChildNodes()) fill(this.element, isLive ? this.content : []);
    if (!isLive || this.#isPaused) return;
    if (run.live) this.#follow(run.live);
    else if (!this.#timer) this.#timer = setTimeout(() => this.#step());
  }

  /** Show the game in progress. */
  #follow({ text, labels }) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const { start, moves } = parseGame(text);
    const { position, current } = new GameTree(start, moves);
    this.tree = null;
    const label = `Game in progress, after move ${current.ply}`;
    this.board.show({ position, last: current.move, trails: trailsTo(current), trapped: null, label });
    this.strip.show(labels, position, false);
    setText(this.line, `In progress: move ${current.ply + 1}.`);
  }

  /** Show the next move; after the last one, continue with the game that is now the latest. */
  async #step() {
    const wait = this.tree?.current.children.length ? this.#forward() : await this.#next();
    clearTimeout(this.#timer);
    const continues = this.run.state === "playing" && !this.run.live && !this.#isPaused;
    this.#timer = continues ? setTimeout(() => this.#step(), wait) : 0;
  }

  #forward() {
    this.tree.forward();
    this.#draw();
    return this.tree.current.children.length ? STEP_MS : END_MS;
  }

  async #next() {
    const last = this.run.games;
    if (last === this.#shown) return END_MS; // no new game is finished
    try {
      this.game = await get(`${this.path}/${last}`, { onWait: (text) => setText(this.line, text) });
      this.#shown = last;
      const { start, moves } = parseGame(this.game.text);
      this.tree = new GameTree(start, moves);
      this.tree.toStart();
      this.#draw();
    } catch (error) {
      setText(this.line, error.message);
    }
    return STEP_MS;
  }

  #draw() {
    const { position, current } = this.tree;
    const winner = position.winner();
    const label = `Game ${this.game.number}, move ${current.ply} of ${this.game.length}`;
    const trapped = winner === null ? null : 1 - winner;
    this.board.show({ position, last: current.move, trails: trailsTo(current), trapped, label });
    this.strip.show(this.game.labels, position, winner !== null);
    setText(this.line, `Replay of game ${this.game.number}, finished recently.`);
  }
}
