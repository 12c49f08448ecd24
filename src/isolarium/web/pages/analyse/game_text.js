// The texts of an analysis: a game and the place in it, as in an address; games that people paste; and sentences on who
// wins, the last move and the best line. No DOM.

import { colourName } from "../board/messages.js";
import {
  NotationError,
  formatGame,
  formatSquare,
  formatStart,
  parseBoard,
  parseGame,
  parsePosition,
  parseSquare,
  parseStart,
} from "../game/notation.js";
import { PLAYERS, Position } from "../game/rules.js";
import { GameTree } from "../game/tree.js";
import { formatPlies } from "../game/values.js";

/** The main line of a tree as one line of text. */
export function mainText(tree) {
  const [, ...nodes] = tree.mainLine();
  return formatGame(
    tree.root.position,
    nodes.map(({ move }) => move),
  );
}

/** The line from the start to the current node as one line of text. */
export function currentText(tree) {
  return formatGame(tree.root.position, GameTree.movesTo(tree.current));
}

/** The texts that represent a tree in an address: its main line, and the current ply or variation. */
export function treeTexts(tree) {
  const { isMain, ply } = tree.current;
  const end = tree.line().at(-1);
  const line = isMain ? null : formatGame(tree.root.position, GameTree.movesTo(end));
  return { game: mainText(tree), at: isMain || end !== tree.current ? String(ply) : null, line };
}

/**
 * The tree that these texts represent.
 * @throws {NotationError} if they are invalid.
 */
export function readTree({ game = "7x7:", line, at }) {
  const { start, moves } = game.includes(":") ? parseGame(game) : { start: parseStart(game), moves: [] };
  const tree = new GameTree(start, moves);
  tree.toStart();
  if (line) follow(tree, line);
  const ply = Number.parseInt(at ?? (line ? tree.current.ply : 0), 10);
  tree.current = tree.line()[ply] ?? tree.root;
  return tree;
}

function follow(tree, line) {
  const { start, moves } = parseGame(line);
  if (formatStart(start) !== formatStart(tree.root.position)) {
    throw new NotationError(`line '${line}': expected one from the start of the game`);
  }
  tree.toStart();
  for (const move of moves) tree.play(move);
}

// Pasted games.

const MOVES = /^[a-m][1-9][0-9]?(\s|$)/; // starts with a square, so the rest are squares too
const START = /^[0-9]+[xX][0-9]+$|\//; // a board, or a position
const EXPECTED = "Write each move as its destination square, such as d4 b3, without a piece.";
const FORMS = `Write moves such as d4 b3, the course's list such as [[3, 3], [2, 1]], or JSON such as {"board": "7x7", "moves": ["d4"]}.`;
const MOST_QUOTED = 60;
const USUAL = "7x7";

/**
 * Convert a pasted game to a notation of `readRecord`: an Isolarium address, moves with move numbers, commas or
 * capitals, or tuples. JSON, a board or a position is returned unchanged.
 * @param {string} board the board if the text does not name one.
 * @throws {NotationError} if the text is none of these.
 */
export function readPasted(text, board = USUAL) {
  const given = fromAddress(text.trim()) ?? text.trim();
  if (/^\[?\s*\(/.test(given)) return `[${given.replace(/^\[|\]$/g, "").replace(/\)\s*;?\s*\(/g, "), (").replace(/\(/g, "[").replace(/\)/g, "]")}]`;
  if (/^[[{]/.test(given)) return given;
  const colon = given.indexOf(":");
  const moves = given
    .slice(colon + 1)
    .replace(/\b[0-9]+\.+/g, " ")
    .replace(/[,;\s]+/g, " ")
    .trim()
    .toLowerCase();
  if (colon >= 0) return `${given.slice(0, colon)}: ${moves}`.trim();
  if (MOVES.test(moves)) return `${board || USUAL}: ${moves}`;
  if (START.test(given)) return given;
  throw new NotationError(given ? `Cannot read '${shortened(given)}'. ${EXPECTED}` : `Paste a game first. ${EXPECTED}`);
}

/**
 * Read a game as one line, as a JSON object or as a list of [row, col]: its start and its moves.
 * @param {string} board the board of a list that is not on 7x7.
 * @throws {NotationError} if it is invalid.
 */
export function readRecord(text, board = "") {
  if (!/^[[{]/.test(text)) return text.includes(":") ? parseGame(text) : { start: parseStart(text), moves: [] };
  const record = readJson(text);
  const { start, names } = Array.isArray(record) ? replayed(record, board || USUAL) : recorded(record);
  const moves = names.map((name) => parseSquare(String(name), start.rows, start.cols));
  return parseGame(formatGame(start, moves)); // checks that they are legal
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotationError(`Cannot read '${shortened(text)}'. ${FORMS}`);
  }
}

function recorded({ board, position, moves }) {
  const given = [board, position].filter((one) => one !== undefined);
  if (given.length !== 1) throw new NotationError("game: expected either a board or a position");
  if (!Array.isArray(moves)) throw new NotationError("game: moves: expected a list of squares");
  const [text] = given.map(String);
  return { start: position === undefined ? Position.empty(...parseBoard(text)) : parsePosition(text), names: moves };
}

function replayed(squares, board) {
  const [rows, cols] = parseBoard(board);
  const isOnBoard = (square) =>
    Array.isArray(square) && square.length === 2 && [0, 1].every((at) => Number.isInteger(square[at]) && square[at] >= 0);
  const wrong = squares.findIndex((square) => !isOnBoard(square) || square[0] >= rows || square[1] >= cols);
  if (wrong >= 0) {
    const range = `two whole numbers from [0, 0] to [${rows - 1}, ${cols - 1}] on ${rows}x${cols}`;
    throw new NotationError(`replay: move ${wrong + 1}: '${JSON.stringify(squares[wrong])}'; expected [row, col], ${range}`);
  }
  return { start: Position.empty(rows, cols), names: squares.map(([row, col]) => formatSquare(row * cols + col, cols)) };
}

/** The beginning of a text, on one line. */
function shortened(text) {
  const line = text.replace(/\s+/g, " ");
  return line.length > MOST_QUOTED ? `${line.slice(0, MOST_QUOTED - 1)}…` : line;
}

/** The game in an Isolarium address, a variation before the main line; null if the text is not an address. */
function fromAddress(text) {
  if (!/^(https?:\/\/\S+|\/\S*)?\?\S+$/.test(text)) return null;
  const texts = new URLSearchParams(text.slice(text.indexOf("?")));
  return texts.get("line") ?? texts.get("game");
}

// Sentences: who wins, the verdict on the last move, and the best line.

/** Why a position may stay unsolved: the budget of the engine's exact values. */
export const SOLVER_LIMIT =
  "The solver tries at most two million positions for each move here; on the command line, isolarium solve has no limit.";

const EMPTY =
  "See who wins after every move and where a win was given away. Paste a game, or place the knights.";

/**
 * Whose turn it is and who wins, from the position's values if they are known, else from the judgement of the line on
 * the board.
 */
export function headlineOf(tree, judgement, values) {
  const { position } = tree;
  if (tree.isEmpty) return "Analyse a game";
  const winner = position.winner();
  if (winner !== null) return `${colourName(winner)} has won`;
  const turn = `${colourName(position.toMove)} to ${position.placing ? "place" : "move"}`;
  const { value, plies } = values ?? judgedValue(tree, judgement);
  if (value === "unknown") return `${turn}: ${values ? "not solved" : "solving…"}`;
  return `${turn} and ${value === "wins" ? "win" : "lose"}${plies === null ? "" : ` in ${plies}`}`;
}

/** The value of the position for the player to move, from the judgement of the line. */
function judgedValue({ current, position }, judgement) {
  const winner = judgement.at(current.ply)?.winner;
  const value = winner ? (PLAYERS.indexOf(winner) === position.toMove ? "wins" : "loses") : "unknown";
  return { value, plies: null };
}

/** The last move and the verdict on it. */
export function lineOf(tree, judgement) {
  const { current } = tree;
  if (tree.isEmpty) return EMPTY;
  if (!current.parent) return "Start of the game. Step with ← and →, or play any square.";
  const square = formatSquare(current.move, current.position.cols);
  const where = current.isMain ? "" : " in a variation";
  const name = `${colourName(current.parent.position.toMove)} played ${square}${where}`;
  const words = judgement.words(current.ply);
  return words ? `${name}. ${words}.` : `${name}.`;
}

/** Who wins from the placements with perfect play, and whether the whole game is solved. */
export function openingOf(tree, judgement) {
  if (!tree.root.children.length) return "";
  if (!judgement.summary) return "Solving the game…";
  const placings = placingsOf(tree);
  const winner = placings ? judgement.at(placings)?.winner : judgement.summary.favourite;
  const from = placings ? "Once both knights are placed as in this game" : "From this start";
  const words = winner
    ? `${from}, ${colourName(PLAYERS.indexOf(winner))} wins with perfect play.`
    : "";
  return judgement.isWhole(placings) ? words : `${words} Some positions were too large to solve. ${SOLVER_LIMIT}`;
}

/** How many moves of a game place a knight. */
export function placingsOf(tree) {
  return tree.root.position.squares.filter((square) => square === null).length;
}

/** Describe the best line. */
export function lineWords({ to_move: mover, value, moves, exact, ends }) {
  const player = PLAYERS.indexOf(mover);
  const winner = colourName(value === "wins" ? player : 1 - player);
  const loser = colourName(value === "wins" ? 1 - player : player);
  const how = exact
    ? `${winner}'s moves are proven; ${loser}'s are the hardest replies found`
    : `${winner} wins as fast as possible and ${loser} delays as long as possible`;
  const end = ends ? `${winner} wins in ${moves.length}` : `${winner} wins; the first ${formatPlies(moves.length)} are shown`;
  return `Best line: ${end}. ${how}. Step with →.`;
}
