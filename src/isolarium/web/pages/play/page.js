// Play: a person or an agent on either side, on any board. The address holds the game.

import { BoardView } from "../board/board.js";
import { colourName, noSuchSquare, refusal } from "../board/messages.js";
import { NotationError, formatSquare, parseSquare } from "../game/notation.js";
import { trailsTo } from "../game/tree.js";
import { inWords } from "../game/values.js";
import { GameSaver, dueToday } from "../notebook/notebook_store.js";
import { PERSON, addressOf, beginAddress, holdAddress, isSite, readAddress } from "../shared/address.js";
import { askAgent } from "../shared/answers.js";
import { agentCatalogue } from "../shared/api.js";
import { Explainer, MoveList, PlayerStrip, boardSide, numbersToggle, premoveMarks } from "../shared/board_side.js";
import { ConfirmButton, shareMenu } from "../shared/controls.js";
import { fill, h, setText } from "../shared/dom.js";
import { USUAL_AGENT, agentName, linkBack } from "../shared/levels.js";
import { FirstMinute } from "../shared/rules_card.js";
import { AfterGame, LadderCard, Opponent, Pace, SearchReport, UnfinishedGame, arrowsOf } from "./panel.js";
import { Session, headlineOf, lineOf, randomOpening } from "./session.js";
import { Setup } from "./setup.js";

export const title = "Play";

export function open(main, keys) {
  const page = new PlayPage(keys);
  main.append(page.element);
  page.begin();
}

class PlayPage {
  #request = null; // the open request for a move

  constructor(keys) {
    this.flipped = false;
    this.arrows = [];
    this.premove = null; // the square to move to after the agent's move, if it is legal then
    this.note = ""; // shown beside whose turn it is
    this.board = new BoardView();
    this.strip = new PlayerStrip();
    this.why = new Explainer(this.board);
    this.levels = []; // until the server has sent them
    this.intro = new FirstMinute();
    this.pace = new Pace();
    this.opponent = new Opponent((spec) => this.playAgainst(spec));
    this.back = h("p.small");
    this.due = h("a.small", { href: addressOf("learn", "?sheet=mistakes") });
    this.saver = new GameSaver();
    this.unfinished = new UnfinishedGame();
    this.ending = new AfterGame((swapped, agent) => this.rematch(swapped, agent));
    this.ladder = new LadderCard();
    this.thinking = new SearchReport(() => this.#showArrows([]));
    this.moves = new MoveList();
    this.headline = h("h1");
    this.line = h("p.quiet-text.line");
    this.problem = h("p.error", { role: "alert" });
    this.wrongAddress = ""; // what is wrong with the address, until the player moves or starts a game
    this.typed = h("span.typed", { "aria-hidden": "true" });
    this.setupPlace = h("div", {}, h("p.quiet-text", {}, "Loading the agents…"));
    this.setupCard = h(
      "details",
      {},
      h("summary", {}, "Set up another game"),
      this.setupPlace,
    );
    this.#buildButtons();
    this.element = this.#build();
    this.board.addEventListener("choose", ({ detail }) => this.choose(detail));
    this.#bindKeys(keys);
  }

  #buildButtons() {
    const button = (text, key, action) =>
      h("button", { type: "button", onclick: () => action.call(this), title: `key ${key}` }, text);
    this.buttons = {
      takeBack: button("Take back", "u", this.takeBack),
      hint: button("Hint", "h", this.hint),
      flip: button("Flip", "f", this.flip),
      swap: button("Swap sides", "s", this.swap),
      again: button("New game", "n", this.newGame),
      pause: button("Pause", "p", this.togglePause),
    };
    this.resignButton = new ConfirmButton("Resign", "Really resign?", { title: "key r" }, () => this.resign());
    this.buttons.resign = this.resignButton.element;
  }

  #build() {
    const { takeBack, hint, flip, swap, resign, again, pause } = this.buttons;
    this.menu = h(
      "details.card.menu",
      {},
      h("summary", {}, "More"),
      h("div.actions", {}, again, swap, flip),
      numbersToggle(this.board),
      this.why.element,
      shareMenu(this.board, () => this.session.tree.current),
      this.thinking.element,
      this.setupCard,
      !isSite && h("p", {}, h("a", { href: addressOf("friend") }, "Play a friend")),
    );
    return h(
      "div.table",
      {},
      boardSide(this.board, [this.strip.element]),
      h(
        "section.panel",
        { "aria-label": "Game" },
        this.back,
        this.unfinished.element,
        h("div.status", {}, this.headline, this.line, this.ending.element, this.problem, this.typed),
        h("div.actions", {}, takeBack, hint, pause, resign),
        this.intro.element,
        this.moves.element,
        this.opponent.element,
        this.ladder.element,
        this.pace.element,
        this.due,
        this.menu,
      ),
    );
  }

  #bindKeys(keys) {
    keys.note("← ↑ → ↓", "select a square");
    keys.note("Enter", "move there");
    keys.typeSquares(
      () => this.session.position,
      (square) => this.choose(square),
      (name) => this.session.personToMove && this.#say(noSuchSquare(this.session.position, name)),
      (text) => setText(this.typed, text && `${text}…`),
    );
    keys.bind("u", "take back", () => this.takeBack());
    keys.bind("h", "hint", () => this.hint());
    keys.bind("f", "flip the board", () => this.flip());
    keys.bind("n", "new game", () => this.newGame());
    keys.bind("m", "review my mistakes, after a game", () => this.#review());
    keys.bind("w", "change what the board shows", () => this.why.next());
    keys.bind("s", "swap sides", () => this.swap());
    keys.bind("r", "resign", () => this.resignButton.press());
    keys.bind("p", "pause or resume, when agents play each other", () => this.togglePause());
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"])
      keys.bind(key, "", () => this.board.focus());
  }

  /** Open the game in the address, and load the list of agents. */
  async begin() {
    this.catalogue = agentCatalogue({ onWait: (text) => fill(this.setupPlace, h("p.error", {}, text)) });
    const isNew = !location.search;
    this.#openAddress();
    if (isNew) this.#offerUnfinished();
    addEventListener("popstate", () => this.#openAddress());
    try {
      const catalogue = await this.catalogue;
      this.levels = catalogue.levels;
      if (!this.unfinished.element.hidden) this.#offerUnfinished(); // with the level's name
      this.setup = new Setup(this.session, catalogue, (game) => this.#start(game));
      this.#draw();
      fill(this.setupPlace, this.setup.element);
    } catch (error) {
      fill(this.setupPlace, h("p.error", {}, error.message));
    }
  }

  #openAddress() {
    this.premove = null;
    this.wrongAddress = "";
    this.flipped = readAddress(location.search).flip === "1";
    this.thinking.clear();
    try {
      this.session = Session.fromAddress(location.search, USUAL_AGENT);
      this.session.isPlayed = this.unfinished.address === this.session.toAddress(false);
      const unused = Session.unusedIn(location.search);
      if (unused.length) this.wrongAddress = `The address contains ${unused.join(" and ")}, which Play cannot use.`;
      this.setup?.show(this.session);
      this.#update();
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      this.session = Session.fromAddress("", USUAL_AGENT);
      this.wrongAddress = `The address does not contain a valid game: ${error.message}`;
      this.#update();
    }
  }

  /** Offer the game that was left unfinished, if there is one. */
  #offerUnfinished() {
    const { address } = this.unfinished;
    if (!address) return;
    try {
      this.unfinished.offer(Session.fromAddress(address, USUAL_AGENT), this.levels);
    } catch (error) {
      if (!(error instanceof NotationError)) throw error; // damaged, so there is nothing to offer
    }
  }

  /** Handle a square that a player chose. */
  choose(square) {
    const { session } = this;
    if (!session.personToMove) return this.#choosePremove(square);
    if (!session.play(square)) return void this.#say(refusal(session.position, square));
    session.isPlayed = true;
    this.wrongAddress = "";
    this.#update();
  }

  /** Plan a move while the agent thinks; the same square again drops it. */
  #choosePremove(square) {
    const { position, persons, agentToMove } = this.session;
    if (persons.length !== 1 || !agentToMove) return;
    const from = position.squares[persons[0]];
    if (from === null) return;
    const isPossible = square !== this.premove && position.blanksFrom(from).includes(square);
    this.premove = isPossible ? square : null;
    const name = formatSquare(square, position.cols);
    this.#say(isPossible ? `You will move to ${name} if you can.` : "");
  }

  /** Play the planned move, once the person is to move. */
  #playPremove() {
    const square = this.premove;
    this.premove = null;
    if (square !== null && this.session.personToMove && this.session.position.isLegal(square)) this.choose(square);
  }

  takeBack() {
    this.premove = null;
    if (!this.session.takeBack()) return;
    this.thinking.clear();
    this.#update();
  }

  swap() {
    this.premove = null;
    if (!this.session.swap()) return;
    this.setup?.show(this.session);
    this.#update();
  }

  resign() {
    if (this.session.resign()) this.#update();
  }

  flip() {
    this.flipped = !this.flipped;
    this.#draw();
  }

  togglePause() {
    if (this.session.persons.length && !this.session.paused) return;
    this.session.paused = !this.session.paused;
    this.#update();
  }

  /** Start the game that the form describes; if it is invalid, show why and open the form. */
  async newGame() {
    const { start, seats } = this.session;
    if (!this.setup) return this.#start({ start, moves: [], seats });
    const problem = await this.setup.start();
    if (problem) {
      this.menu.open = this.setupCard.open = true;
      setText(this.problem, `Cannot start a game: ${problem}`);
      this.problem.scrollIntoView({ block: "nearest" });
    }
    return undefined;
  }

  /** Replace the opponent in the current game. */
  playAgainst(spec) {
    this.session.replaceAgent(spec);
    this.setup?.show(this.session);
    this.thinking.clear();
    this.#update();
  }

  /** Play again from the same start, against the same opponent or another agent. */
  rematch(swapped, agent = null) {
    const { start, seats, from } = this.session;
    const isRandom = this.setup?.opening === "random" && start.blankCount === start.size;
    const next = seats.map((seat) => (seat === PERSON ? seat : (agent ?? seat)));
    this.#start({
      start,
      moves: isRandom ? randomOpening(start) : [],
      seats: swapped ? next.toReversed() : next,
      from,
    });
    this.setup?.show(this.session);
  }

  #review() {
    const { review, element } = this.ending;
    if (!element.hidden && !review.hidden) review.click();
  }

  /** Ask the solver, or the strongest search, for the best move. */
  async hint() {
    const { session } = this;
    const { text } = session;
    if (!session.personToMove || this.#request) return;
    this.#say("Looking for a hint…");
    const catalogue = await this.catalogue.catch((error) => setText(this.problem, error.message));
    if (!catalogue || this.session !== session || session.text !== text || this.#request) return;
    const show = ({ move, report }) => {
      session.helped = true;
      const square = parseSquare(move, session.position.rows, session.position.cols);
      this.arrows = arrowsOf(session.position, [square]);
      this.stars = [square];
      const exact = report.proven
        ? report.score.startsWith("win")
          ? ` ${inWords("wins", report.plies)}`
          : `. Every move loses; this one ${inWords("loses", report.plies)}`
        : ", the best move found";
      this.#say(`Hint: ${move}${exact}.`);
    };
    this.#ask(catalogue.hint, show, () => this.#say(""));
  }

  #start({ start, moves, seats, from = null }) {
    this.premove = null;
    this.wrongAddress = "";
    this.session = new Session(start, moves, seats, { from });
    beginAddress(this.session.toAddress(this.flipped));
    this.thinking.clear();
    this.#update();
  }

  /** Redraw after a change, and ask for a move if an agent is to move. */
  #update() {
    this.#request?.forget();
    this.#request = null;
    this.arrows = [];
    this.stars = [];
    this.note = "";
    setText(this.problem, this.wrongAddress);
    this.saver.update(this.session);
    this.unfinished.update(this.session);
    this.#draw();
    this.#announce();
    const agent = this.session.agentToMove;
    if (!agent) return;
    const began = performance.now();
    const move = ({ move: name, report }) => {
      this.thinking.show(report);
      const { rows, cols } = this.session.position;
      const play = () => {
        if (!this.session.play(parseSquare(name, rows, cols))) return;
        this.#update();
        this.#playPremove();
      };
      const rest = this.pace.least(this.session.persons.length) - (performance.now() - began);
      const timer = setTimeout(play, Math.max(0, rest));
      this.#request = { forget: () => clearTimeout(timer) };
    };
    this.#ask(agent, move, () => {
      this.session.paused = true; // until Resume is pressed
      this.#draw();
    });
  }

  /** Ask an agent for a move in this position, and show its search. */
  #ask(agent, onMove, onFailure) {
    const { session } = this;
    const request = { game: session.text, agent, seed: session.seed };
    const receive = (answer) => {
      if (answer.kind === "thinking") return this.#showThinking(answer);
      this.#request = null;
      if (answer.kind === "move") return onMove(answer);
      setText(this.problem, answer.error);
      return onFailure();
    };
    this.#request = askAgent(request, receive, (text) => this.#say(text));
  }

  #showThinking(report) {
    const { position } = this.session;
    this.thinking.show(report);
    const expected = report.pv.map((name) => parseSquare(name, position.rows, position.cols));
    if (this.thinking.isOpen) this.#showArrows(arrowsOf(position, expected));
  }

  #showArrows(arrows) {
    this.arrows = arrows;
    if (this.session) this.#drawBoard();
  }

  #say(text) {
    this.note = text;
    this.#draw();
    this.board.say(text);
  }

  #announce() {
    const { session } = this;
    const last = session.moves.at(-1);
    const moved =
      last === undefined
        ? ""
        : `${colourName(1 - session.position.toMove)} on ${formatSquare(last, session.position.cols)}. `;
    this.board.say(`${moved}${headlineOf(session)}`);
  }

  #names() {
    const { seats, persons } = this.session;
    return seats.map((seat, player) =>
      seat !== PERSON ? agentName(seat, this.levels) : persons.length === 1 ? "You" : colourName(player),
    );
  }

  #draw() {
    const { session } = this;
    const { outcome } = session;
    holdAddress(session.toAddress(this.flipped));
    this.#drawBoard();
    const names = this.#names();
    const specs = names.map((name, player) => (session.seats[player] === PERSON ? name : session.seats[player]));
    this.strip.show(names, session.position, Boolean(outcome), specs);
    this.intro.show(session);
    this.ending.show(session, this.levels);
    this.ladder.show(session, this.levels);
    this.opponent.show(session, this.levels);
    const due = dueToday();
    this.due.hidden = !due;
    setText(this.due, due ? `${due} ${due === 1 ? "mistake" : "mistakes"} due today` : "");
    const back = linkBack(session.from);
    this.back.hidden = !back;
    fill(this.back, back);
    setText(this.headline, headlineOf(session));
    setText(this.line, this.note || lineOf(session));
    this.moves.show(session.tree);
    this.moves.element.hidden = !this.intro.element.hidden && session.position.placing; // the frames take its place
    const { takeBack, hint, swap, resign, pause } = this.buttons;
    takeBack.disabled = !session.canTakeBack;
    hint.disabled = !session.personToMove;
    swap.disabled = Boolean(outcome);
    resign.disabled = Boolean(outcome) || !session.persons.length;
    const isAgentsOnly = !session.persons.length && !outcome;
    pause.hidden = !isAgentsOnly && !session.paused;
    hint.hidden = resign.hidden = !session.persons.length;
    this.thinking.element.hidden = session.persons.length === 2;
    this.pace.element.hidden = !isAgentsOnly;
    setText(pause, session.paused ? "Resume" : "Pause");
  }

  #drawBoard() {
    const { session } = this;
    this.board.show({
      position: session.position,
      last: session.moves.at(-1) ?? null,
      trails: trailsTo(session.tree.current),
      dots: session.personToMove && !session.position.placing,
      fixed: !session.personToMove,
      arrows: this.arrows,
      marks: premoveMarks(this.premove, session.persons[0]),
      stars: this.stars,
      trapped: session.outcome?.reason === "no moves" ? 1 - session.outcome.winner : null,
      flipped: this.flipped,
    });
  }
}
