// Your own mistakes: those of one game in turn, or those that are due today. Each is a position that was won; find a
// move that keeps the win, or see what comes of the one you chose.

import { GameJudge, PositionValues } from "../analyse/game_judge.js";
import { colourName } from "../board/messages.js";
import { NotationError, formatSquare, formatStart, parseGame, parseSquare, parseStart } from "../game/notation.js";
import { PLAYERS, Position } from "../game/rules.js";
import { GameTree } from "../game/tree.js";
import { formatPlies } from "../game/values.js";
import {
  afterTry,
  cardOf,
  comesBack,
  isDue,
  isKnown,
  newCard,
  withCard,
  withMistakes,
  withoutCard,
} from "../notebook/notebook.js";
import { changeNotebook, readNotebook, today } from "../notebook/notebook_store.js";
import { writeAddress } from "../shared/address.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";
import { isKeeping } from "../shared/storage.js";
import { DEGREES, Exercise, TELLS_WHERE, refuter } from "./exercise.js";
import { NOT_KEPT, NotebookCard } from "./notebook_card.js";

export class MistakesSheet {
  #isOpen = false;

  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse shows why something was not done.
   * @param {{game?: string, player?: string}} wanted the game whose mistakes are shown, and of which player; none: the deck.
   * @param {Promise<object>} catalogue what GET /api/agents answers.
   */
  constructor(draw, refuse, { game, player }, catalogue) {
    this.draw = draw;
    this.refuse = refuse;
    this.catalogue = catalogue;
    this.agent = refuter(catalogue);
    this.review = game ? { game, player: PLAYERS.includes(player) ? player : PLAYERS[0] } : null;
    this.found = null; // what was found in the game that is reviewed
    this.cards = [];
    this.at = 0;
    this.finding = null; // the card's position, once it is shown
    this.isRecorded = false;
    this.values = new PositionValues(draw, (text) => fill(this.problem, text));
    this.looking = new MistakeSearch(
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
      playOn: button("Play on", null, () => this.finding.refutation.play()),
      forget: button("Forget this one", null, () => this.#forget()),
    };
  }

  get card() {
    return this.cards[this.at] ?? null;
  }

  /** What is done when this sheet is shown first. */
  #begin() {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { notebook, problem } = readNotebook();
    fill(this.problem, isKeeping() ? problem : NOT_KEPT);
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
    this.finding?.stop();
    this.at = at;
    this.isRecorded = false;
    this.finding = this.card && new Exercise(parseStart(this.card.position), this.values, this.agent, this.draw);
  }

  choose(square) {
    const { finding } = this;
    if (!finding || finding.tried !== null) return;
    const why = finding.choose(square);
    if (why) return void this.refuse(why);
    if (finding.value !== "unknown") this.#record(finding.value === "wins");
    this.draw();
  }

  /** Store the result: only the first try shows whether the mistake is remembered. */
  #record(isRight) {
    if (this.isRecorded) return;
    const { degree } = this.finding;
    const helped = degree >= TELLS_WHERE ? "helped" : "right";
    const card = afterTry(this.card, isRight && degree < DEGREES ? helped : "missed", today());
    this.cards = this.cards.with(this.at, card);
    this.isRecorded = true;
    changeNotebook((notebook) => withCard(notebook, card));
  }

  hint() {
    this.finding?.tellMore();
    this.draw();
  }

  takeBack() {
    this.finding?.tryAgain();
    fill(this.problem);
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
    const { finding } = this;
    if (!finding) return { position: Position.empty(7, 7), label: "No mistake to look at" };
    const { position } = finding;
    const played = parseSquare(this.card.played, position.rows, position.cols);
    const way = { from: position.mover, to: played, player: position.toMove, strength: 0 };
    return finding.show({
      arrows: position.placing ? [] : [way],
      label: `${colourName(position.toMove)} to move and keep the win`,
    });
  }

  #say() {
    const { finding, buttons } = this;
    const { notebook } = readNotebook();
    const isTried = finding?.tried !== null;
    const refutation = finding?.refutation;
    setText(this.name, this.#nameText());
    setText(this.verdict, finding ? this.#verdictText() : this.#nothingText());
    this.verdict.className = `verdict ${{ wins: "good", loses: "bad" }[finding?.value] ?? ""}`;
    this.hintLine.hidden = !finding || isTried;
    setText(this.hintLine, finding?.hint.words ?? "");
    if (refutation) fill(this.problem, refutation.problem);
    buttons.next.hidden = !finding;
    setText(buttons.next, isTried ? "Next" : "Skip");
    buttons.next.classList.toggle("main", finding?.value === "wins");
    buttons.hint.hidden = !finding || isTried;
    buttons.hint.disabled = !finding?.isOpen || finding.degree === DEGREES;
    buttons.again.hidden = !finding || !isTried || finding.value === "wins";
    buttons.playOn.hidden = !refutation || refutation.isPlaying || refutation.isOver;
    buttons.forget.hidden = !finding || !cardOf(notebook, this.card.position);
    fill(this.links, finding ? this.#cardLinks() : this.#otherLinks());
    this.kept.show(notebook);
  }

  #cardLinks() {
    const { finding, card } = this;
    const game = `${card.position}: ${card.played}`;
    return [
      finding.tried !== null && h("a.button", { href: `/analyse${writeAddress({ game, at: "1" })}` }, "See why"),
      playFrom(finding.position),
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
    const { finding } = this;
    const { tried, value } = finding;
    if (tried === null) return this.#questionText();
    if (value === "loses") return finding.wrongText;
    const name = finding.triedName;
    if (value === "unknown") return `Whether ${name} keeps the win is not solved here. ${this.#knownText()}`;
    const soon = finding.plies === null ? "" : `, in ${formatPlies(finding.plies)} at most`;
    return `Right: ${name} keeps the win${soon}. ${this.#returnText(this.card)}`;
  }

  #questionText() {
    const { card, finding } = this;
    const { position, known } = finding;
    const who = `You are ${colourName(position.toMove)}. ${card.played} gave the win away`;
    if (!known) return `${who}. Solving the position…`;
    if (finding.right.length) return `${who}: find ${position.placing ? "a square" : "a move"} that keeps it.`;
    if (known.value === "loses") return "In this position nothing wins, so nothing was given away: forget it.";
    return "This position is too large to be solved here, so no answer can be judged.";
  }

  #knownText() {
    const { right, position } = this.finding;
    return right.length ? `${formatSquare(right[0], position.cols)} is known to keep it.` : "";
  }

  #returnText(card) {
    if (!cardOf(readNotebook().notebook, card.position)) return "";
    return isKnown(card) ? "You know this one now: it does not come back." : `It comes back ${comesBack(card, today())}.`;
  }

  #nothingText() {
    const { review, found, cards, looking } = this;
    if (review && !found) return "Solving your game…";
    if (looking.left) return `Looking through your games: ${looking.left} left…`;
    if (review) return cards.length ? `These were all. ${unsolvedText(found)}`.trim() : noneText(found);
    const { cards: kept } = readNotebook().notebook;
    if (!kept.length) return "No mistakes yet. Play against an agent or a friend: when the game is over, Review my mistakes (key m) leads here.";
    const [soonest] = kept.filter((card) => !isKnown(card)).toSorted((one, other) => (one.due < other.due ? -1 : 1));
    return soonest ? `Nothing more for today. The next one comes back ${comesBack(soonest, today())}.` : "You know them all.";
  }
}

/** That part of a game was too large to solve, if any was. */
function unsolvedText({ unsolved }) {
  if (!unsolved) return "";
  const some = `${unsolved} of your positions ${unsolved === 1 ? "was" : "were"}`;
  return `But ${some} too large to solve: whether you made a mistake there is not known.`;
}

/** That there is no mistake in a game, or that it is not known. */
function noneText({ unsolved, won }) {
  if (unsolved) return `No mistake was found. ${unsolvedText({ unsolved })}`;
  return won ? "No mistakes: you never gave a win away." : "No mistakes: with perfect play against you, it was lost from the start.";
}

// Games searched for the mistakes of one player, one game after the other.

class MistakeSearch {
  #waiting = [];
  #judge;

  /**
   * @param {(game: object, found: {mistakes: object[], unsolved: number, won: number}) => void} onFound called with a
   *   game and what was found in it: see `mistakesOf`.
   * @param {(text: string) => void} onProblem called with what went wrong, or with nothing once that is over.
   */
  constructor(onFound, onProblem) {
    this.onFound = onFound;
    this.onProblem = onProblem;
    this.#judge = new GameJudge(() => this.#judged(), onProblem);
  }

  /** How many games are still to be looked through. */
  get left() {
    return this.#waiting.length;
  }

  /** Look through these games, each an object with the texts `game` and `player`. */
  add(games) {
    const isIdle = !this.left;
    this.#waiting.push(...games);
    if (isIdle) this.#next();
  }

  #next() {
    if (this.left) this.#judge.judge({ game: this.#waiting[0].game });
  }

  #judged() {
    const { judgement } = this.#judge;
    if (!judgement.summary) return;
    const game = this.#waiting.shift();
    this.onProblem("");
    this.onFound(game, mistakesOf(game, judgement));
    this.#next();
  }
}

/** The mistakes of a game's player as new cards, and of its positions how many were not solved and how many won. */
function mistakesOf({ game, player }, judgement) {
  const { start, moves } = parseGame(game);
  const nodes = new GameTree(start, moves).mainLine().slice(1);
  const own = nodes.filter(({ ply }) => judgement.at(ply)?.player === player);
  const count = (test) => own.filter(({ ply }) => test(judgement.at(ply))).length;
  return {
    mistakes: own
      .filter(({ ply }) => judgement.at(ply).mark === "mistake")
      .map(({ parent, move }) => newCard(formatStart(parent.position), formatSquare(move, start.cols), today())),
    unsolved: count(({ mark, wins }) => mark === "unknown" || wins === null),
    won: count(({ wins }) => wins === true),
  };
}
