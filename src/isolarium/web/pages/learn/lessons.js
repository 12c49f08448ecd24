// The lessons of Learn: the rules with a board to try them, and five lessons on strategy.

import { PositionValues } from "../analyse/game_judge.js";
import { colourName, refusal } from "../board/messages.js";
import { NotationError, formatGame, parseGame, parsePosition } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { addressOf } from "../shared/address.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";
import { rulesList } from "../shared/rules_card.js";
import { Exercise, HINT_LEVELS, refuter } from "./exercise.js";

// The rules.


const SIDES = [5, 5];

export class RulesSheet {
  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse shows why a move is illegal.
   * @param {string|null} game the moves tried before, as text.
   */
  constructor(draw, refuse, game) {
    this.draw = draw;
    this.refuse = refuse;
    this.tree = readTree(game);
    this.turn = h("p.whose-turn", { "aria-live": "polite" });
    this.play = h("span");
    this.element = h(
      "div.prose",
      {},
      rulesList(),
      this.turn,
      h(
        "div.row",
        {},
        h("button", { type: "button", onclick: () => this.again() }, "Start again"),
        h("button", { type: "button", onclick: () => this.takeBack() }, "Take back"),
        this.play,
      ),
    );
  }

  /** The moves tried, as text; null before the first move. */
  get game() {
    const moves = GameTree.movesTo(this.tree.current);
    return moves.length ? formatGame(this.tree.root.position, moves) : null;
  }

  get position() {
    return this.tree.position;
  }

  choose(square) {
    if (this.position.isLegal(square)) {
      this.tree.play(square);
      this.draw();
    } else if (this.position.winner() === null) {
      this.refuse(refusal(this.position, square));
    }
  }

  takeBack() {
    this.tree.takeBack();
    this.draw();
  }

  again() {
    this.tree = new GameTree(Position.empty(...SIDES));
    this.draw();
  }

  show() {
    const { position } = this;
    const winner = position.winner();
    const turn =
      winner === null
        ? this.#turnText()
        : `${colourName(1 - winner)} has no move left: ${colourName(winner)} wins.`;
    setText(this.turn, turn);
    const begun = this.tree.current.parent && playFrom(position);
    fill(this.play, begun || h("a.button", { href: addressOf("play") }, "Play an agent"));
    return {
      position,
      last: this.tree.current.move,
      trails: trailsTo(this.tree.current),
      dots: !position.placing,
    };
  }

  #turnText() {
    const { position } = this;
    if (position.placing) return `Try it: place ${colourName(position.toMove)}.`;
    const moves = position.legalMoves().length;
    return `${colourName(position.toMove)} has ${moves} ${moves === 1 ? "move, marked with a dot" : "moves, marked with dots"}.`;
  }
}

/** Read a game from a text; a new game if the text is invalid. */
function readTree(text) {
  try {
    const { start, moves } = parseGame(text ?? "");
    return new GameTree(start, moves);
  } catch (error) {
    if (!(error instanceof NotationError)) throw error;
    return new GameTree(Position.empty(...SIDES));
  }
}

// Strategy: an idea, a position where it decides, and the one move that wins there. A test checks the positions with the
// solver.

const paragraph = (...lines) => lines.join(" ");

export const LESSONS = [
  {
    title: "Take what your opponent needs",
    overlay: "colours",
    position: "6/Bx1x2/1xxx2/x1xxx1/3Ax1/1xx3 a",
    text: paragraph(
      "A knight changes colour with every move. It is your move and both knights stand on the same colour, so you can take",
      "squares that Orange could move to next. You are the stealer, for the whole game; Orange can never do that to you.",
      "Use this: a square that you take is gone for both players.",
    ),
    task: "Orange has two moves. Take one of those squares.",
    moral: "You took a square that Orange needed, and Orange can never take one of yours.",
  },
  {
    title: "Arrive first",
    overlay: "territory",
    position: "6/2Bxx1/1xxAx1/2xxxx/6/3x2 a",
    text: paragraph(
      "Each square belongs to the player who reaches it in fewer moves; on a tie, to the player to move. The player who reaches",
      "more squares first can usually keep moving for longer. A good move wins squares or takes them from your opponent.",
    ),
    task: "Only one of your moves gives you more squares than Orange. Find it.",
    moral: "See how much of the board is yours now.",
  },
  {
    title: "Look where it leads",
    overlay: "reach",
    position: "6/xx4/1xxx1x/xx1xx1/1BxA2/1x4 a",
    text: paragraph(
      "Blank squares are worth nothing if you cannot reach them. Before you move, look at what you could reach from the new square:",
      "blocked squares cut the board into parts, and a corner can become a part of its own.",
    ),
    task: "Two of your three moves lead into a dead end. Find the other.",
    moral: "Everything you could reach is still within reach.",
  },
  {
    title: "Keep your options open",
    overlay: "mobility",
    position: "6/1x1x2/xxxA2/2xxx1/1x1B2/3x2 a",
    text: paragraph(
      "The number on a square counts the moves from it. Squares at the edge have few moves, and every blocked square takes one away.",
      "On a square with many moves you are hard to trap, so do not leave it to your opponent.",
    ),
    task: "All your moves reach the same squares in the end. Find the one that wins: it leaves the most moves open.",
    moral: "As long as you have a choice, your opponent cannot force your moves.",
  },
  {
    title: "Separate when you have more room",
    overlay: "reach",
    position: "6/1xxA2/1x1xx1/1xxxx1/1x2B1/3x1x a",
    text: paragraph(
      "Once no square is within reach of both players, neither can disturb the other. Then the longer walk wins, and stealing",
      "no longer matters. So separate when you have more room, and stay close when you have less.",
    ),
    task: "Each of your moves separates the knights. Move where you have more room than Orange.",
    moral: "Now you only have to walk without trapping yourself.",
  },
];

// The sheet with these lessons: each shows its idea as an overlay, and ends with a move to find and a game to play.

export class StrategySheet {
  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse shows why an action was refused.
   * @param {string|undefined} wanted the number of the first lesson.
   * @param {Promise<object>} catalogue the server's answer to GET /api/agents.
   * @param {import("../shared/board_side.js").Explainer} why the control of the overlay.
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
