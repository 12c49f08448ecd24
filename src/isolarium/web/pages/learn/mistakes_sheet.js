// The visitor's own mistakes: those of one game, or those due today. Each is a won position; find a move that keeps the
// win, or see how the chosen one loses.

import { GameJudge, PositionValues } from "../analyse/game_judge.js";
import { colourName } from "../board/messages.js";
import { NotationError, formatSquare, formatStart, parseGame, parseSquare, parseStart } from "../game/notation.js";
import { PLAYERS, Position } from "../game/rules.js";
import { GameTree } from "../game/tree.js";
import { formatPlies } from "../game/values.js";
import {
  afterTry,
  cardOf,
  isDue,
  isKnown,
  newCard,
  returnsWhen,
  withCard,
  withMistakes,
  withoutCard,
} from "../notebook/notebook.js";
import { changeNotebook, readNotebook, today } from "../notebook/notebook_store.js";
import { addressOf, writeAddress } from "../shared/address.js";
import { query } from "../shared/answers.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";
import { canStore } from "../shared/storage.js";
import { Exercise, HINT_LEVELS, SHOWS_WHERE, refuter } from "./exercise.js";
import { NOT_STORED, NotebookCard } from "./notebook_card.js";

export class MistakesSheet {
  #isOpen = false;

  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse shows why an action was refused.
   * @param {{game?: string, player?: string}} wanted the game and the player to review; empty for the mistakes due today.
   * @param {Promise<object>} catalogue the server's answer to GET /api/agents.
   */
  constructor(draw, refuse, { game, player }, catalogue) {
    this.draw = draw;
    this.refuse = refuse;
    this.catalogue = catalogue;
    this.agent = refuter(catalogue);
    this.review = game ? { game, player: PLAYERS.includes(player) ? player : PLAYERS[0] } : null;
    this.found = null; // the mistakes in the reviewed game
    this.cards = [];
    this.at = 0;
    this.exercise = null; // the current card's position
    this.isRecorded = false;
    this.values = new PositionValues(draw, (text) => fill(this.problem, text));
    this.search = new MistakeSearch(
      (one, found) => this.#take(one, found),
      (text) => fill(this.problem, text),
    );
    this.notebookCard = new NotebookCard(() => this.#reopen());
    this.name = h("h2");
    this.verdict = h("p.verdict", { "aria-live": "polite" });
    this.resistance = new ResistanceReview();
    this.hintLine = h("p.hint", { "aria-live": "polite" });
    this.problem = h("p.error", { role: "alert" });
    this.links = h("span.row");
    this.#buildButtons();
    const { next, hint, again, resume, remove } = this.buttons;
    this.element = h(
      "div.prose",
      {},
      this.name,
      this.verdict,
      this.resistance.element,
      this.hintLine,
      this.problem,
      h("div.row", {}, next, hint, again, resume, this.links, remove),
      this.notebookCard.element,
    );
  }

  #buildButtons() {
    const button = (text, key, action) =>
      h("button", { type: "button", title: key && `key ${key}`, onclick: action }, text);
    this.buttons = {
      next: button("Next mistake", "n", () => this.next()),
      hint: button("Hint", "h", () => this.hint()),
      again: button("Try again", "u", () => this.takeBack()),
      resume: button("Resume", null, () => this.exercise.refutation.play()),
      remove: button("Delete this mistake", null, () => this.#remove()),
    };
  }

  get card() {
    return this.cards[this.at] ?? null;
  }

  /** Set up when the tab is first shown. */
  #begin() {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { notebook, problem } = readNotebook();
    fill(this.problem, canStore() ? problem : NOT_STORED);
    this.catalogue.then(({ levels }) => (this.notebookCard.levels = levels)).then(this.draw, () => {});
    if (this.review && !this.#isGame(this.review)) this.review = null;
    if (this.review) this.search.add([this.review]);
    else this.#openDeck();
    this.search.add(notebook.games.filter((game) => !game.judged && game.game !== this.review?.game));
  }

  #isGame({ game }) {
    try {
      return Boolean(parseGame(game).moves.length);
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      fill(this.problem, `The address does not contain a valid game: ${error.message}`);
      return false;
    }
  }

  /** Store the mistakes found in a game. */
  #take(game, found) {
    changeNotebook((notebook) => (this.#isStored(notebook, game) ? withMistakes(notebook, game, found.mistakes) : notebook));
    const isReview = game === this.review;
    if (isReview) {
      this.found = found;
      const { notebook } = readNotebook();
      this.cards = found.mistakes.map((card) => cardOf(notebook, card.position) ?? card);
      if (isLostThroughout(found)) this.resistance.review(game);
      this.#go(0);
    } else if (!this.review && !this.card) this.#openDeck();
    this.draw();
  }

  #isStored({ games }, { game, player }) {
    return games.some((one) => one.game === game && one.player === player);
  }

  /** Show the mistakes that are due today. */
  #openDeck() {
    const day = today();
    this.cards = readNotebook().notebook.cards.filter((card) => isDue(card, day));
    this.#go(0);
  }

  /** Update after an import or a deletion. */
  #reopen() {
    if (!this.review) this.#openDeck();
    this.draw();
  }

  #go(at) {
    this.exercise?.stop();
    this.at = at;
    this.isRecorded = false;
    this.exercise = this.card && new Exercise(parseStart(this.card.position), this.values, this.agent, this.draw);
  }

  choose(square) {
    const { exercise } = this;
    if (!exercise || exercise.tried !== null) return;
    const why = exercise.choose(square);
    if (why) return void this.refuse(why);
    if (exercise.value !== "unknown") this.#record(exercise.value === "wins");
    this.draw();
  }

  /** Store the result of the first try; later ones do not count. */
  #record(isRight) {
    if (this.isRecorded) return;
    const { hintLevel } = this.exercise;
    const how = hintLevel >= SHOWS_WHERE ? "helped" : "right";
    const card = afterTry(this.card, isRight && hintLevel < HINT_LEVELS ? how : "missed", today());
    this.cards = this.cards.with(this.at, card);
    this.isRecorded = true;
    changeNotebook((notebook) => withCard(notebook, card));
  }

  hint() {
    this.exercise?.nextHint();
    this.draw();
  }

  takeBack() {
    this.exercise?.tryAgain();
    fill(this.problem);
    this.draw();
  }

  next() {
    if (!this.card) return;
    if (this.at + 1 < this.cards.length || this.review) this.#go(this.at + 1);
    else this.#openDeck();
    this.draw();
  }

  #remove() {
    changeNotebook((notebook) => withoutCard(notebook, this.card));
    this.cards = this.cards.filter((card) => card !== this.card);
    this.#go(this.at);
    this.draw();
  }

  show() {
    this.#begin();
    this.#say();
    const { exercise } = this;
    if (!exercise) return { position: Position.empty(7, 7), label: "No mistake to show" };
    const { position } = exercise;
    const played = parseSquare(this.card.played, position.rows, position.cols);
    const way = { from: position.mover, to: played, player: position.toMove, strength: 0 };
    return exercise.show({
      arrows: position.placing ? [] : [way],
      marks: position.placing ? new Map([[played, { tone: "none", text: "×", words: "you placed here" }]]) : new Map(),
      label: `${colourName(position.toMove)} to move and keep the win`,
    });
  }

  #say() {
    const { exercise, buttons } = this;
    const { notebook } = readNotebook();
    const isTried = exercise?.tried !== null;
    const refutation = exercise?.refutation;
    setText(this.name, this.#nameText());
    setText(this.verdict, exercise ? this.#verdictText() : this.#nothingText());
    this.verdict.className = `verdict ${{ wins: "good", loses: "bad" }[exercise?.value] ?? ""}`;
    this.resistance.element.hidden = Boolean(exercise) || !this.found || !isLostThroughout(this.found);
    this.hintLine.hidden = !exercise || isTried;
    setText(this.hintLine, exercise?.hint.words ?? "");
    if (refutation) fill(this.problem, refutation.problem);
    buttons.next.hidden = !exercise;
    setText(buttons.next, isTried ? "Next mistake" : "Skip");
    buttons.next.classList.toggle("main", exercise?.value === "wins");
    buttons.hint.hidden = !exercise || isTried;
    buttons.hint.disabled = !exercise?.isOpen || exercise.hintLevel === HINT_LEVELS;
    buttons.again.hidden = !exercise || !isTried || exercise.value === "wins";
    buttons.resume.hidden = !refutation || refutation.isPlaying || refutation.isOver;
    buttons.remove.hidden = !exercise || !cardOf(notebook, this.card.position);
    fill(this.links, exercise ? this.#cardLinks() : this.#otherLinks());
    this.notebookCard.show(notebook);
  }

  #cardLinks() {
    const { exercise, card } = this;
    const game = `${card.position}: ${card.played}`;
    return [
      exercise.tried !== null &&
        h("a.button", { href: addressOf("analyse", writeAddress({ game, at: "1" })) }, "Analyse this position"),
      exercise.tried !== null && startLink(exercise.position, card.played),
      playFrom(exercise.position),
    ];
  }

  #otherLinks() {
    const { review } = this;
    return [
      h("a.button", { href: addressOf("play") }, "Play a game"),
      review && h("a.button", { href: addressOf("analyse", writeAddress({ game: review.game })) }, "Analyse this game"),
      review && h("a.button", { href: addressOf("learn", "?sheet=mistakes") }, "Mistakes due today"),
    ];
  }

  #nameText() {
    const { cards, at, review, card } = this;
    if (!card) return review ? "Your mistakes in this game" : "Due today";
    return review ? `Mistake ${at + 1} of ${cards.length} in this game` : `Due today: ${at + 1} of ${cards.length}`;
  }

  #verdictText() {
    const { exercise } = this;
    const { tried, value } = exercise;
    if (tried === null) return this.#questionText();
    if (value === "loses") return exercise.wrongText;
    const name = exercise.triedName;
    if (value === "unknown") return `It is not known whether ${name} keeps the win. ${this.#knownText()}`;
    const soon = exercise.plies === null ? "" : `, in at most ${formatPlies(exercise.plies)}`;
    return `Right: ${name} keeps the win${soon}. ${this.#returnText(this.card)}`;
  }

  #questionText() {
    const { card, exercise } = this;
    const { position, known } = exercise;
    const who = `You are ${colourName(position.toMove)}. ${card.played} gave the win away`;
    if (!known) return `${who}. Solving the position…`;
    if (exercise.right.length) return `${who}: find ${position.placing ? "a square" : "a move"} that keeps it.`;
    if (known.value === "loses") return "No move wins in this position, so nothing was given away. Delete this mistake.";
    return "This position is too large to solve, so no answer can be judged.";
  }

  #knownText() {
    const { right, position } = this.exercise;
    return right.length ? `${formatSquare(right[0], position.cols)} is known to keep it.` : "";
  }

  #returnText(card) {
    if (!cardOf(readNotebook().notebook, card.position)) return "";
    return isKnown(card) ? "You know this one now, so it will not return." : `It returns ${returnsWhen(card, today())}.`;
  }

  #nothingText() {
    const { review, found, cards, search } = this;
    if (review && !found) return "Solving your game…";
    if (search.left) return `Checking your games: ${search.left} left…`;
    if (review) return cards.length ? `That was the last one. ${unsolvedText(found)}`.trim() : noneText(found);
    const { cards: stored } = readNotebook().notebook;
    if (!stored.length) return "No mistakes yet. Play an agent or a friend, then choose Review my mistakes (key m) after the game.";
    const [soonest] = stored.filter((card) => !isKnown(card)).toSorted((one, other) => (one.due < other.due ? -1 : 1));
    return soonest ? `Nothing left for today. The next mistake returns ${returnsWhen(soonest, today())}.` : "You know them all.";
  }
}

/** A note that part of a game was too large to solve; empty if none was. */
function unsolvedText({ unsolved }) {
  if (!unsolved) return "";
  const some = `${unsolved} of your positions ${unsolved === 1 ? "was" : "were"}`;
  return `${some} too large to solve, so mistakes there are not known.`;
}

/** Whether no position of a game was won for its player. */
function isLostThroughout({ mistakes, unsolved, won }) {
  return !mistakes.length && !unsolved && !won;
}

/** The verdict on a game without a known mistake. */
function noneText({ unsolved, won }) {
  if (unsolved) return `No mistake was found. ${unsolvedText({ unsolved })}`;
  return won ? "No mistakes: you never gave a win away." : "No mistakes: against perfect play, your position was lost from the start.";
}

// The search for one player's mistakes, game by game.

class MistakeSearch {
  #waiting = [];
  #judge;

  /**
   * @param {(game: object, found: {mistakes: object[], unsolved: number, won: number}) => void} onFound called with a
   *   game and the result of `mistakesOf`.
   * @param {(text: string) => void} onProblem called with an error message, and with an empty text once it is resolved.
   */
  constructor(onFound, onProblem) {
    this.onFound = onFound;
    this.onProblem = onProblem;
    this.#judge = new GameJudge(() => this.#judged(), onProblem);
  }

  /** The number of games left to search. */
  get left() {
    return this.#waiting.length;
  }

  /** Add games to search, each an object with the texts `game` and `player`. */
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

/** A player's mistakes in a game as new cards, with the numbers of its unsolved and won positions. */
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

// A game that was lost from the start: the moves that shortened the resistance most.

const SHOWN = 3;

class ResistanceReview {
  constructor() {
    this.words = h("p", { "aria-live": "polite" });
    this.list = h("ol");
    this.element = h("section", { hidden: true, "aria-label": "Resistance" }, this.words, this.list);
  }

  /** Find out how many plies each move of a player lost. A move whose end is too far away to solve is left out. */
  async review({ game, player }) {
    const { start, moves } = parseGame(game);
    const nodes = new GameTree(start, moves).mainLine().slice(1);
    const own = nodes.filter(({ parent }) => PLAYERS[parent.position.toMove] === player);
    setText(this.words, "Looking for the moves that made you lose sooner…");
    const found = [];
    try {
      for (const node of own) found.push(await shortened(node));
    } catch (error) {
      return void setText(this.words, error.message);
    }
    const worst = found.filter(Boolean).toSorted((one, other) => other.lost - one.lost).slice(0, SHOWN);
    setText(
      this.words,
      worst.length
        ? "You could have held out for longer. The moves that cost you the most plies:"
        : "No move is known to have made you lose sooner.",
    );
    fill(this.list, worst.map(({ node, best, lost }) => h("li", {}, this.#link(game, node), ` lost ${formatPlies(lost)}; ${best} holds out longest.`)));
    return undefined;
  }

  #link(game, { parent, move, ply }) {
    const name = formatSquare(move, parent.position.cols);
    return h("a", { href: addressOf("analyse", writeAddress({ game, at: String(ply - 1) })) }, `Ply ${ply} (${name})`);
  }
}

/** A link to the map of starts, which explains why a placement gave the win away; null for other moves. */
function startLink(position, played) {
  const [first, second] = position.squares;
  if (first === null || second !== null || position.blankCount !== position.size - 1) return null;
  const board = `${position.rows}x${position.cols}`;
  const game = `${board}: ${formatSquare(first, position.cols)} ${played}`;
  return h("a.button", { href: addressOf("learn", writeAddress({ sheet: "starts", board, game })) }, "Why this start is lost");
}

/** How many plies a move in a lost position cost, and the move that holds out longest; null if it cost none or is not known. */
async function shortened(node) {
  const { position } = node.parent;
  if (position.legalMoves().length < 2) return null;
  const { moves } = await query("values", { game: `${formatStart(position)}:` });
  const played = moves.find(({ move }) => move === formatSquare(node.move, position.cols));
  if (moves.some(({ value, plies }) => value !== "loses" || plies === null)) return null;
  const best = moves.reduce((one, other) => (other.plies > one.plies ? other : one));
  const lost = best.plies - played.plies;
  return lost ? { node, best: best.move, lost } : null;
}
