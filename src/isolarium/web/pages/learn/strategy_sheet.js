// Lessons on strategy: each shows its idea as an overlay, and ends with a move to find and a game to play.

import { PositionValues } from "../analyse/game_judge.js";
import { parsePosition } from "../game/notation.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";
import { Exercise, HINT_LEVELS, refuter } from "./exercise.js";
import { LESSONS } from "./lessons.js";

export class StrategySheet {
  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse shows why an action was refused.
   * @param {string|undefined} wanted the number of the first lesson.
   * @param {Promise<object>} catalogue the server's answer to GET /api/agents.
   * @param {import("../shared/explain.js").Explainer} why the control of the overlay.
   */
  constructor(draw, refuse, wanted, catalogue, why) {
    this.draw = draw;
    this.refuse = refuse;
    this.agent = refuter(catalogue);
    this.why = why;
    this.at = Math.max(0, Math.min(LESSONS.length, Number.parseInt(wanted, 10) || 1) - 1);
    this.exercise = null;
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
      resume: button("Resume", null, () => this.exercise.refutation.play()),
    };
    this.choices = LESSONS.map(({ title }, at) =>
      h("button", { type: "button", title, "aria-label": `Lesson ${at + 1}: ${title}`, onclick: () => this.go(at) }, String(at + 1)),
    );
    const { next, hint, again, resume } = this.buttons;
    this.element = h(
      "div.prose",
      {},
      h("div.row", { role: "group", "aria-label": "Lessons" }, this.choices),
      this.name,
      this.task,
      this.hintLine,
      this.problem,
      h("div.row", {}, next, hint, again, resume, this.links),
      this.text,
    );
  }

  get lesson() {
    return LESSONS[this.at];
  }

  get number() {
    return String(this.at + 1);
  }

  /** Show the lesson's overlay. */
  showOverlay() {
    this.why.show(this.lesson.overlay);
  }

  go(at) {
    this.exercise?.stop();
    this.exercise = null;
    this.at = at;
    this.showOverlay();
    this.draw();
  }

  next() {
    this.go((this.at + 1) % LESSONS.length);
  }

  choose(square) {
    const why = this.exercise.choose(square);
    if (why) return void this.refuse(why);
    this.draw();
  }

  hint() {
    this.exercise.nextHint();
    this.draw();
  }

  takeBack() {
    this.exercise.tryAgain();
    fill(this.problem);
    this.draw();
  }

  show() {
    this.exercise ??= new Exercise(parsePosition(this.lesson.position), this.values, this.agent, this.draw);
    this.#say();
    return this.exercise.show({ label: `Lesson ${this.number}: Blue to move and win` });
  }

  #say() {
    const { lesson, exercise, buttons } = this;
    const { tried, value, refutation, hintLevel } = exercise;
    setText(this.name, `${this.number}. ${lesson.title}`);
    setText(this.text, lesson.text);
    setText(this.task, this.#taskText());
    this.task.className = `verdict ${{ wins: "good", loses: "bad" }[value] ?? ""}`;
    this.hintLine.hidden = tried !== null;
    setText(this.hintLine, exercise.hint.words);
    if (refutation) fill(this.problem, refutation.problem);
    this.choices.forEach((choice, at) => choice.setAttribute("aria-pressed", String(at === this.at)));
    setText(buttons.next, this.at === LESSONS.length - 1 ? "Back to lesson 1" : "Next lesson");
    buttons.next.classList.toggle("main", value === "wins");
    buttons.hint.hidden = tried !== null;
    buttons.hint.disabled = !exercise.isOpen || hintLevel === HINT_LEVELS;
    buttons.again.hidden = tried === null || value === "wins";
    buttons.resume.hidden = !refutation || refutation.isPlaying || refutation.isOver;
    fill(this.links, playFrom(exercise.position));
  }

  #taskText() {
    const { lesson, exercise } = this;
    if (exercise.tried === null) return `You are Blue. ${lesson.task}`;
    if (exercise.value === "loses") return exercise.wrongText;
    return `Right: ${exercise.triedName} wins. ${lesson.moral} Now play from here against an agent.`;
  }
}
