// What comes of a wrong move, played out on the board: both play as well as the solver can, one move after the other.

import { colourName } from "../board/messages.js";
import { formatPosition, parseSquare } from "../game/notation.js";
import { trailsTo } from "../game/tree.js";
import { query } from "../shared/api.js";

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

  /** Play some moves, until the game is over or somebody stops it. */
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
  agent.catch(() => {}); // who asks for it is told
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
