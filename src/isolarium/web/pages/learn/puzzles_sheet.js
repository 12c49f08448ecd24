// Puzzles: only one move wins, and often several must be found. Their difficulty follows the visitor's rating, which the
// browser stores with the streak. The daily puzzle is the same for all visitors.

import { colourName, refusal } from "../board/messages.js";
import { formatPosition, formatSquare, parsePosition, parseSquare } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { formatPlies } from "../game/values.js";
import { daysLater } from "../notebook/notebook.js";
import { today } from "../notebook/notebook_store.js";
import { addressOf, writeAddress } from "../shared/address.js";
import { puzzleList, puzzleOf } from "../shared/api.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";
import { recall, remember } from "../shared/storage.js";
import { DailyCard, DailyPuzzles } from "./daily_card.js";
import { Refutation, lineText, refuter, shownLine } from "./exercise.js";
import {
  afterAnswer,
  afterDaily,
  afterPuzzle,
  daysInARow,
  formatRating,
  formatStreak,
  judge,
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
   * @param {(words: string) => void} refuse shows why an action was refused.
   * @param {string|null} wanted the first puzzle, a number or DAILY; null for the last one in this browser.
   * @param {Promise<object>} catalogue the server's answer to GET /api/agents.
   */
  constructor(draw, refuse, wanted, catalogue) {
    this.draw = draw;
    this.refuse = refuse;
    this.agent = refuter(catalogue);
    this.wanted = wanted ?? /^\d{1,5}$/.exec(recall("puzzle"))?.[0] ?? null;
    this.puzzle = null;
    this.days = new DailyPuzzles(this.#options);
    this.card = new DailyCard();
    this.streak = parseStreak(recall("streak"));
    this.rating = parseRating(recall("rating"));
    this.#reset();
    this.verdict = h("p.verdict", { "aria-live": "polite" });
    this.problem = h("p.error", { role: "alert" });
    this.name = h("h2");
    this.score = h("p.streak");
    this.standing = h("p.streak.small");
    this.links = h("span.row");
    this.#buildButtons();
    const { next, again, answer, resume, daily } = this.buttons;
    this.element = h(
      "div.prose",
      {},
      this.name,
      this.verdict,
      this.problem,
      h("div.row", {}, next, again, answer, resume, daily, this.links),
      this.card.element,
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
      answer: button("Show the answer", null, () => this.#showAnswer()),
      resume: button("Resume", null, () => this.refutation.play()),
      daily: button("Daily puzzle", null, () => this.go(DAILY)),
    };
  }

  /** Clear the state of the previous puzzle. */
  #reset() {
    this.refutation?.stop();
    this.refutation = null;
    this.step = 0; // moves found so far
    this.answer = null; // the server's answer to the last try
    this.isAnswerShown = false;
    this.isRecorded = false;
    this.change = 0; // of the rating
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

  /** Open a puzzle by its number, or today's; null opens one that fits the rating. */
  async go(wanted) {
    this.wanted = wanted;
    try {
      const puzzle = await this.#find(wanted);
      if (wanted !== this.wanted) return undefined; // another was chosen meanwhile
      this.#open(puzzle, wanted);
    } catch (error) {
      if ([404, 422].includes(error.status) && wanted !== 1) {
        await this.go(1);
        return this.refuse(`There is no puzzle ${wanted}; this is puzzle 1.`);
      }
      fill(this.problem, error.message);
    }
    return this.draw();
  }

  get #options() {
    return { onWait: (text) => fill(this.problem, text) };
  }

  #open(puzzle, wanted) {
    this.#reset();
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

  async #find(wanted) {
    if (wanted === DAILY) return this.days.find(today());
    if (wanted !== null) return puzzleOf(wanted, this.#options);
    this.all ??= await puzzleList(this.#options);
    return puzzleOf(nextPuzzle(this.rating, this.all.difficulties), this.#options);
  }

  next() {
    this.go(null);
  }

  choose(square) {
    const { puzzle } = this;
    if (!puzzle || this.isSolved || this.isWrong || this.isAnswerShown) return;
    const { position } = this;
    if (position.toMove !== this.start.toMove) return; // the opponent's reply is about to be shown
    if (!position.isLegal(square)) return void this.refuse(refusal(position, square));
    this.#take(judge(puzzle, this.step, formatSquare(square, position.cols)), square);
    this.draw();
  }

  #take(answer, square) {
    this.answer = answer;
    fill(this.problem);
    if (this.day) this.card.count(this.day, answer.right, this.isSolved);
    if (this.isSolved || this.isWrong) this.#record();
    const node = this.tree.play(square);
    if (this.isWrong) this.#refute();
    else if (answer.reply) this.#reply(parseSquare(answer.reply, this.start.rows, this.start.cols), node);
  }

  /** Show the opponent's reply after a moment. */
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

  /** Store the result; only the first try counts. */
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

  /** Show the winning move. */
  #showAnswer() {
    this.#tryAgain();
    this.isAnswerShown = true;
    this.draw();
  }

  takeBack() {
    if (!this.isWrong) return;
    if (this.refutation) this.#tryAgain();
    this.isAnswerShown = false;
    this.answer = null;
    fill(this.problem);
    this.draw();
  }

  /** Return to the position before the wrong move. */
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
    if (!puzzle) return { position: Position.empty(7, 7), label: "Loading the puzzle…" };
    if (this.refutation) return shownLine(this.refutation);
    const { position, tree } = this;
    const shown = this.isAnswerShown ? parseSquare(this.answer.answer, position.rows, position.cols) : null;
    return {
      position,
      last: tree.current.move,
      trails: trailsTo(tree.current),
      dots: !this.isSolved && position.toMove === this.start.toMove,
      stars: shown === null ? [] : [shown],
      arrows: shown === null ? [] : [{ from: position.mover, to: shown, player: position.toMove }],
      label: `Puzzle ${puzzle.number}: ${colourName(this.start.toMove)} to move and win`,
    };
  }

  #say() {
    const { puzzle, isWrong, isSolved, buttons, refutation } = this;
    const name = this.day ? `Daily puzzle, ${this.day}` : `Puzzle ${puzzle?.number} of ${puzzle?.count}`;
    setText(this.name, puzzle ? name : "Puzzles");
    setText(this.verdict, this.#verdictText());
    this.verdict.className = `verdict ${isSolved ? "good" : isWrong ? "bad" : ""}`;
    this.#sayScore();
    if (refutation) fill(this.problem, refutation.problem);
    buttons.next.disabled = !puzzle;
    buttons.next.className = isSolved ? "main" : "";
    setText(buttons.next, this.isRecorded ? "Next puzzle" : "Skip");
    buttons.again.hidden = buttons.answer.hidden = !refutation;
    buttons.resume.hidden = !refutation || refutation.isPlaying || refutation.isOver;
    buttons.daily.hidden = Boolean(this.day);
    this.card.show(this.day, puzzle, daysInARow(this.rating, today(), daysLater(today(), -1)));
    const game = this.answer && `${formatPosition(this.start)}: ${this.#foundText()}`;
    fill(
      this.links,
      this.isRecorded && h("a.button", { href: addressOf("analyse", writeAddress({ game })) }, "Analyse this position"),
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
      days && `daily puzzles: ${days} in a row`,
    ];
    setText(this.standing, texts.filter(Boolean).join(" · "));
  }

  /** The moves played in the puzzle, as text. */
  #foundText() {
    const found = GameTree.movesTo(this.tree.current).map((square) => formatSquare(square, this.start.cols));
    return found.join(" ");
  }

  #verdictText() {
    const { puzzle, answer, step } = this;
    if (!puzzle) return "Loading a puzzle…";
    if (!answer) return `${colourName(this.start.toMove)} to move. Only one move wins: find it.${this.#manyText()}`;
    if (this.isAnswerShown) return `Only ${answer.answer} wins, in at most ${formatPlies(answer.plies)}.`;
    if (this.isWrong) return `Wrong: ${answer.move} loses. ${lineText(this.refutation)}`;
    const other = colourName(1 - this.start.toMove);
    if (!this.isSolved)
      return `Right: ${answer.move}. ${other} replies ${answer.reply}, and again only one move wins (${step + 1} of ${puzzle.moves}).`;
    const known = wasShown(this.streak, puzzle.number) ? " It does not count, because you tried it before." : "";
    return `Right: ${answer.answer} wins, in at most ${formatPlies(answer.plies)}.${known}`;
  }

  #manyText() {
    const { moves } = this.puzzle;
    return moves > 1 ? ` Then find ${moves === 2 ? "another" : `${moves - 1} more`}.` : "";
  }
}
