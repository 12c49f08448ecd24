// A game with a friend: the board, the clocks, whose turn it is, who is connected, and the players' requests.
//
// The server holds the state of the game. A move is drawn at once and kept until the server confirms it. It carries its
// number, so that it can be sent again after the connection was lost.

import { BoardView } from "../board/board.js";
import { colourName, noSuchSquare, refusal } from "../board/messages.js";
import { formatGame, formatSquare, parseSquare, parseStart } from "../game/notation.js";
import { PLAYERS } from "../game/rules.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { withGame } from "../notebook/notebook.js";
import { changeNotebook, today } from "../notebook/notebook_store.js";
import { FIRST_MISTAKE, writeAddress } from "../shared/address.js";
import { MoveList, PlayerStrip, boardSide, numbersToggle, premoveMarks } from "../shared/board_side.js";
import { ConfirmButton, shareMenu } from "../shared/controls.js";
import { fill, h, setText } from "../shared/dom.js";
import { Goal, rulesCard } from "../shared/rules_card.js";
import { FriendConnection } from "./connection.js";
import { connectionOf, formatTime, headlineOf, lineOf, namesOf, presenceOf, questionOf, scoreOf } from "./messages.js";
import { Invitation, forgetGame, keepSeat, knownGames } from "./seats.js";

export class FriendGame {
  #token;
  #connection;
  #state = null; // the state of the game, as the server sent it
  #pending = null; // an own move that the server has not confirmed: {game, ply, square}
  #premove = null; // the square to move to after the friend's move, if it is legal then
  #invitation = null;

  constructor({ token }, keys) {
    this.#token = token;
    this.flipped = false;
    this.note = "";
    this.tree = new GameTree(parseStart("7x7"));
    this.board = new BoardView();
    this.strip = new PlayerStrip();
    this.clocks = new Clocks();
    this.goal = new Goal();
    this.rules = rulesCard();
    this.moves = new MoveList();
    this.headline = h("h1", {}, "A game with a friend");
    this.words = h("p.quiet-text.line");
    this.problem = h("p.error", { role: "alert" });
    this.typed = h("span.typed", { "aria-hidden": "true" });
    this.connectionLine = h("p.connection", { role: "status" }, connectionOf("connecting"));
    this.presence = h("ul.presence", { "aria-label": "Players" });
    this.score = h("p.small.quiet-text");
    this.question = h("div.card.question", { hidden: true });
    this.links = h("div");
    this.#buildButtons();
    this.element = this.#build();
    this.board.addEventListener("choose", ({ detail }) => this.choose(detail));
    this.#bindKeys(keys);
    this.#drawBoard();
    this.#connection = new FriendConnection(token);
    this.#connection.addEventListener("game", ({ detail }) => this.#receive(detail));
    this.#connection.addEventListener("problem", ({ detail }) => this.#complain(detail));
    this.#connection.addEventListener("state", () => this.#connect());
    this.#connection.open();
  }

  #buildButtons() {
    const button = (text, action, key) =>
      h("button", { type: "button", disabled: true, onclick: () => action.call(this), title: key && `key ${key}` }, text);
    this.buttons = {
      back: button("Take back", this.takeBack, "u"),
      flip: button("Flip", this.flip, "f"),
      rematch: button("Rematch", this.rematch),
    };
    this.resignButton = new ConfirmButton("Resign", "Really resign?", { title: "key r", disabled: true }, () => this.#request("resign"));
    this.buttons.resign = this.resignButton.element;
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
      boardSide(this.board, [this.strip.element, this.clocks.element], [this.goal.element]),
      h(
        "section.panel",
        { "aria-label": "Game" },
        h("div.status", {}, this.headline, this.words, this.ending, this.problem, this.typed),
        this.question,
        this.actions,
        h("div.card.line-state", {}, this.connectionLine, this.presence, this.score),
        this.links,
        this.rules,
        this.moves.element,
        numbersToggle(this.board),
        shareMenu(
          this.board,
          () => this.tree.current,
          () => this.review.href,
        ),
        h("p.small", {}, h("a", { href: "/friend" }, "New game with a friend")),
      ),
    );
  }

  #bindKeys(keys) {
    keys.note("← ↑ → ↓", "select a square");
    keys.note("Enter", "move there");
    keys.typeSquares(
      () => this.tree.position,
      (square) => this.choose(square),
      (name) => this.#mayMove && this.#say(noSuchSquare(this.tree.position, name)),
      (text) => setText(this.typed, text && `${text}…`),
    );
    keys.bind("u", "ask to take back", () => this.takeBack());
    keys.bind("f", "flip the board", () => this.flip());
    keys.bind("r", "resign", () => this.resignButton.press());
    keys.bind("m", "review my mistakes, after the game", () => this.#mayReview && this.mistakes.click());
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"])
      keys.bind(key, "", () => this.board.focus());
  }

  // Actions

  get #mayMove() {
    const state = this.#state;
    return state && !state.outcome && !this.#pending && this.tree.position.toMove === state.you;
  }

  get #mayReview() {
    return !this.ending.hidden && !this.mistakes.hidden;
  }

  choose(square) {
    if (!this.#mayMove) return this.#choosePremove(square);
    if (!this.tree.position.isLegal(square)) return this.#say(refusal(this.tree.position, square));
    this.#pending = { game: this.#state.game, ply: this.#state.moves.length, square };
    this.#sendPending();
    this.#say("");
    this.#show();
  }

  /** Plan a move while the friend thinks; the same square again drops it. */
  #choosePremove(square) {
    const { position } = this.tree;
    const state = this.#state;
    if (!state || state.outcome || state.you === null || this.#pending) return;
    const from = position.squares[state.you];
    if (from === null) return;
    this.#premove = square !== this.#premove && position.blanksFrom(from).includes(square) ? square : null;
    this.#say(this.#premove === null ? "" : `You will move to ${formatSquare(square, position.cols)} if you can.`);
    this.#drawBoard();
  }

  #playPremove() {
    const square = this.#premove;
    this.#premove = null;
    if (square !== null && this.#mayMove && this.tree.position.isLegal(square)) this.choose(square);
  }

  takeBack() {
    if (!this.buttons.back.disabled) this.#request("back");
  }

  rematch() {
    this.#request("rematch");
  }

  flip() {
    this.flipped = !this.flipped;
    this.#drawBoard();
  }

  #request(what) {
    setText(this.problem, "");
    const { game, moves } = this.#state;
    this.#connection.send({ do: what, game, ply: moves.length });
  }

  #sendPending() {
    if (!this.#pending) return;
    const { game, ply, square } = this.#pending;
    const { cols } = this.tree.position;
    this.#connection.send({ do: "move", game, ply, move: formatSquare(square, cols) });
  }

  // Messages from the server

  #receive(message) {
    const isNew = !this.#state;
    const before = this.#state;
    this.#state = read(message);
    if (isNew) this.#settle(message.watch);
    this.#confirm();
    if (!before || before.isOld) this.#sendPending();
    const changed = before?.game !== this.#state.game || before.moves.length !== this.#state.moves.length;
    if (changed || this.#state.outcome) this.note = "";
    setText(this.problem, "");
    this.#keep();
    this.#show();
    if (changed || before.outcome !== this.#state.outcome) this.#announce();
    if (changed) this.#playPremove();
  }

  /** Handle the first message: remember the seat and show the links. */
  #settle(watch) {
    keepSeat(watch, this.#token);
    const friend = knownGames()[watch]?.seat === this.#token ? knownGames()[watch].friend : null;
    const seat = this.#token === watch ? null : this.#token;
    this.#invitation = new Invitation({ seat, friend, watch });
    fill(this.links, this.#invitation.element);
    if (this.#state.came[1 - this.#state.you]) this.#invitation.close();
  }

  /** Drop the pending move once the server has it, or once it can no longer be played. */
  #confirm() {
    const { game, moves, outcome } = this.#state;
    const pending = this.#pending;
    if (pending && (pending.game !== game || moves.length !== pending.ply || outcome)) this.#pending = null;
  }

  /** Store a finished game that the visitor played. */
  #keep() {
    const { you, outcome, start, moves } = this.#state;
    if (you === null || !outcome || !moves.length) return;
    const squares = moves.map((name) => parseSquare(name, start.rows, start.cols));
    const game = formatGame(start, squares);
    const won = outcome.winner === you;
    const finished = { game, player: PLAYERS[you], against: "a friend", won, day: today(), judged: false };
    changeNotebook((notebook) => withGame(notebook, finished));
  }

  #complain(text) {
    this.#pending = null;
    setText(this.problem, text);
    if (this.#state) this.#show();
  }

  #connect() {
    const { state } = this.#connection;
    setText(this.connectionLine, connectionOf(state));
    this.connectionLine.classList.toggle("bad", state !== "open");
    if (state !== "open" && this.#state) this.#state.isOld = true;
    if (state === "refused") this.#giveUp();
    if (this.#state) this.#show();
  }

  #giveUp() {
    forgetGame(new URLSearchParams(location.hash.slice(1)).get("watch"));
    this.element.className = "stack opening";
    setText(this.headline, "No such game");
    const another = h("p", {}, h("a", { href: "/friend" }, "New game with a friend"));
    fill(this.element, this.headline, this.problem, another);
  }

  // Drawing

  #say(text) {
    this.note = text;
    setText(this.words, text);
    this.board.say(text);
  }

  #announce() {
    const { position } = this.tree;
    const last = this.#state.moves.at(-1);
    const moved = last === undefined ? "" : `${colourName(1 - position.toMove)} on ${last}. `;
    this.board.say(`${moved}${headlineOf({ ...this.#state, position })}`);
  }

  #show() {
    const state = this.#state;
    const { rows, cols } = state.start;
    const squares = state.moves.map((name) => parseSquare(name, rows, cols));
    if (this.#pending) squares.push(this.#pending.square);
    this.tree = new GameTree(state.start, squares);
    const view = { ...state, position: this.tree.position, pending: this.#pending, state: this.#connection.state };
    const headline = headlineOf(view);
    setText(this.headline, headline);
    setText(this.words, this.note || lineOf(view));
    document.title = `${headline} · Isolarium`;
    const names = namesOf(state.you);
    this.strip.show(names, view.position, Boolean(state.outcome), ["", ""]);
    this.element.classList.toggle("timed", Boolean(state.clock));
    this.clocks.show(state.isOld ? state.clock && { ...state.clock, running: null } : state.clock, names);
    this.moves.show(this.tree);
    this.goal.show({ tree: this.tree, persons: state.you === null ? [] : [state.you], outcome: state.outcome });
    const present = view.state === "open" ? presenceOf(state) : []; // unknown without a connection
    fill(this.presence, present.map((line) => h("li", {}, line)));
    setText(this.score, scoreOf(state));
    if (state.you !== null && state.there[1 - state.you] && !this.seen) this.#invitation.close();
    this.seen ||= state.you !== null && state.there[1 - state.you];
    this.#showButtons(squares);
    this.#showQuestion();
    this.#drawBoard();
  }

  #showButtons(squares) {
    const { you, outcome, start, question } = this.#state;
    const isOpen = this.#connection.state === "open";
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
    const { you, question } = this.#state;
    const text = questionOf(this.#state);
    this.question.hidden = !text;
    if (!text) return void fill(this.question);
    const button = (words, what) =>
      h("button", { type: "button", disabled: this.#connection.state !== "open", onclick: () => this.#request(what) }, words);
    const isMine = question.by === you;
    const answers = isMine
      ? [button("Cancel", "drop")]
      : [button("Accept", question.what), button("Decline", "drop")];
    fill(this.question, h("p", { role: "status" }, text), you !== null && h("div.row", {}, answers));
  }

  #drawBoard() {
    const state = this.#state;
    const node = this.tree.current;
    this.board.show({
      position: node.position,
      last: node.move,
      trails: trailsTo(node),
      dots: Boolean(this.#mayMove) && !node.position.placing,
      fixed: !this.#mayMove,
      marks: premoveMarks(this.#premove, state?.you),
      trapped: state?.outcome?.reason === "no moves" ? 1 - state.outcome.winner : null,
      flipped: this.flipped,
    });
  }
}

/** Convert a message from the server: players to numbers, and the board to a position. */
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

// Two clocks, which run on their own between messages from the server.

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
   * @param {{left_ms: number[], running: number|null}|null} clock the clocks' current state; null if there are none.
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
