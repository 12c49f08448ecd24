// Puzzles: only one move wins, and often the next one has to be found too. Their difficulty follows the visitor's
// rating, which this browser stores, as it does the streak. Every day has one puzzle for all visitors.

import { colourName, refusal } from "../board/messages.js";
import { formatPosition, formatSquare, parsePosition, parseSquare } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { formatPlies } from "../game/values.js";
import { daysLater } from "../notebook/notebook.js";
import { today } from "../notebook/notebook_store.js";
import { writeAddress } from "../shared/address.js";
import { get, post } from "../shared/api.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";
import { recall, remember } from "../shared/storage.js";
import { Refutation, lineText, refuter, shownLine } from "./exercise.js";
import {
  afterAnswer,
  afterDaily,
  afterPuzzle,
  dailyPuzzle,
  daysInARow,
  formatRating,
  formatStreak,
  nextPuzzle,
  parseRating,
  parseStreak,
  wasShown,
} from "./puzzle_progress.js";

const DAILY = "daily"; // in place of a number
const REPLY_MS = 450;

export class PuzzlesSheet {
  #isOpen = false;

  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse shows why something was not done.
   * @param {string|null} wanted the puzzle that is shown at first, a number or DAILY; null for where this browser was last.
   * @param {Promise<object>} catalogue what GET /api/agents answers.
   */
  constructor(draw, refuse, wanted, catalogue) {
    this.draw = draw;
    this.refuse = refuse;
    this.agent = refuter(catalogue);
    this.wanted = wanted ?? /^\d{1,5}$/.exec(recall("puzzle"))?.[0] ?? null;
    this.puzzle = null;
    this.streak = parseStreak(recall("streak"));
    this.rating = parseRating(recall("rating"));
    this.#forget();
    this.verdict = h("p.verdict", { "aria-live": "polite" });
    this.problem = h("p.error", { role: "alert" });
    this.name = h("h2");
    this.score = h("p.streak");
    this.standing = h("p.streak.small");
    this.links = h("span.row");
    this.#buildButtons();
    const { next, again, tell, playOn, daily } = this.buttons;
    this.element = h(
      "div.prose",
      {},
      this.name,
      this.verdict,
      this.problem,
      h("div.row", {}, next, again, tell, playOn, daily, this.links),
      this.score,
      this.standing,
    );
  }

  #buildButtons() {
    const button = (text, key, action) =>
      h("button", { type: "button", title: key && `key ${key}`, onclick: action }, text);
    this.buttons = {
      next: button("Next puzzle", "n", () => this.next()),
      again: button("Try again", "u", () => this.takeBack()),
      tell: button("Show the answer", null, () => this.#tell()),
      playOn: button("Play on", null, () => this.refutation.play()),
      daily: button("Puzzle of the day", null, () => this.go(DAILY)),
    };
  }

  /** Nothing was tried yet. */
  #forget() {
    this.refutation?.stop();
    this.refutation = null;
    this.step = 0; // moves that were found
    this.answer = null; // the server's to the last try
    this.isTold = false;
    this.isRecorded = false;
    this.change = 0; // of the rating
    this.asking = false;
  }

  /** The position in which to find the next move. */
  get position() {
    return this.tree.position;
  }

  get isSolved() {
    return Boolean(this.answer?.right && !this.answer.reply);
  }

  get isWrong() {
    return this.answer?.right === false;
  }

  /** Go to a puzzle by its number, or to today's; without a number, to one that fits the rating. */
  async go(wanted) {
    this.wanted = wanted;
    try {
      const number = await this.#numberOf(wanted);
      const puzzle = await this.#get(`/api/puzzles/${encodeURIComponent(number)}`);
      if (wanted !== this.wanted) return undefined; // another was chosen meanwhile
      this.#open(puzzle, wanted);
    } catch (error) {
      if ([404, 422].includes(error.status) && wanted !== 1) {
        await this.go(1);
        return this.refuse(`There is no puzzle ${wanted}: this is the first.`);
      }
      fill(this.problem, error.message);
    }
    return this.draw();
  }

  #get(path) {
    return get(path, { onWait: (text) => fill(this.problem, text) });
  }

  #open(puzzle, wanted) {
    this.#forget();
    this.puzzle = puzzle;
    this.start = parsePosition(puzzle.position);
    this.tree = new GameTree(this.start);
    this.day = wanted === DAILY ? today() : null;
    if (!this.day) {
      this.wanted = puzzle.number;
      remember("puzzle", String(puzzle.number));
    }
    fill(this.problem);
  }

  async #numberOf(wanted) {
    if (wanted !== DAILY && wanted !== null) return wanted;
    this.all ??= await this.#get("/api/puzzles");
    const { count, difficulties } = this.all;
    return wanted === DAILY ? dailyPuzzle(today(), count) : nextPuzzle(this.rating, difficulties);
  }

  next() {
    this.go(null);
  }

  async choose(square) {
    const { puzzle } = this;
    if (!puzzle || this.asking || this.isSolved || this.isWrong || this.isTold) return;
    const { position } = this;
    if (position.toMove !== this.start.toMove) return; // the other is about to answer
    if (!position.isLegal(square)) return void this.refuse(refusal(position, square));
    this.asking = true;
    try {
      const move = formatSquare(square, position.cols);
      const answer = await post(`/api/puzzles/${puzzle.number}`, { move, step: this.step });
      if (puzzle === this.puzzle) this.#take(answer, square);
    } catch (error) {
      fill(this.problem, error.message);
    }
    this.asking = false;
    this.draw();
  }

  #take(answer, square) {
    this.answer = answer;
    fill(this.problem);
    if (this.isSolved || this.isWrong) this.#record();
    const node = this.tree.play(square);
    if (this.isWrong) this.#refute();
    else if (answer.reply) this.#reply(parseSquare(answer.reply, this.start.rows, this.start.cols), node);
  }

  /** Let the other answer, a moment later, so that one sees it. */
  #reply(square, node) {
    this.step++;
    setTimeout(() => {
      if (this.tree.current !== node) return; // another puzzle was chosen meanwhile
      this.tree.play(square);
      this.draw();
    }, REPLY_MS);
  }

  #refute() {
    const line = new GameTree(this.start, GameTree.movesTo(this.tree.current));
    this.refutation = new Refutation(line, this.agent, this.draw);
    this.refutation.play();
  }

  /** Keep how it went: only the first try counts. */
  #record() {
    const { puzzle, isSolved } = this;
    this.streak = afterAnswer(this.streak, puzzle.number, isSolved);
    remember("streak", formatStreak(this.streak));
    const before = this.rating;
    if (!before.recent.includes(puzzle.number))
      this.rating = afterPuzzle(before, puzzle.number, puzzle.difficulty, isSolved);
    if (this.day && isSolved) this.rating = afterDaily(this.rating, this.day, daysLater(this.day, -1));
    this.change += this.rating.rating - before.rating;
    this.isRecorded = true;
    remember("rating", formatRating(this.rating));
  }

  /** Show the move that wins. */
  #tell() {
    this.#tryAgain();
    this.isTold = true;
    this.draw();
  }

  takeBack() {
    if (!this.isWrong || this.asking) return;
    if (this.refutation) this.#tryAgain();
    this.isTold = false;
    this.answer = null;
    fill(this.problem);
    this.draw();
  }

  /** Stand again where the wrong move was made. */
  #tryAgain() {
    this.refutation.stop();
    this.refutation = null;
    this.tree.takeBack();
  }

  show() {
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.go(this.wanted);
    }
    const { puzzle } = this;
    this.#say();
    if (!puzzle) return { position: Position.empty(7, 7), label: "The puzzle is being loaded" };
    if (this.refutation) return shownLine(this.refutation);
    const { position, tree } = this;
    const told = this.isTold ? parseSquare(this.answer.answer, position.rows, position.cols) : null;
    return {
      position,
      last: tree.current.move,
      trails: trailsTo(tree.current),
      dots: !this.isSolved && position.toMove === this.start.toMove,
      stars: told === null ? [] : [told],
      arrows: told === null ? [] : [{ from: position.mover, to: told, player: position.toMove }],
      label: `Puzzle ${puzzle.number}: ${colourName(this.start.toMove)} to move and win`,
    };
  }

  #say() {
    const { puzzle, isWrong, isSolved, buttons, refutation } = this;
    const name = this.day ? `Puzzle of the day, ${this.day}` : `Puzzle ${puzzle?.number} of ${puzzle?.count}`;
    setText(this.name, puzzle ? name : "Puzzles");
    setText(this.verdict, this.#verdictText());
    this.verdict.className = `verdict ${isSolved ? "good" : isWrong ? "bad" : ""}`;
    this.#sayScore();
    if (refutation) fill(this.problem, refutation.problem);
    buttons.next.disabled = !puzzle;
    buttons.next.className = isSolved ? "main" : "";
    setText(buttons.next, this.isRecorded ? "Next puzzle" : "Another puzzle");
    buttons.again.hidden = buttons.tell.hidden = !refutation;
    buttons.playOn.hidden = !refutation || refutation.isPlaying || refutation.isOver;
    buttons.daily.hidden = Boolean(this.day);
    const game = this.answer && `${formatPosition(this.start)}: ${this.#foundText()}`;
    fill(
      this.links,
      this.isRecorded && h("a.button", { href: `/analyse${writeAddress({ game })}` }, "See why"),
      puzzle && playFrom(this.start),
    );
  }

  #sayScore() {
    const { streak, rating, puzzle, change } = this;
    setText(this.score, `${streak.now} in a row · best ${streak.best}`);
    const moved = change ? ` (${change > 0 ? "+" : "−"}${Math.abs(change)})` : "";
    const days = daysInARow(rating, today(), daysLater(today(), -1));
    const texts = [
      `Your rating ${rating.rating}${moved}`,
      puzzle && `this puzzle ${puzzle.difficulty}`,
      days && `of the day: ${days} in a row`,
    ];
    setText(this.standing, texts.filter(Boolean).join(" · "));
  }

  /** The moves of the puzzle on the board that are known to be right, as text. */
  #foundText() {
    const found = GameTree.movesTo(this.tree.current).map((square) => formatSquare(square, this.start.cols));
    return found.join(" ");
  }

  #verdictText() {
    const { puzzle, answer, step } = this;
    if (!puzzle) return "Loading a puzzle…";
    if (!answer) return `${colourName(this.start.toMove)} to move. Only one move wins: find it.${this.#manyText()}`;
    if (this.isTold) return `Only ${answer.answer} wins, in ${formatPlies(answer.plies)} at most.`;
    if (this.isWrong) return `No: ${answer.move} loses. ${lineText(this.refutation)}`;
    const other = colourName(1 - this.start.toMove);
    if (!this.isSolved)
      return `Right: ${answer.move}. ${other} answers ${answer.reply}, and again only one move wins: ${step + 1} of ${puzzle.moves}.`;
    const known = wasShown(this.streak, puzzle.number) ? " It does not count: you tried it before." : "";
    return `Right: ${answer.answer} wins, in ${formatPlies(answer.plies)} at most.${known}`;
  }

  #manyText() {
    const { moves } = this.puzzle;
    return moves > 1 ? ` Then ${moves === 2 ? "another" : `${moves - 1} more`}.` : "";
  }
}
