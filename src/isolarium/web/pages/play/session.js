// A game in progress: its moves, who plays which side, how it ended, and its messages. No DOM, no server.

import { colourName } from "../board/messages.js";
import { formatGame, parseGame, parseStart } from "../game/notation.js";
import { PLAYERS, Position } from "../game/rules.js";
import { GameTree } from "../game/tree.js";
import { PERSON, readAddress, writeAddress } from "../shared/address.js";

export class Session {
  /**
   * @param {Position} start
   * @param {number[]} moves
   * @param {string[]} seats for the first and the second player: PERSON or an agent's spec.
   * @param {{seed?: number, resigned?: number|null, from?: string|null, helped?: boolean}} more the agents' seed, who
   *   resigned, the address of the page to return to, and whether a hint or the like was used.
   */
  constructor(start, moves, seats, { seed = drawSeed(), resigned = null, from = null, helped = false } = {}) {
    this.tree = new GameTree(start, moves);
    this.seats = seats;
    this.seed = seed;
    this.resigned = resigned;
    this.from = from;
    this.helped = helped;
    this.paused = false; // agents wait for Resume
    this.isPlayed = false; // whether a person moved here, and not only followed a link
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

  /** The players that are people. */
  get persons() {
    return [0, 1].filter((player) => this.seats[player] === PERSON);
  }

  /** Play a move. Returns false if it is illegal or the game is over. */
  play(square) {
    if (this.outcome || !this.position.isLegal(square)) return false;
    this.tree.play(square);
    return true;
  }

  /** Whether there is a move or a resignation to take back: of a person, unless only agents play. */
  get canTakeBack() {
    if (this.resigned !== null) return true;
    const first = this.start.toMove;
    return this.moves.some((_, ply) => !this.persons.length || this.persons.includes((first + ply) % 2));
  }

  /** Take moves back to the last turn of a person; in a game of agents, take one back and pause. */
  takeBack() {
    const resigned = this.resigned !== null;
    this.resigned = null;
    if (resigned) return (this.helped = true);
    if (!this.tree.takeBack()) return false;
    this.helped = true;
    if (!this.persons.length) this.paused = true;
    else if (this.persons.length === 1) while (!this.personToMove && this.tree.takeBack());
    return true;
  }

  /** Resign for the person to move, or for the only person in the game. */
  resign() {
    if (this.outcome || !this.persons.length) return false;
    this.resigned = this.persons.length === 1 ? this.persons[0] : this.position.toMove;
    return true;
  }

  /** Swap the seats. Returns false if the game is over. */
  swap() {
    if (this.outcome) return false;
    this.#change();
    this.seats = [this.seats[1], this.seats[0]];
    return true;
  }

  /** Replace the agent. */
  replaceAgent(spec) {
    this.#change();
    this.seats = this.seats.map((seat) => (seat === PERSON ? seat : spec));
  }

  /** Note that the seats change: a game in which the person has moved no longer counts on the ladder. */
  #change() {
    const isBegun = this.tree.mainLine().some(({ parent }) => parent && this.seats[parent.position.toMove] === PERSON);
    this.helped ||= isBegun;
  }

  /** The session as the query of an address. */
  toAddress(flipped) {
    return writeAddress({
      game: this.text,
      first: this.seats[0],
      second: this.seats[1],
      seed: String(this.seed),
      resigned: this.resigned === null ? null : PLAYERS[this.resigned],
      helped: this.helped ? "1" : null,
      flip: flipped ? "1" : null,
      from: this.from,
    });
  }

  /**
   * Read a session from the query of an address. Without a game the agent starts, so that a person who plays well can
   * win: on an empty board the player who is placed second nearly always can.
   * @param {string} query
   * @param {string} agent the default agent.
   * @throws {import("../game/notation.js").NotationError} if the game is invalid.
   */
  static fromAddress(query, agent) {
    const texts = readAddress(query);
    const { start, moves } = readGame(texts.game ?? "7x7");
    const resigned = PLAYERS.indexOf(texts.resigned);
    return new Session(start, moves, readSeats(texts, agent), {
      seed: readSeed(texts.seed),
      resigned: resigned < 0 ? null : resigned,
      from: texts.from,
      helped: texts.helped === "1",
    });
  }

  /** The parts of an address that no session uses: unknown names, and a seed that is not a number. */
  static unusedIn(query) {
    const parts = Object.entries(readAddress(query));
    return parts
      .filter(([name, text]) => !NAMES.includes(name) || (name === "seed" && text && !isSeed(text)))
      .map((part) => part.join("=").slice(0, MOST_SHOWN));
  }
}

const MOST_SHOWN = 60;
const NAMES = ["game", "first", "second", "seed", "resigned", "from", "helped", "flip"];

/** Read who plays; the side that is not named goes to the other kind of player. */
function readSeats({ game, first, second }, agent) {
  const other = (seat) => (seat === PERSON ? agent : PERSON);
  if (first || second) return [first || other(second), second || other(first)];
  return game ? [PERSON, agent] : [agent, PERSON];
}

/** Draw a seed, so that the agents play differently in every game. */
function drawSeed() {
  return 1 + Math.floor(Math.random() * 999_999);
}

const isSeed = (text) => /^\d{1,15}$/.test(text ?? "");

function readSeed(text) {
  return (isSeed(text) && Number(text)) || drawSeed();
}

/** Read a game, or only its start. */
function readGame(text) {
  return text.includes(":") ? parseGame(text) : { start: parseStart(text), moves: [] };
}

/** Two random squares from which both players have a move; empty if none are found. */
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

// The messages of a game: whose turn it is, what to do, and how it ended.

/** Whose turn it is, or who won; addressed to the player if only one side is human. */
export function headlineOf(session) {
  const { outcome, position, persons } = session;
  const isOne = persons.length === 1;
  if (outcome && isOne) return persons[0] === outcome.winner ? "You win" : "You lose";
  if (outcome) return `${colourName(outcome.winner)} wins`;
  if (isOne && session.personToMove) return position.placing ? "Place your knight" : "Your move";
  const turn = `${colourName(position.toMove)} to ${position.placing ? "place" : "move"}`;
  return session.paused ? `${turn}, paused` : turn;
}

/** What to do now, or why the game is over. */
export function lineOf(session) {
  const { outcome, position } = session;
  if (outcome) return endOf(session);
  if (session.agentToMove) return "Thinking…";
  if (!session.personToMove) return "Press Resume to let the agent move.";
  return position.placing
    ? "Choose any blank square."
    : "Move like a chess knight to a square with a dot.";
}

function endOf({ outcome, persons, position }) {
  const loser = 1 - outcome.winner;
  const isYou = persons.length === 1 && persons[0] === loser;
  const name = isYou ? "You" : colourName(loser);
  if (outcome.reason === "resignation") return `${name} resigned.`;
  const trapped = `${name} ${isYou ? "have" : "has"} no move left.`;
  if (!position.reachOf(loser).length) return trapped;
  return `${trapped} The squares ${isYou ? "you" : "it"} needed are crossed out.`;
}
