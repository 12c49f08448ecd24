// Your own mistakes: those of one game in turn, or those that are due today. Each is a position that was won; find a move
// that keeps the win, or see what comes of the one you chose.

import { PositionValues } from "../analyse/position_values.js";
import { colourName, refusal } from "../board/words.js";
import { writeAddress } from "../game/address.js";
import { NotationError, formatSquare, parseGame, parseSquare, parseStart } from "../game/notation.js";
import { PLAYERS, Position } from "../game/rules.js";
import { GameTree } from "../game/tree.js";
import { formatPlies } from "../game/values.js";
import { afterTry, comesBack, isDue, isKnown } from "../notebook/cards.js";
import { cardOf, withCard, withMistakes, withoutCard } from "../notebook/notebook.js";
import { changeNotebook, readNotebook, today } from "../notebook/shelf.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/play_from.js";
import { DEGREES, TELLS_WHERE, hintOf } from "./hints.js";
import { LookingThrough } from "./looking_through.js";
import { NotebookCard } from "./notebook_card.js";
import { Refutation, lineText, shownLine } from "./refutation.js";

const FRESH = { tried: null, verdict: "", degree: 0, refutation: null, isRecorded: false };

export class MistakesSheet {
  #isOpen = false;

  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse says why something was not done.
   * @param {{game?: string, player?: string}} wanted the game whose mistakes are shown, and of which player; none: the deck.
   * @param {Promise<object>} catalogue what GET /api/agents answers.
   */
  constructor(draw, refuse, { game, player }, catalogue) {
    this.draw = draw;
    this.refuse = refuse;
    this.catalogue = catalogue;
    this.review = game ? { game, player: PLAYERS.includes(player) ? player : PLAYERS[0] } : null;
    this.found = null; // what was found in the game that is reviewed
    this.cards = [];
    this.at = 0;
    this.state = FRESH;
    this.values = new PositionValues(draw, (text) => fill(this.problem, text));
    this.looking = new LookingThrough(
      (one, found) => this.#take(one, found),
      (text) => fill(this.problem, text),
    );
    this.kept = new NotebookCard(() => this.#reopen());
    this.name = h("h2");
    this.verdict = h("p.verdict", { "aria-live": "polite" });
    this.hintLine = h("p.hint", { "aria-live": "polite" });
    this.problem = h("p.error", { role: "alert" });
    this.links = h("span.row");
    this.#buildButtons();
    const { next, hint, again, playOn, forget } = this.buttons;
    this.element = h(
      "div.prose",
      {},
      this.name,
      this.verdict,
      this.hintLine,
      this.problem,
      h("div.row", {}, next, hint, again, playOn, this.links, forget),
      this.kept.element,
    );
  }

  #buildButtons() {
    const button = (text, key, action) =>
      h("button", { type: "button", title: key && `key ${key}`, onclick: action }, text);
    this.buttons = {
      next: button("Next", "n", () => this.next()),
      hint: button("Hint", "h", () => this.hint()),
      again: button("Try again", "u", () => this.takeBack()),
      playOn: button("Play on", null, () => this.state.refutation.play()),
      forget: button("Forget this one", null, () => this.#forget()),
    };
  }

  get card() {
    return this.cards[this.at] ?? null;
  }

  get position() {
    return this.card && parseStart(this.card.position);
  }

  /** The values of the position's moves; null while they are not known. */
  get known() {
    return this.card && this.values.of({ game: this.card.position });
  }

  /** The moves that are known to win. */
  get right() {
    const { position } = this;
    return this.known.moves
      .filter(({ value }) => value === "wins")
      .map(({ move }) => parseSquare(move, position.rows, position.cols));
  }

  /** What is done when this sheet is shown first. */
  #begin() {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { notebook, problem } = readNotebook();
    fill(this.problem, problem);
    this.catalogue.then(({ levels }) => (this.kept.levels = levels)).then(this.draw, () => {});
    if (this.review && !this.#isGame(this.review)) this.review = null;
    if (this.review) this.looking.add([this.review]);
    else this.#openDeck();
    this.looking.add(notebook.games.filter((game) => !game.judged && game.game !== this.review?.game));
  }

  #isGame({ game }) {
    try {
      return Boolean(parseGame(game).moves.length);
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      fill(this.problem, `The address holds no game: ${error.message}`);
      return false;
    }
  }

  /** A game was looked through. */
  #take(game, found) {
    changeNotebook((notebook) => (this.#isKept(notebook, game) ? withMistakes(notebook, game, found.mistakes) : notebook));
    const isReview = game === this.review;
    if (isReview) {
      this.found = found;
      const { notebook } = readNotebook();
      this.cards = found.mistakes.map((card) => cardOf(notebook, card.position) ?? card);
      this.#go(0);
    } else if (!this.review && !this.card) this.#openDeck();
    this.draw();
  }

  #isKept({ games }, { game, player }) {
    return games.some((one) => one.game === game && one.player === player);
  }

  /** Show the mistakes that are due today. */
  #openDeck() {
    const day = today();
    this.cards = readNotebook().notebook.cards.filter((card) => isDue(card, day));
    this.#go(0);
  }

  /** Something was brought in or deleted. */
  #reopen() {
    if (!this.review) this.#openDeck();
    this.draw();
  }

  #go(at) {
    this.state.refutation?.stop();
    this.at = at;
    this.state = FRESH;
    if (this.card) this.values.ask({ game: this.card.position });
  }

  choose(square) {
    const { position, known } = this;
    if (!position || this.state.tried !== null) return;
    if (!position.isLegal(square)) return void this.refuse(refusal(position, square));
    if (!known) return void this.refuse("The position is still being solved.");
    const name = formatSquare(square, position.cols);
    const { value } = known.moves.find(({ move }) => move === name);
    this.state = { ...this.state, tried: square, verdict: value };
    if (value !== "unknown") this.#record(value === "wins");
    if (value === "loses") this.#refute(position, square);
    this.draw();
  }

  /** Keep how it went: only the first try tells whether one remembers. */
  #record(isRight) {
    const { degree, isRecorded } = this.state;
    if (isRecorded) return;
    const helped = degree >= TELLS_WHERE ? "helped" : "right";
    const card = afterTry(this.card, isRight && degree < DEGREES ? helped : "missed", today());
    this.cards = this.cards.with(this.at, card);
    this.state = { ...this.state, isRecorded: true };
    changeNotebook((notebook) => withCard(notebook, card));
  }

  #refute(position, square) {
    const tree = new GameTree(position, [square]);
    const agent = this.catalogue.then(({ hint }) => hint);
    this.state = { ...this.state, refutation: new Refutation(tree, agent, this.draw) };
    this.state.refutation.play();
  }

  hint() {
    if (!this.known || !this.right.length || this.state.tried !== null) return;
    this.state = { ...this.state, degree: Math.min(DEGREES, this.state.degree + 1) };
    this.draw();
  }

  takeBack() {
    if (this.state.tried === null || this.state.verdict === "wins") return;
    this.state.refutation?.stop();
    const { degree, isRecorded } = this.state;
    this.state = { ...FRESH, degree, isRecorded };
    this.draw();
  }

  next() {
    if (!this.card) return;
    if (this.at + 1 < this.cards.length || this.review) this.#go(this.at + 1);
    else this.#openDeck();
    this.draw();
  }

  #forget() {
    changeNotebook((notebook) => withoutCard(notebook, this.card));
    this.cards = this.cards.filter((card) => card !== this.card);
    this.#go(this.at);
    this.draw();
  }

  show() {
    this.#begin();
    this.#say();
    const { position } = this;
    if (!position) return { position: Position.empty(7, 7), label: "No mistake to look at" };
    const { tried, refutation, degree } = this.state;
    if (refutation) return shownLine(refutation);
    if (tried !== null) return { position: position.play(tried), last: tried };
    const played = parseSquare(this.card.played, position.rows, position.cols);
    const way = { from: position.mover, to: played, player: position.toMove, strength: 0 };
    const { marks, stars } = hintOf(position, this.known ? this.right : [], degree);
    return {
      position,
      dots: !position.placing,
      arrows: position.placing ? [] : [way],
      marks,
      stars,
      label: `${colourName(position.toMove)} to move and keep the win`,
    };
  }

  #say() {
    const { position, state, known, buttons } = this;
    const { tried, verdict, degree, refutation } = state;
    const isOpen = Boolean(known?.moves.length) && tried === null;
    setText(this.name, this.#nameText());
    setText(this.verdict, position ? this.#verdictText() : this.#nothingText());
    this.verdict.className = `verdict ${{ wins: "good", loses: "bad" }[verdict] ?? ""}`;
    this.hintLine.hidden = !position || tried !== null;
    setText(this.hintLine, isOpen ? hintOf(position, this.right, degree).words : "");
    if (refutation?.problem) fill(this.problem, refutation.problem);
    buttons.next.hidden = buttons.forget.hidden = !position;
    setText(buttons.next, tried === null ? "Skip" : "Next");
    buttons.next.classList.toggle("main", verdict === "wins");
    buttons.hint.hidden = !position || tried !== null;
    buttons.hint.disabled = !isOpen || degree === DEGREES;
    buttons.again.hidden = tried === null || verdict === "wins";
    buttons.playOn.hidden = !refutation || refutation.isPlaying || refutation.isOver;
    buttons.forget.hidden = !position || !cardOf(readNotebook().notebook, this.card.position);
    fill(this.links, position ? this.#cardLinks() : this.#otherLinks());
    this.kept.show(readNotebook().notebook);
  }

  #cardLinks() {
    const { position, card, state } = this;
    const game = `${card.position}: ${card.played}`;
    return [
      state.tried !== null && h("a.button", { href: `/analyse${writeAddress({ game, at: "1" })}` }, "See why"),
      playFrom(position),
    ];
  }

  #otherLinks() {
    const { review } = this;
    return [
      h("a.button", { href: "/play" }, "Play a game"),
      review && h("a.button", { href: `/analyse${writeAddress({ game: review.game })}` }, "Analyse this game"),
      review && h("a.button", { href: "/learn?sheet=mistakes" }, "What is due today"),
    ];
  }

  #nameText() {
    const { cards, at, review, card } = this;
    if (!card) return review ? "Your mistakes in this game" : "Due today";
    return review ? `Mistake ${at + 1} of ${cards.length} in this game` : `Due today: ${at + 1} of ${cards.length}`;
  }

  #verdictText() {
    const { position, card, known } = this;
    const { tried, verdict } = this.state;
    if (tried === null) return this.#questionText();
    const name = formatSquare(tried, position.cols);
    if (verdict === "unknown") return `Whether ${name} keeps the win is not solved here. ${this.#knownText()}`;
    if (verdict === "loses") return `No: ${name} loses. ${lineText(this.state.refutation)}`;
    const { plies } = known.moves.find(({ move }) => move === name);
    const soon = plies === null ? "" : `, in ${formatPlies(plies)} at most`;
    return `Right: ${name} keeps the win${soon}. ${this.#returnText(card)}`;
  }

  #questionText() {
    const { position, card, known } = this;
    const who = `You are ${colourName(position.toMove)}. ${card.played} gave the win away`;
    if (!known) return `${who}. Solving the position…`;
    if (this.right.length) return `${who}: find ${position.placing ? "a square" : "a move"} that keeps it.`;
    if (known.value === "loses") return "In this position nothing wins, so nothing was given away: forget it.";
    return "This position is too large to be solved here, so no answer can be judged.";
  }

  #knownText() {
    const [one] = this.right;
    return one === undefined ? "" : `${formatSquare(one, this.position.cols)} is known to keep it.`;
  }

  #returnText(card) {
    if (!cardOf(readNotebook().notebook, card.position)) return "";
    return isKnown(card) ? "You know this one now: it does not come back." : `It comes back ${comesBack(card, today())}.`;
  }

  #nothingText() {
    const { review, found, cards, looking } = this;
    if (review && !found) return "Solving your game…";
    if (looking.left) return `Looking through your games: ${looking.left} left…`;
    if (review) return cards.length ? "These were all." : noneText(found);
    const { cards: kept } = readNotebook().notebook;
    if (!kept.length) return "No mistakes yet. Play against an agent: when the game is over, the key m leads here.";
    const [soonest] = kept.filter((card) => !isKnown(card)).toSorted((one, other) => (one.due < other.due ? -1 : 1));
    return soonest ? `Nothing more for today. The next one comes back ${comesBack(soonest, today())}.` : "You know them all.";
  }
}

/** That there is no mistake in a game, or that it is not known. */
function noneText({ unsolved, won }) {
  if (unsolved) {
    const some = `${unsolved} of your positions ${unsolved === 1 ? "was" : "were"} too large to solve`;
    return `No mistake was found, but ${some}: whether you made one there is not known.`;
  }
  return won ? "No mistakes: you never gave a win away." : "No mistakes: with perfect play against you, it was lost from the start.";
}
