// One game being played: the moves, who sits where, and how it ended. No DOM, no server.

import { formatGame, parseGame, parseStart } from "../game/notation.js";
import { PLAYERS, Position } from "../game/rules.js";
import { GameTree } from "../game/tree.js";
import { PERSON, readAddress, writeAddress } from "../shared/address.js";

export class Session {
  /**
   * @param {Position} start
   * @param {number[]} moves
   * @param {string[]} seats for the first and the second player: PERSON or an agent's spec.
   * @param {{seed?: number, resigned?: number|null, from?: string|null}} more the agents' seed, who resigned, and the
   *   address of the place one came from.
   */
  constructor(start, moves, seats, { seed = 1, resigned = null, from = null } = {}) {
    this.tree = new GameTree(start, moves);
    this.seats = seats;
    this.seed = seed;
    this.resigned = resigned;
    this.from = from;
    this.paused = false; // agents wait for a person's word
  }

  get start() {
    return this.tree.root.position;
  }

  get position() {
    return this.tree.position;
  }

  get moves() {
    return GameTree.movesTo(this.tree.current);
  }

  /** The game as one line of text. */
  get text() {
    return formatGame(this.start, this.moves);
  }

  /** How the game ended, as `{winner, reason}` with the winner's number; null while it is unfinished. */
  get outcome() {
    if (this.resigned !== null) return { winner: 1 - this.resigned, reason: "resignation" };
    const winner = this.position.winner();
    return winner === null ? null : { winner, reason: "no moves" };
  }

  /** Whether a person is to move. */
  get personToMove() {
    return !this.outcome && this.seats[this.position.toMove] === PERSON;
  }

  /** The agent that is to move now, or null. */
  get agentToMove() {
    return this.outcome || this.paused || this.personToMove ? null : this.seats[this.position.toMove];
  }

  /** The players that are persons. */
  get persons() {
    return [0, 1].filter((player) => this.seats[player] === PERSON);
  }

  /** Play a move; whether it was legal and the game was not over. */
  play(square) {
    if (this.outcome || !this.position.isLegal(square)) return false;
    this.tree.play(square);
    return true;
  }

  /** Take moves back to the last one a person can make again; where only agents play, one, and they wait. */
  takeBack() {
    const resigned = this.resigned !== null;
    this.resigned = null;
    if (resigned) return true;
    if (!this.tree.takeBack()) return false;
    if (!this.persons.length) this.paused = true;
    else if (this.persons.length === 1) while (!this.personToMove && this.tree.takeBack());
    return true;
  }

  /** Let the person to move resign, or the only person there is. */
  resign() {
    if (this.outcome || !this.persons.length) return false;
    this.resigned = this.persons.length === 1 ? this.persons[0] : this.position.toMove;
    return true;
  }

  /** Swap the seats of an unfinished game; whether it is unfinished. */
  swap() {
    if (this.outcome) return false;
    this.seats = [this.seats[1], this.seats[0]];
    return true;
  }

  /** Let another agent play on in an agent's seat. */
  replaceAgent(spec) {
    this.seats = this.seats.map((seat) => (seat === PERSON ? seat : spec));
  }

  /** The query of an address that holds all this. */
  toAddress(flipped) {
    return writeAddress({
      game: this.text,
      first: this.seats[0],
      second: this.seats[1],
      seed: this.seed === 1 ? null : String(this.seed),
      resigned: this.resigned === null ? null : PLAYERS[this.resigned],
      flip: flipped ? "1" : null,
      from: this.from,
    });
  }

  /**
   * The session that an address's query holds.
   * @param {string} query
   * @param {string[]} seats the seats where the address names none.
   * @throws {import("../game/notation.js").NotationError} its game is none.
   */
  static fromAddress(query, seats) {
    const texts = readAddress(query);
    const { start, moves } = readGame(texts.game ?? "7x7");
    const resigned = PLAYERS.indexOf(texts.resigned);
    return new Session(start, moves, [texts.first ?? seats[0], texts.second ?? seats[1]], {
      seed: Number.parseInt(texts.seed, 10) || 1,
      resigned: resigned < 0 ? null : resigned,
      from: texts.from,
    });
  }
}

/** A game, or just where one starts. */
function readGame(text) {
  return text.includes(":") ? parseGame(text) : { start: parseStart(text), moves: [] };
}

/** Two random squares on which both players have a move, if there are any. */
export function randomOpening(position, random = Math.random) {
  const draw = (squares) => squares[Math.floor(random() * squares.length)];
  const blanks = position.legalMoves();
  for (let tries = 0; tries < 200; tries++) {
    const [first, second] = [draw(blanks), draw(blanks)];
    if (first === second) continue;
    const after = position.play(first).play(second);
    if (after.movesOf(0).length && after.movesOf(1).length) return [first, second];
  }
  return [];
}
