// A game with a friend: the board, the clocks, whose turn it is, who is there, and what the two can ask of each other.
//
// The server knows where the game stands. A move is drawn at once and held until the server confirms it: it carries its
// number, so that it can be sent again after the connection was lost.

import { BoardView } from "../board/board.js";
import { colourName, noSuchSquare, refusal } from "../board/messages.js";
import { formatGame, formatSquare, parseSquare, parseStart } from "../game/notation.js";
import { PLAYERS } from "../game/rules.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { withGame } from "../notebook/notebook.js";
import { changeNotebook, today } from "../notebook/notebook_store.js";
import { FIRST_MISTAKE, writeAddress } from "../shared/address.js";
import { PlayerStrip, boardSide, numbersToggle } from "../shared/board_side.js";
import { SureButton } from "../shared/controls.js";
import { fill, h, setText } from "../shared/dom.js";
import { MoveList } from "../shared/move_list.js";
import { shareMenu } from "../shared/share_menu.js";
import { FriendConnection } from "./connection.js";
import { connectionOf, formatTime, headlineOf, lineOf, namesOf, presenceOf, questionOf, scoreOf } from "./messages.js";
import { Invitation, forgetGame, keepSeat, knownGames } from "./seats.js";

export class FriendGame {
  #token;
  #line;
  #told = null; // the state of the game, as the server sent it
  #pending = null; // a move of one's own that the server has not confirmed: {game, ply, square}
  #invitation = null;

  constructor({ token }, keys) {
    this.#token = token;
    this.flipped = false;
    this.note = "";
    this.tree = new GameTree(parseStart("7x7"));
    this.board = new BoardView();
    this.strip = new PlayerStrip();
    this.clocks = new Clocks();
    this.moves = new MoveList();
    this.headline = h("h1", {}, "A game with a friend");
    this.words = h("p.quiet-text.line");
    this.problem = h("p.error", { role: "alert" });
    this.typed = h("span.typed", { "aria-hidden": "true" });
    this.connection = h("p.connection", { role: "status" }, connectionOf("connecting"));
    this.presence = h("ul.presence", { "aria-label": "Who is there" });
    this.score = h("p.small.quiet-text");
    this.question = h("div.card.question", { hidden: true });
    this.links = h("div");
    this.#buildButtons();
    this.element = this.#build();
    this.board.addEventListener("choose", ({ detail }) => this.choose(detail));
    this.#bindKeys(keys);
    this.#drawBoard();
    this.#line = new FriendConnection(token);
    this.#line.addEventListener("game", ({ detail }) => this.#hear(detail));
    this.#line.addEventListener("problem", ({ detail }) => this.#complain(detail));
    this.#line.addEventListener("state", () => this.#connect());
    this.#line.open();
  }

  #buildButtons() {
    const button = (text, action, key) =>
      h("button", { type: "button", disabled: true, onclick: () => action.call(this), title: key && `key ${key}` }, text);
    this.buttons = {
      back: button("Take back", this.takeBack, "u"),
      flip: button("Flip", this.flip, "f"),
      rematch: button("Rematch", this.rematch),
    };
    this.resigning = new SureButton("Resign", "Really resign?", { title: "key r", disabled: true }, () => this.#want("resign"));
    this.buttons.resign = this.resigning.element;
    this.buttons.rematch.classList.add("main");
    this.buttons.flip.disabled = false;
    this.review = h("a.button", { href: "/analyse" }, "Analyse this game");
    this.mistakes = h("a.button", { href: "/learn", title: "key m" }, "Review my mistakes");
    this.ending = h("div.row", { hidden: true }, this.buttons.rematch, this.mistakes, this.review);
  }

  #build() {
    const { back, flip, resign } = this.buttons;
    this.actions = h("div.actions", {}, back, flip, resign);
    return h(
      "div.table",
      {},
      boardSide(this.board, [this.strip.element, this.clocks.element]),
      h(
        "section.panel",
        { "aria-label": "Game" },
        h("div.status", {}, this.headline, this.words, this.ending, this.problem, this.typed),
        this.question,
        this.actions,
        h("div.card.line-state", {}, this.connection, this.presence, this.score),
        this.links,
        this.moves.element,
        numbersToggle(this.board),
        shareMenu(
          this.board,
          () => this.tree.current,
          () => this.review.href,
        ),
        h("p.small", {}, h("a", { href: "/friend" }, "Open another game")),
      ),
    );
  }

  #bindKeys(keys) {
    keys.note("← ↑ → ↓", "walk over the board");
    keys.note("Enter", "go to the square");
    keys.typeSquares(
      () => this.tree.position,
      (square) => this.choose(square),
      (name) => this.#mayMove && this.#say(noSuchSquare(this.tree.position, name)),
      (text) => setText(this.typed, text && `${text}…`),
    );
    keys.bind("u", "ask to take back", () => this.takeBack());
    keys.bind("f", "flip the board", () => this.flip());
    keys.bind("r", "resign", () => this.resigning.press());
    keys.bind("m", "review my mistakes, when the game is over", () => this.#mayReview && this.mistakes.click());
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"])
      keys.bind(key, "", () => this.board.focus());
  }

  // What a person does

  get #mayMove() {
    const told = this.#told;
    return told && !told.outcome && !this.#pending && this.tree.position.toMove === told.you;
  }

  get #mayReview() {
    return !this.ending.hidden && !this.mistakes.hidden;
  }

  choose(square) {
    if (!this.#mayMove) return;
    if (!this.tree.position.isLegal(square)) return this.#say(refusal(this.tree.position, square));
    this.#pending = { game: this.#told.game, ply: this.#told.moves.length, square };
    this.#sayPending();
    this.#say("");
    this.#show();
  }

  takeBack() {
    if (!this.buttons.back.disabled) this.#want("back");
  }

  rematch() {
    this.#want("rematch");
  }

  flip() {
    this.flipped = !this.flipped;
    this.#drawBoard();
  }

  #want(what) {
    setText(this.problem, "");
    const { game, moves } = this.#told;
    this.#line.say({ do: what, game, ply: moves.length });
  }

  #sayPending() {
    if (!this.#pending) return;
    const { game, ply, square } = this.#pending;
    const { cols } = this.tree.position;
    this.#line.say({ do: "move", game, ply, move: formatSquare(square, cols) });
  }

  // Messages from the server

  #hear(message) {
    const isNew = !this.#told;
    const before = this.#told;
    this.#told = read(message);
    if (isNew) this.#settle(message.watch);
    this.#confirm();
    if (!before || before.isOld) this.#sayPending();
    const changed = before?.game !== this.#told.game || before.moves.length !== this.#told.moves.length;
    if (changed || this.#told.outcome) this.note = "";
    setText(this.problem, "");
    this.#keep();
    this.#show();
    if (changed || before.outcome !== this.#told.outcome) this.#announce();
  }

  /** The first message: remember the seat and turn the board to its player. */
  #settle(watch) {
    keepSeat(watch, this.#token);
    const friend = knownGames()[watch]?.seat === this.#token ? knownGames()[watch].friend : null;
    const seat = this.#token === watch ? null : this.#token;
    this.#invitation = new Invitation({ seat, friend, watch });
    fill(this.links, this.#invitation.element);
    if (this.#told.came[1 - this.#told.you]) this.#invitation.close();
  }

  /** A move of one's own that the server has, or that can no longer be made, is pending no longer. */
  #confirm() {
    const { game, moves, outcome } = this.#told;
    const pending = this.#pending;
    if (pending && (pending.game !== game || moves.length !== pending.ply || outcome)) this.#pending = null;
  }

  /** Keep a game that one played oneself, once it is over. */
  #keep() {
    const { you, outcome, start, moves } = this.#told;
    if (you === null || !outcome || !moves.length) return;
    const squares = moves.map((name) => parseSquare(name, start.rows, start.cols));
    const game = formatGame(start, squares);
    const won = outcome.winner === you;
    const kept = { game, player: PLAYERS[you], against: "a friend", won, day: today(), judged: false };
    changeNotebook((notebook) => withGame(notebook, kept));
  }

  #complain(text) {
    this.#pending = null;
    setText(this.problem, text);
    if (this.#told) this.#show();
  }

  #connect() {
    const { state } = this.#line;
    setText(this.connection, connectionOf(state));
    this.connection.classList.toggle("bad", state !== "open");
    if (state !== "open" && this.#told) this.#told.isOld = true;
    if (state === "refused") this.#giveUp();
    if (this.#told) this.#show();
  }

  #giveUp() {
    forgetGame(new URLSearchParams(location.hash.slice(1)).get("watch"));
    this.element.className = "stack opening";
    setText(this.headline, "No such game");
    const another = h("p", {}, h("a", { href: "/friend" }, "Open another game"));
    fill(this.element, this.headline, this.problem, another);
  }

  // What is seen

  #say(text) {
    this.note = text;
    setText(this.words, text);
    this.board.say(text);
  }

  #announce() {
    const { position } = this.tree;
    const last = this.#told.moves.at(-1);
    const moved = last === undefined ? "" : `${colourName(1 - position.toMove)} on ${last}. `;
    this.board.say(`${moved}${headlineOf({ ...this.#told, position })}`);
  }

  #show() {
    const told = this.#told;
    const { rows, cols } = told.start;
    const squares = told.moves.map((name) => parseSquare(name, rows, cols));
    if (this.#pending) squares.push(this.#pending.square);
    this.tree = new GameTree(told.start, squares);
    const view = { ...told, position: this.tree.position, pending: this.#pending, state: this.#line.state };
    const headline = headlineOf(view);
    setText(this.headline, headline);
    setText(this.words, this.note || lineOf(view));
    document.title = `${headline} · Isolarium`;
    const names = namesOf(told.you);
    this.strip.show(names, view.position, Boolean(told.outcome), ["", ""]);
    this.element.classList.toggle("timed", Boolean(told.clock));
    this.clocks.show(told.isOld ? told.clock && { ...told.clock, running: null } : told.clock, names);
    this.moves.show(this.tree);
    const present = view.state === "open" ? presenceOf(told) : []; // else it is unknown
    fill(this.presence, present.map((line) => h("li", {}, line)));
    setText(this.score, scoreOf(told));
    if (told.you !== null && told.there[1 - told.you] && !this.seen) this.#invitation.close();
    this.seen ||= told.you !== null && told.there[1 - told.you];
    this.#showButtons(squares);
    this.#showQuestion();
    this.#drawBoard();
  }

  #showButtons(squares) {
    const { you, outcome, start, question } = this.#told;
    const isOpen = this.#line.state === "open";
    this.actions.hidden = you === null;
    this.ending.hidden = !outcome;
    this.buttons.rematch.hidden = you === null;
    this.buttons.rematch.disabled = !isOpen || question?.by === you;
    const game = formatGame(start, squares);
    this.review.href = `/analyse${writeAddress({ game, at: FIRST_MISTAKE })}`;
    this.mistakes.hidden = you === null;
    this.mistakes.href = `/learn${writeAddress({ sheet: "mistakes", game, player: PLAYERS[you] })}`;
    const own = squares.length > (you ?? 0);
    this.buttons.back.disabled = !isOpen || Boolean(outcome) || !own || Boolean(this.#pending) || Boolean(question);
    this.buttons.resign.disabled = !isOpen || Boolean(outcome);
  }

  #showQuestion() {
    const { you, question } = this.#told;
    const text = questionOf(this.#told);
    this.question.hidden = !text;
    if (!text) return void fill(this.question);
    const button = (words, what) =>
      h("button", { type: "button", disabled: this.#line.state !== "open", onclick: () => this.#want(what) }, words);
    const isMine = question.by === you;
    const answers = isMine
      ? [button("Never mind", "drop")]
      : [button("Agree", question.what), button("No", "drop")];
    fill(this.question, h("p", { role: "status" }, text), you !== null && h("div.row", {}, answers));
  }

  #drawBoard() {
    const told = this.#told;
    const node = this.tree.current;
    this.board.show({
      position: node.position,
      last: node.move,
      trails: trailsTo(node),
      dots: Boolean(this.#mayMove) && !node.position.placing,
      trapped: told?.outcome?.reason === "no moves" ? 1 - told.outcome.winner : null,
      flipped: this.flipped,
    });
  }
}

/** A message from the server, with players by their numbers and the board parsed. */
function read({ you, board, outcome, question, clock, ...rest }) {
  const number = (name) => (name === null ? null : PLAYERS.indexOf(name));
  return {
    ...rest,
    you: number(you),
    start: parseStart(board),
    outcome: outcome && { ...outcome, winner: number(outcome.winner) },
    question: question && { ...question, by: number(question.by) },
    clock: clock && { ...clock, running: number(clock.running) },
  };
}

// Two clocks, which run by themselves between messages from the server.

const TICK_MS = 100;
const SHORT_MS = 20_000;

class Clocks {
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
