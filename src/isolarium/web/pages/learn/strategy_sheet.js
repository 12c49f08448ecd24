// Lessons of strategy: each lays over the board what it is about, and ends in a move to find and a game to play.

import { PositionValues } from "../analyse/game_judge.js";
import { parsePosition } from "../game/notation.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";
import { DEGREES, Exercise, refuter } from "./exercise.js";
import { LESSONS } from "./lessons.js";

export class StrategySheet {
  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse shows why something was not done.
   * @param {string|undefined} wanted the number of the lesson that is shown at first.
   * @param {Promise<object>} catalogue what GET /api/agents answers.
   * @param {import("../shared/explain.js").Explainer} why what is laid over the board.
   */
  constructor(draw, refuse, wanted, catalogue, why) {
    this.draw = draw;
    this.refuse = refuse;
    this.agent = refuter(catalogue);
    this.why = why;
    this.at = Math.max(0, Math.min(LESSONS.length, Number.parseInt(wanted, 10) || 1) - 1);
    this.finding = null;
    this.problem = h("p.error", { role: "alert" });
    this.values = new PositionValues(draw, (text) => fill(this.problem, text));
    this.name = h("h2");
    this.text = h("p");
    this.task = h("p.verdict", { "aria-live": "polite" });
    this.hintLine = h("p.hint", { "aria-live": "polite" });
    this.links = h("span.row");
    const button = (text, key, action) =>
      h("button", { type: "button", title: key && `key ${key}`, onclick: action }, text);
    this.buttons = {
      next: button("Next lesson", "n", () => this.next()),
      hint: button("Hint", "h", () => this.hint()),
      again: button("Try again", "u", () => this.takeBack()),
      playOn: button("Play on", null, () => this.finding.refutation.play()),
    };
    this.choices = LESSONS.map(({ title }, at) =>
      h("button", { type: "button", title, "aria-label": `Lesson ${at + 1}: ${title}`, onclick: () => this.go(at) }, String(at + 1)),
    );
    const { next, hint, again, playOn } = this.buttons;
    this.element = h(
      "div.prose",
      {},
      h("div.row", { role: "group", "aria-label": "Lessons" }, this.choices),
      this.name,
      this.task,
      this.hintLine,
      this.problem,
      h("div.row", {}, next, hint, again, playOn, this.links),
      this.text,
    );
  }

  get lesson() {
    return LESSONS[this.at];
  }

  get number() {
    return String(this.at + 1);
  }

  /** Lay over the board what the lesson is about. */
  layOver() {
    this.why.show(this.lesson.overlay);
  }

  go(at) {
    this.finding?.stop();
    this.finding = null;
    this.at = at;
    this.layOver();
    this.draw();
  }

  next() {
    this.go((this.at + 1) % LESSONS.length);
  }

  choose(square) {
    const why = this.finding.choose(square);
    if (why) return void this.refuse(why);
    this.draw();
  }

  hint() {
    this.finding.tellMore();
    this.draw();
  }

  takeBack() {
    this.finding.tryAgain();
    fill(this.problem);
    this.draw();
  }

  show() {
    this.finding ??= new Exercise(parsePosition(this.lesson.position), this.values, this.agent, this.draw);
    this.#say();
    return this.finding.show({ label: `Lesson ${this.number}: Blue to move and win` });
  }

  #say() {
    const { lesson, finding, buttons } = this;
    const { tried, value, refutation, degree } = finding;
    setText(this.name, `${this.number}. ${lesson.title}`);
    setText(this.text, lesson.text);
    setText(this.task, this.#taskText());
    this.task.className = `verdict ${{ wins: "good", loses: "bad" }[value] ?? ""}`;
    this.hintLine.hidden = tried !== null;
    setText(this.hintLine, finding.hint.words);
    if (refutation) fill(this.problem, refutation.problem);
    this.choices.forEach((choice, at) => choice.setAttribute("aria-pressed", String(at === this.at)));
    setText(buttons.next, this.at === LESSONS.length - 1 ? "To lesson 1" : "Next lesson");
    buttons.next.classList.toggle("main", value === "wins");
    buttons.hint.hidden = tried !== null;
    buttons.hint.disabled = !finding.isOpen || degree === DEGREES;
    buttons.again.hidden = tried === null || value === "wins";
    buttons.playOn.hidden = !refutation || refutation.isPlaying || refutation.isOver;
    fill(this.links, playFrom(finding.position, "Play it out"));
  }

  #taskText() {
    const { lesson, finding } = this;
    if (finding.tried === null) return `You are Blue. ${lesson.task}`;
    if (finding.value === "loses") return finding.wrongText;
    return `Right: ${finding.triedName} wins. ${lesson.moral} Play it out against an agent.`;
  }
}
