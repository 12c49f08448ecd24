// The games of a run: a replay on the board, and the live board of a run that is played.

import { BoardView } from "../board/board.js";
import { colourName } from "../board/messages.js";
import { pieceIcon } from "../board/shapes.js";
import { formatSquare, parseGame } from "../game/notation.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { formatPlies, formatScore } from "../game/values.js";
import { FIRST_MISTAKE, readAddress, writeAddress } from "../shared/address.js";
import { get } from "../shared/api.js";
import { Explainer, MoveList, PlayerStrip, boardSide, numbersToggle } from "../shared/board_side.js";
import { breakable, fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";

const PAGE = 25;

export class Replay {
  /**
   * @param {string} run the run's name.
   * @param {(number: number) => void} onOpen called with the number of the shown game.
   */
  constructor(run, onOpen) {
    this.path = `/api/runs/${encodeURIComponent(run)}/games`;
    this.onOpen = onOpen;
    this.offset = 0;
    this.number = null;
    this.tree = null;
    this.board = new BoardView();
    this.strip = new PlayerStrip();
    this.moves = new MoveList((node) => this.#goTo(node));
    this.line = h("p.quiet-text", { "aria-live": "polite" });
    this.problem = h("p.error", { role: "alert" });
    this.choice = new GameChoice(readAddress(location.search), () => this.#choose());
    this.list = h("ul.games");
    this.pages = h("div.row.spread");
    this.links = h("div.row");
    this.element = this.#build();
    this.board.addEventListener("choose", ({ detail }) => this.#follow(detail));
  }

  #build() {
    const step = (text, label, way) =>
      h("button", { type: "button", "aria-label": label, onclick: () => this.walk(way) }, text);
    this.steps = h(
      "div.steps",
      {},
      step("«", "To the start", "toStart"),
      step("‹", "Previous move", "back"),
      step("›", "Next move", "forward"),
      step("»", "To the end", "toEnd"),
    );
    this.boardSide = boardSide(this.board, [this.strip.element], [this.steps, this.links]);
    this.boardSide.hidden = true;
    return h(
      "div.table.with-steps",
      {},
      this.boardSide,
      h(
        "section.panel",
        { "aria-label": "Games" },
        this.line,
        this.problem,
        this.moves.element,
        numbersToggle(this.board),
        new Explainer(this.board).element,
        this.choice.element,
        this.list,
        this.pages,
      ),
    );
  }

  #get(path) {
    return get(path, { onWait: (text) => fill(this.problem, text) });
  }

  /** Load the current page of games. */
  async load(players) {
    this.players = players ?? this.players;
    if (!this.players) return; // called again once the run is loaded
    this.choice.offer(this.players);
    const wanted = writeAddress({ offset: String(this.offset), limit: String(PAGE), ...this.choice.texts });
    this.wanted = wanted;
    try {
      const answer = await this.#get(this.path + wanted);
      if (wanted !== this.wanted) return; // superseded by another request
      this.#showList(answer);
      if (this.number === null && answer.games.length) await this.open(answer.games[0].number);
      if (!answer.games.length) setText(this.line, this.choice.nothing);
    } catch (error) {
      fill(this.problem, error.message);
    }
  }

  #showList({ games, total, offset }) {
    fill(
      this.list,
      games.map((game) => h("li", {}, this.#entry(game))),
    );
    const button = (text, to, possible) =>
      h("button", { type: "button", disabled: !possible, onclick: () => this.#page(to) }, text);
    fill(
      this.pages,
      button("Earlier", offset - PAGE, offset > 0),
      h("span.small.quiet-text", {}, total ? `${offset + 1} to ${offset + games.length} of ${total}` : ""),
      button("Later", offset + PAGE, offset + PAGE < total),
    );
  }

  #entry(game) {
    const winner = game.winner === "first" ? 0 : 1;
    const label = this.players[winner === 0 ? game.first : game.second];
    const how = game.reason === "no moves" ? "" : ` (${game.reason})`;
    return h(
      "button",
      {
        type: "button",
        "data-number": game.number,
        "aria-pressed": String(game.number === this.number),
        onclick: () => this.open(game.number),
      },
      h("span", {}, `Game ${game.number}`),
      h("span.small.quiet-text", {}, `${game.length} moves${how}`),
      h("span.winner", {}, pieceIcon(winner), h("span.spec-text", {}, breakable(label)), "won"),
    );
  }

  /** List the games of a new choice, from the first page on. */
  async #choose() {
    this.offset = 0;
    this.number = null;
    this.tree = null;
    this.show();
    fill(this.list);
    fill(this.pages);
    fill(this.problem);
    setText(this.line, "Searching the games…");
    await this.load();
    this.onOpen(this.number);
  }

  #page(offset) {
    this.offset = offset;
    this.load();
  }

  /** Show a game by its number. */
  async open(number) {
    this.number = number;
    try {
      const game = await this.#get(`${this.path}/${number}`);
      if (number !== this.number) return; // another was chosen meanwhile
      this.game = game;
      const { start, moves } = parseGame(game.text);
      this.tree = new GameTree(start, moves);
      this.onOpen(number);
      fill(this.problem);
      for (const entry of this.list.querySelectorAll("button")) {
        entry.setAttribute("aria-pressed", String(Number(entry.dataset.number) === number));
      }
      this.show();
    } catch (error) {
      fill(this.problem, error.message);
    }
  }

  walk(way) {
    this.tree?.[way]();
    this.show();
  }

  #goTo(node) {
    this.tree.current = node;
    this.show();
  }

  /** Step forward if the chosen square is the next move. */
  #follow(square) {
    if (this.tree.current.children[0]?.move === square) this.walk("forward");
  }

  show() {
    const { tree, game } = this;
    this.boardSide.hidden = !tree;
    if (!tree) return;
    const { position, current } = tree;
    const winner = position.winner();
    const trapped = winner === null ? null : 1 - winner;
    this.board.show({ position, last: current.move, trails: trailsTo(current), trapped, fixed: true });
    this.strip.show(game.labels, position, winner !== null);
    this.moves.show(tree);
    const analyse = `/analyse${writeAddress({ game: game.text, at: String(current.ply) })}`;
    const mistake = `/analyse${writeAddress({ game: game.text, at: FIRST_MISTAKE })}`;
    fill(
      this.links,
      h("a.button", { href: analyse }, "Analyse this game"),
      h("a.button", { href: mistake }, "First mistake"),
      playFrom(position),
    );
    setText(this.line, this.#words());
    this.board.say(this.line.textContent);
  }

  #words() {
    const { current } = this.tree;
    const { game } = this;
    if (!current.parent) return `Game ${game.number}, before the first move.`;
    const player = current.parent.position.toMove;
    const name = `${colourName(player)} played ${formatSquare(current.move, current.position.cols)}`;
    const end = current.children.length ? "" : ` ${this.#end()}`;
    if (current.ply <= game.opening) return `${name} (opening).${end}`;
    const { score, depth } = game.moves[current.ply - 1];
    const thought = score === null ? "" : `; score ${formatScore(score)}, depth ${formatPlies(depth)}`;
    return `${name}${thought}.${end}`;
  }

  #end() {
    const { winner, reason, note } = this.game;
    const player = winner === "first" ? 0 : 1;
    const how = reason === "no moves" ? `${colourName(1 - player)} had no move left` : reason;
    return `${colourName(player)} won: ${how}. ${note}`.trim();
  }
}

// The choice of the games to list: all or a notable kind, of all agents or one.

const KINDS = {
  all: "all games",
  upsets: "upsets",
  mistakes: "mistakes, last 200",
  "given away": "won starts given away",
  time: "losses on time",
};
const NONE = {
  all: "No games are finished yet.",
  upsets: "No upsets: no agent lost to one that won a smaller share of its games.",
  mistakes: "No mistakes found in the last 200 games. Unsolved positions are not checked.",
  "given away": "No won start was given away, as far as this board's starts are solved.",
  time: "No games were lost on time.",
};

class GameChoice {
  /**
   * @param {{show?: string, agent?: string}} texts the choice in the address.
   * @param {() => void} onChange called when the choice changes.
   */
  constructor({ show, agent }, onChange) {
    const kinds = Object.entries(KINDS).map(([value, text]) => h("option", { value }, text));
    this.kind = h("select", { "aria-label": "Which games", onchange: onChange }, kinds);
    this.kind.value = show in KINDS ? show : "all";
    this.agent = h("select", { "aria-label": "Agent", onchange: onChange });
    this.wanted = agent ?? "";
    this.element = h("div.choice", {}, this.kind, this.agent);
  }

  /** Offer the players of the run. */
  offer(players) {
    if (this.agent.options.length === players.length + 1) return;
    fill(
      this.agent,
      h("option", { value: "" }, "all agents"),
      players.map((name, at) => h("option", { value: String(at) }, name)),
    );
    this.agent.value = this.wanted;
    if (this.agent.selectedIndex < 0) this.agent.value = "";
  }

  /** The choice as texts, for the address and the server. */
  get texts() {
    const { value } = this.kind;
    return { show: value === "all" ? null : value, agent: this.agent.value || null };
  }

  /** The message for an empty list. */
  get nothing() {
    return NONE[this.kind.value];
  }
}

// A run live on a board: the game in progress if games take seconds; else a replay of the latest finished game, then of
// the next latest.

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
