// The review of a whole game by several workers: each compares single moves with perfect play, and the page gets the marks
// in order, then their summary. As `isolarium.analysis.accuracy`.

import { formatPosition, formatSquare, parseGame } from "../game/notation.js";
import { PLAYERS } from "../game/rules.js";

const name = (player) => (player === null ? null : PLAYERS[player]);

/**
 * Mark the moves of a game.
 * @param {import("./engine_workers.js").EngineWorkers} workers
 * @param {{game: string, heuristic?: string|null, first_ply?: number}} request
 * @param {(message: object, isLast: boolean) => void} onMessage called with every mark in order, then with the summary.
 * @returns {{stop: () => void, forget: () => void}} as those of a job.
 */
export function analyseGame(workers, request, onMessage) {
  const analysis = new GameAnalysis(workers, request, onMessage);
  return {
    stop: () => analysis.end(),
    forget: () => {
      analysis.onMessage = () => {};
      analysis.end();
    },
  };
}

class GameAnalysis {
  #jobs = [];
  #found = new Map(); // marks that wait for their turn, by ply
  #marked = [];
  #wins = null; // whether the next position is won for its mover, as far as the marks before tell
  #isOver = false;

  constructor(workers, { game, heuristic = null, first_ply: first = 1 }, onMessage) {
    const { start, moves } = parseGame(game);
    this.workers = workers;
    this.heuristic = heuristic;
    this.onMessage = onMessage;
    this.moves = moves;
    this.positions = [start];
    for (const move of moves) this.positions.push(this.positions.at(-1).play(move));
    this.ply = first; // the next to tell
    for (let ply = first; ply <= moves.length; ply++) this.#ask(ply, null);
    if (first > moves.length) setTimeout(() => this.end());
  }

  #ask(ply, wins) {
    const position = this.positions[ply - 1];
    const request = {
      position: formatPosition(position),
      move: formatSquare(this.moves[ply - 1], position.cols),
      heuristic: this.heuristic,
      wins,
    };
    const receive = (answer, isLast) => isLast && this.#take(ply, answer);
    this.#jobs.push(this.workers.start("mark", request, receive, { isLong: wins === null }));
  }

  #take(ply, answer) {
    if (this.#isOver) return;
    if (answer.kind === "error") {
      this.#isOver = true;
      this.#forgetJobs();
      this.onMessage(answer, true);
      return;
    }
    this.#found.set(ply, answer);
    while (this.#found.has(this.ply)) {
      const found = this.#found.get(this.ply);
      if (this.#wins !== null && found.wins === null) {
        // The position is too hard by itself, but the moves before tell its winner.
        this.#found.delete(this.ply);
        this.#ask(this.ply, this.#wins);
        return;
      }
      this.#tell(found);
    }
    if (this.ply > this.moves.length) this.end();
  }

  #tell(found) {
    const position = this.positions[this.ply - 1];
    const player = position.toMove;
    this.#marked.push({ ...found, ply: this.ply, player });
    const { mark, wins, decides, keeps, score } = found;
    this.onMessage(
      {
        kind: "ply",
        ply: this.ply,
        player: PLAYERS[player],
        move: formatSquare(this.moves[this.ply - 1], position.cols),
        mark,
        wins,
        winner: name(winnerAfter(found, player)),
        decides,
        keeps: keeps === null ? null : formatSquare(keeps, position.cols),
        score,
      },
      false,
    );
    this.#wins = found.after;
    this.ply++;
  }

  #forgetJobs() {
    for (const job of this.#jobs) job.forget();
  }

  /** End with the summary of the marks so far. */
  end() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#forgetJobs();
    const { players, favourite, law, ...more } = summaryOf(this.#marked, this.positions);
    const named = players.map((one) => ({ ...one, player: PLAYERS[one.player] }));
    const summary = { kind: "summary", players: named, favourite: name(favourite), law: name(law), ...more };
    this.onMessage(summary, true);
  }
}

/** The winner with perfect play after a marked move: 0 or 1; null if not known. */
function winnerAfter({ mark, wins }, player) {
  if (mark === "unknown" || wins === null) return null;
  return wins && mark !== "mistake" ? player : 1 - player;
}

/**
 * The accuracy of both players.
 * @param {{ply: number, player: number, mark: string, wins: boolean|null, decides: boolean|null}[]} marked in order.
 * @param {object[]} positions of the game.
 */
function summaryOf(marked, positions) {
  const [first] = marked;
  const start = positions.find(({ squares }) => !squares.includes(null));
  const mistakes = (player) => marked.find((one) => one.mark === "mistake" && (player ?? one.player) === one.player);
  return {
    plies: marked.length,
    players: [0, 1].map((player) => {
      const chances = marked.filter((one) => one.player === player && one.decides);
      const kept = chances.filter(({ mark }) => mark !== "mistake").length;
      return {
        player,
        kept,
        chances: chances.length,
        accuracy: chances.length ? kept / chances.length : null,
        first_mistake: mistakes(player)?.ply ?? null,
      };
    }),
    first_mistake: mistakes()?.ply ?? null,
    favourite: !first || first.wins === null ? null : first.wins ? first.player : 1 - first.player,
    law: start ? (start.isSameColour ? start.toMove : 1 - start.toMove) : null,
    known: marked.every(({ wins }) => wins !== null),
  };
}
