// Puzzles: only one move wins. A streak is kept in this browser.

import { colourName, refusal } from "../board/words.js";
import { writeAddress } from "../game/address.js";
import { formatGame, formatSquare, parsePosition, parseSquare } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { formatPlies } from "../game/values.js";
import { get, post } from "../shared/api.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/play_from.js";
import { recall, remember } from "../shared/store.js";
import { afterAnswer, formatStreak, parseStreak, wasShown } from "./streak.js";

export class PuzzlesSheet {
  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse says why something was not done.
   * @param {string|null} wanted the puzzle that is shown at first; null for where this browser was last.
   */
  constructor(draw, refuse, wanted) {
    this.draw = draw;
    this.refuse = refuse;
    this.wanted = wanted ?? (Number.parseInt(recall("puzzle"), 10) || 1);
    this.puzzle = null;
    this.answer = null;
    this.streak = parseStreak(recall("streak"));
    this.verdict = h("p.verdict", { "aria-live": "polite" });
    this.problem = h("p.error", { role: "alert" });
    this.name = h("h2");
    this.score = h("p.streak");
    this.next = h(
      "button",
      { type: "button", onclick: () => this.go((this.puzzle.number % this.puzzle.count) + 1) },
      "Next puzzle",
    );
    this.again = h("button", { type: "button", onclick: () => this.go(this.puzzle.number) }, "Try again");
    this.links = h("span.row");
    this.element = h(
      "div.prose",
      {},
      this.name,
      this.verdict,
      this.problem,
      h("div.row", {}, this.next, this.again, this.links),
      this.score,
    );
  }

  async go(number) {
    this.wanted = number;
    try {
      const puzzle = await get(`/api/puzzles/${encodeURIComponent(number)}`);
      if (number !== this.wanted) return undefined; // another was chosen meanwhile
      this.position = parsePosition(puzzle.position);
      this.puzzle = puzzle;
      this.answer = null;
      remember("puzzle", String(number));
      fill(this.problem);
    } catch (error) {
      if ([404, 422].includes(error.status) && number !== 1) {
        await this.go(1);
        return this.refuse(`There is no puzzle ${number}: this is the first.`);
      }
      fill(this.problem, error.message);
    }
    return this.draw();
  }

  async choose(square) {
    const { position, puzzle } = this;
    if (!puzzle || this.answer || this.asking) return;
    if (!position.isLegal(square)) return void this.refuse(refusal(position, square));
    this.asking = true;
    try {
      this.answer = await post(`/api/puzzles/${puzzle.number}`, {
        move: formatSquare(square, position.cols),
      });
      this.streak = afterAnswer(this.streak, puzzle.number, this.answer.right);
      remember("streak", formatStreak(this.streak));
      fill(this.problem);
    } catch (error) {
      fill(this.problem, error.message);
    }
    this.asking = false;
    this.draw();
  }

  takeBack() {
    if (this.answer) this.go(this.puzzle.number);
  }

  show() {
    const { puzzle, answer, position } = this;
    this.#say();
    if (!puzzle) return { position: Position.empty(7, 7), label: "The puzzle is being loaded" };
    if (!answer)
      return {
        position,
        dots: true,
        label: `Puzzle ${puzzle.number}: ${colourName(position.toMove)} to move and win`,
      };
    const square = (name) => parseSquare(name, position.rows, position.cols);
    const after = position.play(square(answer.move));
    const arrow = { from: position.mover, to: square(answer.answer), player: position.toMove };
    return {
      position: after,
      last: square(answer.move),
      stars: [square(answer.answer)],
      arrows: answer.right ? [] : [arrow],
    };
  }

  #say() {
    const { puzzle, answer, streak } = this;
    setText(this.name, puzzle ? `Puzzle ${puzzle.number} of ${puzzle.count}` : "Puzzles");
    setText(this.verdict, this.#verdictText());
    this.verdict.className = `verdict ${answer ? (answer.right ? "good" : "bad") : ""}`;
    setText(this.score, `${streak.now} in a row · best ${streak.best}`);
    this.next.disabled = !puzzle;
    this.next.className = answer?.right ? "main" : "";
    setText(this.next, answer ? "Next puzzle" : "Another puzzle");
    this.again.hidden = !answer || answer.right;
    const game =
      answer &&
      formatGame(this.position, [parseSquare(answer.answer, this.position.rows, this.position.cols)]);
    fill(
      this.links,
      answer && h("a.button", { href: `/analyse${writeAddress({ game })}` }, "See why"),
      puzzle && playFrom(this.position),
    );
  }

  #verdictText() {
    const { puzzle, answer } = this;
    if (!puzzle) return "Loading a puzzle…";
    if (!answer) return `${colourName(this.position.toMove)} to move. Only one move wins: find it.`;
    const known = wasShown(this.streak, puzzle.number) ? " It does not count: the answer was shown before." : "";
    if (answer.right) return `Right: ${answer.answer} wins, in ${formatPlies(answer.plies)} at most.${known}`;
    return `No: ${answer.move} loses. Only ${answer.answer} wins, in ${formatPlies(answer.plies)} at most.`;
  }
}
