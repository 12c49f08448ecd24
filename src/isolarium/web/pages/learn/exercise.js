// An exercise: a position with a winning move to find. Hints come by degrees, and a wrong move is refuted on the board.

import { colourName, refusal } from "../board/messages.js";
import { formatPosition, formatSquare, formatStart, parseSquare } from "../game/notation.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { query } from "../shared/api.js";

export class Exercise {
  #values;
  #question;
  #agent;
  #draw;

  /**
   * @param {object} position
   * @param {import("../analyse/game_judge.js").PositionValues} values who knows what moves are worth.
   * @param {Promise<string>} agent who refutes a wrong move.
   * @param {() => void} draw called while a wrong move is refuted.
   */
  constructor(position, values, agent, draw) {
    this.position = position;
    this.tried = null;
    this.value = ""; // of the move that was tried: "wins", "loses" or "unknown"
    this.degree = 0; // of the hints
    this.refutation = null;
    this.#values = values;
    this.#question = { game: formatStart(position) };
    this.#agent = agent;
    this.#draw = draw;
    values.ask(this.#question);
  }

  /** What the position's moves are worth; null while that is not known. */
  get known() {
    return this.#values.of(this.#question);
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
    return hintOf(this.position, this.right, this.tried === null ? this.degree : 0);
  }

  get triedName() {
    return formatSquare(this.tried, this.position.cols);
  }

  /** Plies to the end after the move that was tried; null if not known. */
  get plies() {
    return this.known.moves.find(({ move }) => move === this.triedName).plies;
  }

  /** That the move was wrong, and how its refutation stands. */
  get wrongText() {
    return `No: ${this.triedName} loses. ${lineText(this.refutation)}`;
  }

  /** Try a move; why it cannot be tried, or nothing. */
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

  tellMore() {
    if (this.isOpen && this.right.length) this.degree = Math.min(DEGREES, this.degree + 1);
  }

  /** Take a move back that was not right. */
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
    return { position, dots: !position.placing, marks: hint.marks, stars: hint.stars, ...more };
  }
}

// Hints by degrees: what kind of move wins and how many do, then where, then which.

export const DEGREES = 3;
export const TELLS_WHERE = 2; // from this degree on, who finds a move was helped

/**
 * The text and marks of a hint.
 * @param {object} position
 * @param {number[]} right the moves that win.
 * @param {number} degree from 0, nothing, to DEGREES.
 * @returns {{words: string, marks: Map<number, object>, stars: number[]}}
 */
function hintOf(position, right, degree) {
  const none = { words: "", marks: new Map(), stars: [] };
  if (degree <= 0 || !right.length) return none;
  if (degree === 1) return { ...none, words: kindOf(position, right) };
  if (degree === 2) {
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
  if (position.placing) return count;
  const others = position.movesOf(1 - position.toMove);
  const steals = (squares) => squares.filter((square) => others.includes(square)).length;
  const name = colourName(1 - position.toMove);
  if (!steals(position.legalMoves())) return `${count} ${waysOn(position, right[0])}`;
  if (steals(right) === right.length) return `${count} Take a square that ${name} could go to.`;
  return steals(right) ? count : `${count} Leave alone what ${name} could go to now.`;
}

function waysOn(position, square) {
  const ways = position.play(square).movesOf(position.toMove).length;
  return `From there ${ways} ${ways === 1 ? "square leads" : "squares lead"} on.`;
}

/** A few squares that can be gone to, a given one among them: one side of where the player stands, or of the board. */
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

// The refutation of a wrong move, played out on the board: both sides play as well as the solver can.

const STEP_MS = 700;
const MOST = 8; // moves in one go

export class Refutation {
  #ending = null;

  /**
   * @param {import("../game/tree.js").GameTree} tree its current node is the position after the wrong move.
   * @param {Promise<string>} agent who plays for both.
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

  /** Play some moves, until the game is over or it is stopped. */
  async play() {
    const ending = (this.#ending = new AbortController());
    this.isPlaying = true;
    this.problem = "";
    this.onNews();
    try {
      for (let made = 0; made < MOST && !this.isOver; made++) {
        const [square] = await Promise.all([this.#ask(ending.signal), pause(STEP_MS)]);
        if (ending.signal.aborted) return;
        this.tree.play(square);
        if (made < MOST - 1 && !this.isOver) this.onNews();
      }
    } catch (error) {
      if (ending.signal.aborted) return;
      this.problem = error.message;
    }
    this.isPlaying = false;
    this.onNews();
  }

  stop() {
    this.#ending?.abort();
    this.isPlaying = false;
  }

  async #ask(signal) {
    const { position } = this.tree;
    const question = { game: formatPosition(position), agent: await this.agent };
    const { move } = await query("/api/move", question, { signal, onWait: (text) => this.#say(text) });
    return parseSquare(move, position.rows, position.cols);
  }

  #say(problem) {
    this.problem = problem;
    this.onNews();
  }
}

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/**
 * Who refutes wrong moves: the agent that gives hints.
 * @param {Promise<object>} catalogue what GET /api/agents answers.
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

/** How a line that is played out stands. */
export function lineText({ tree, winner, isPlaying, isOver }) {
  const { position } = tree;
  if (isOver) return `${colourName(position.toMove)} has no square left to go to.`;
  return isPlaying ? `See how ${winner} wins…` : `${winner} still wins.`;
}
