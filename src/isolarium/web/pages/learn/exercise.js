// An exercise: find a winning move in a position. Hints come in steps, and a wrong move is refuted on the board.

import { colourName, refusal } from "../board/messages.js";
import { formatPosition, formatSquare, formatStart, parseSquare } from "../game/notation.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { query } from "../shared/answers.js";

export class Exercise {
  #values;
  #request;
  #agent;
  #draw;

  /**
   * @param {object} position
   * @param {import("../analyse/game_judge.js").PositionValues} values the source of exact values.
   * @param {Promise<string>} agent the agent that refutes a wrong move.
   * @param {() => void} draw called after every move of a refutation.
   */
  constructor(position, values, agent, draw) {
    this.position = position;
    this.tried = null;
    this.value = ""; // of the tried move: "wins", "loses" or "unknown"
    this.hintLevel = 0;
    this.refutation = null;
    this.#values = values;
    this.#request = { game: formatStart(position) };
    this.#agent = agent;
    this.#draw = draw;
    values.ask(this.#request);
  }

  /** The values of the position's moves; null until they arrive. */
  get known() {
    return this.#values.of(this.#request);
  }

  /** The moves that are known to win. */
  get right() {
    const { position, known } = this;
    const winning = known?.moves.filter(({ value }) => value === "wins") ?? [];
    return winning.map(({ move }) => parseSquare(move, position.rows, position.cols));
  }

  /** Whether a move can be tried now. */
  get isOpen() {
    return Boolean(this.known?.moves.length) && this.tried === null;
  }

  get hint() {
    return hintOf(this.position, this.right, this.tried === null ? this.hintLevel : 0);
  }

  get triedName() {
    return formatSquare(this.tried, this.position.cols);
  }

  /** Plies to the end after the tried move; null if not known. */
  get plies() {
    return this.known.moves.find(({ move }) => move === this.triedName).plies;
  }

  /** The verdict on a wrong move, with the state of its refutation. */
  get wrongText() {
    return `Wrong: ${this.triedName} loses. ${lineText(this.refutation)}`;
  }

  /** Try a move. Returns why it cannot be tried, or an empty text. */
  choose(square) {
    const { position } = this;
    if (this.tried !== null) return "";
    if (!position.isLegal(square)) return refusal(position, square);
    if (!this.known) return "The position is still being solved.";
    this.tried = square;
    this.value = this.known.moves.find(({ move }) => move === this.triedName).value;
    if (this.value === "loses") {
      this.refutation = new Refutation(new GameTree(position, [square]), this.#agent, this.#draw);
      this.refutation.play();
    }
    return "";
  }

  nextHint() {
    if (this.isOpen && this.right.length) this.hintLevel = Math.min(HINT_LEVELS, this.hintLevel + 1);
  }

  /** Take back a wrong move. */
  tryAgain() {
    if (this.value === "wins") return;
    this.stop();
    this.tried = this.refutation = null;
    this.value = "";
  }

  stop() {
    this.refutation?.stop();
  }

  /** The board's state; `more` adds to it until a move is tried. */
  show(more = {}) {
    const { position, tried, refutation, hint } = this;
    if (refutation) return shownLine(refutation);
    if (tried !== null) return { position: position.play(tried), last: tried };
    const marks = new Map([...(more.marks ?? []), ...hint.marks]);
    return { position, dots: !position.placing, stars: hint.stars, ...more, marks };
  }
}

// Hints in three levels: what kind of move wins and how many do, then where, then which.

export const HINT_LEVELS = 3;
export const SHOWS_WHERE = 2; // from this level on, a right answer counts as helped

/**
 * The text and marks of a hint.
 * @param {object} position
 * @param {number[]} right the moves that win.
 * @param {number} level from 0, no hint, to HINT_LEVELS.
 * @returns {{words: string, marks: Map<number, object>, stars: number[]}}
 */
function hintOf(position, right, level) {
  const none = { words: "", marks: new Map(), stars: [] };
  if (level <= 0 || !right.length) return none;
  if (level === 1) return { ...none, words: kindOf(position, right) };
  if (level === 2) {
    const mark = { tone: "warm", strength: 0.7, text: "?", words: "perhaps" };
    const area = areaOf(position, right[0]);
    return { ...none, words: "One of the squares with a ? wins.", marks: new Map(area.map((square) => [square, mark])) };
  }
  const names = right.map((square) => formatSquare(square, position.cols));
  const words = right.length === 1 ? `Only ${names[0]} wins.` : `${names[0]} wins.`;
  return { ...none, words, stars: [right[0]] };
}

function kindOf(position, right) {
  const all = position.legalMoves().length;
  const count = `${right.length} of ${all} ${position.placing ? "squares" : "moves"} ${right.length === 1 ? "wins" : "win"}.`;
  if (position.placing) return `${count}${lawOf(position, right)}`;
  const others = position.movesOf(1 - position.toMove);
  const steals = (squares) => squares.filter((square) => others.includes(square)).length;
  const name = colourName(1 - position.toMove);
  if (!steals(position.legalMoves())) return `${count} ${waysOn(position, right[0])}`;
  if (steals(right) === right.length) return `${count} Take a square that ${name} could move to.`;
  return steals(right) ? count : `${count} Do not take a square that ${name} could move to.`;
}

/** The colour law, if it tells the squares that win from the others; else nothing. */
function lawOf(position, right) {
  const other = position.squares[1 - position.toMove];
  const hasOther = (square) => other !== null && position.isLight(square) !== position.isLight(other);
  if (!right.every(hasOther)) return "";
  const name = colourName(1 - position.toMove);
  return ` They have the other colour than ${name}'s square: from there, you can take squares that ${name} needs.`;
}

function waysOn(position, square) {
  const ways = position.play(square).movesOf(position.toMove).length;
  return `From there ${ways} ${ways === 1 ? "move is" : "moves are"} possible.`;
}

/** A few legal squares that include a given one: those on one side of the player, or of the board. */
function areaOf(position, square) {
  const place = (one) => [Math.floor(one / position.cols), one % position.cols];
  const [row, col] =
    position.mover === null ? [(position.rows - 1) / 2, (position.cols - 1) / 2] : place(position.mover);
  const isBelow = (one) => place(one)[0] > row;
  const isRight = (one) => place(one)[1] > col;
  const legal = position.legalMoves();
  const sameRows = legal.filter((one) => isBelow(one) === isBelow(square));
  const sameCols = legal.filter((one) => isRight(one) === isRight(square));
  const areas = [sameRows.filter((one) => sameCols.includes(one)), sameRows, sameCols];
  return areas.find((area) => area.length > 1) ?? legal;
}

// The refutation of a wrong move, played out on the board: both sides play the solver's best moves.

const STEP_MS = 700;
const MOST = 8; // moves until it pauses

export class Refutation {
  #controller = null;

  /**
   * @param {import("../game/tree.js").GameTree} tree its current node is the position after the wrong move.
   * @param {Promise<string>} agent the agent that plays both sides.
   * @param {() => void} onNews called after every move, and at the end.
   */
  constructor(tree, agent, onNews) {
    this.tree = tree;
    this.winner = colourName(tree.position.toMove);
    this.agent = agent;
    this.onNews = onNews;
    this.isPlaying = false;
    this.problem = "";
  }

  get isOver() {
    return this.tree.position.winner() !== null;
  }

  /** Play up to `MOST` moves, until the game is over or `stop` is called. */
  async play() {
    const controller = (this.#controller = new AbortController());
    this.isPlaying = true;
    this.problem = "";
    this.onNews();
    try {
      for (let made = 0; made < MOST && !this.isOver; made++) {
        const [square] = await Promise.all([this.#ask(controller.signal), pause(STEP_MS)]);
        if (controller.signal.aborted) return;
        this.tree.play(square);
        if (made < MOST - 1 && !this.isOver) this.onNews();
      }
    } catch (error) {
      if (controller.signal.aborted) return;
      this.problem = error.message;
    }
    this.isPlaying = false;
    this.onNews();
  }

  stop() {
    this.#controller?.abort();
    this.isPlaying = false;
  }

  async #ask(signal) {
    const { position } = this.tree;
    const request = { game: formatPosition(position), agent: await this.agent };
    const { move } = await query("move", request, { signal, onWait: (text) => this.#say(text) });
    return parseSquare(move, position.rows, position.cols);
  }

  #say(problem) {
    this.problem = problem;
    this.onNews();
  }
}

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/**
 * The agent that refutes wrong moves: the one that gives hints.
 * @param {Promise<object>} catalogue the server's answer to GET /api/agents.
 */
export function refuter(catalogue) {
  const agent = catalogue.then(({ hint }) => hint);
  agent.catch(() => {}); // its users handle the failure
  return agent;
}

/** The board while a line is played out. */
export function shownLine({ tree, isOver }) {
  const { position, current } = tree;
  const trapped = isOver ? position.toMove : null;
  return { position, last: current.move, trails: trailsTo(current), trapped };
}

/** Describe the state of a line that is played out. */
export function lineText({ tree, winner, isPlaying, isOver }) {
  const { position } = tree;
  if (isOver) return `${colourName(position.toMove)} has no move left.`;
  return isPlaying ? `Watch how ${winner} wins…` : `${winner} still wins.`;
}
