// Squares, boards, positions and games as text, in the same notation as the rest of Isolarium. `parseX` throws a
// NotationError with a one-line message.

import { FIRST, MAX_SIDE, MIN_SIDE, Position, SECOND } from "./rules.js";

export const LETTERS = "abcdefghijklm";
export const EXAMPLE = "7/7/2A4/3x3/4B2/7/7 a";
const SIDES = `sides from ${MIN_SIDE} to ${MAX_SIDE}`;

export class NotationError extends Error {}

const inRange = (side) => side >= MIN_SIDE && side <= MAX_SIDE;

/** A square's name, such as d4: the column's letter, then the row's number from the top. */
export function formatSquare(square, cols) {
  return LETTERS[square % cols] + (Math.floor(square / cols) + 1);
}

export function parseSquare(text, rows, cols) {
  const match = /^([a-z])([1-9][0-9]?)$/.exec(text.trim());
  const col = match ? LETTERS.indexOf(match[1]) : -1;
  const row = match ? Number(match[2]) - 1 : -1;
  if (col < 0 || col >= cols || row < 0 || row >= rows) {
    const last = formatSquare(rows * cols - 1, cols);
    throw new NotationError(`square '${text}': expected a1 to ${last} on ${rows}x${cols}`);
  }
  return row * cols + col;
}

/** The sides of a board such as 7x7, rows first. */
export function parseBoard(text) {
  const match = /^([1-9][0-9]?)[xX]([1-9][0-9]?)$/.exec(text.trim());
  if (!match || !inRange(Number(match[1])) || !inRange(Number(match[2]))) {
    throw new NotationError(`board '${text}': expected ROWSxCOLS such as 7x7, ${SIDES}`);
  }
  return [Number(match[1]), Number(match[2])];
}

export function formatPosition(position) {
  const cells = Array.from(position.blank, (blank) => (blank ? "." : "x"));
  position.squares.forEach((square, player) => {
    if (square !== null) cells[square] = "AB"[player];
  });
  const rows = [];
  for (let at = 0; at < cells.length; at += position.cols) {
    const row = cells.slice(at, at + position.cols).join("");
    rows.push(row.replace(/\.+/g, (run) => run.length));
  }
  return `${rows.join("/")} ${"ab"[position.toMove]}`;
}

export function parsePosition(text) {
  const refuse = (why) => {
    throw new NotationError(`position '${text}': ${why}`);
  };
  const [grid, side, ...rest] = text.trim().split(" ");
  if (side === undefined) refuse(`no side to move; expected rows, a space, then a or b: ${EXAMPLE}`);
  if (!["a", "b"].includes(side) || rest.length) refuse("expected a or b to move after one space");
  const rows = grid.split("/");
  if (!inRange(rows.length)) refuse(`rows: ${rows.length} of them; expected ${MIN_SIDE} to ${MAX_SIDE}`);
  const cells = rows.map((row, at) => readRow(row, at + 1, refuse));
  const cols = cells[0].length;
  if (!inRange(cols)) refuse(`row 1: ${cols} squares; expected ${MIN_SIDE} to ${MAX_SIDE}`);
  const odd = cells.findIndex((row) => row.length !== cols);
  if (odd >= 0) refuse(`row ${odd + 1}: ${cells[odd].length} squares where the board has ${cols}`);
  const all = cells.join("");
  const squares = ["A", "B"].map((letter) => findPlayer(letter, all, cols, refuse));
  const toMove = side === "a" ? FIRST : SECOND;
  checkTurn(squares, toMove, refuse);
  const blank = Uint8Array.from(all, (cell) => (cell === "." ? 1 : 0));
  return new Position(rows.length, cols, blank, squares, toMove);
}

function readRow(text, number, refuse) {
  let cells = "";
  for (const token of text.match(/[0-9]+|[^]/gu) ?? []) {
    if (["x", "A", "B"].includes(token)) cells += token;
    else if (!/^[0-9]/.test(token)) refuse(`row ${number}: '${token}'; expected numbers, x, A or B`);
    else if (!/^[1-9][0-9]?$/.test(token) || Number(token) > MAX_SIDE) {
      refuse(`row ${number}: '${token}' blanks; expected a run from 1 to ${MAX_SIDE}`);
    } else cells += ".".repeat(Number(token));
  }
  return cells;
}

function findPlayer(letter, all, cols, refuse) {
  const found = all.indexOf(letter);
  const again = all.indexOf(letter, found + 1);
  if (found >= 0 && again >= 0) {
    refuse(`a second ${letter} on ${formatSquare(again, cols)}; expected one at most`);
  }
  return found < 0 ? null : found;
}

function checkTurn([first, second], toMove, refuse) {
  if (first === null && second !== null) {
    refuse("the second player is placed and the first is not; expected the first");
  }
  const placing = first === null ? FIRST : SECOND;
  if (second === null && toMove !== placing) {
    refuse(`expected ${"ab"[placing]} to move, who is not placed yet`);
  }
}

/** The position a game starts from: an empty board such as 7x7, or a position. */
export function parseStart(text) {
  return text.includes("/") ? parsePosition(text) : Position.empty(...parseBoard(text));
}

export function formatStart(position) {
  const isEmpty = position.blankCount === position.size;
  return isEmpty ? `${position.rows}x${position.cols}` : formatPosition(position);
}

/** A game as one line, `7x7: d4 b3`: the start, then the squares played. */
export function formatGame(start, moves) {
  return [`${formatStart(start)}:`, ...moves.map((move) => formatSquare(move, start.cols))].join(" ");
}

/** The start of a game and its moves, which are legal. */
export function parseGame(text) {
  const colon = text.indexOf(":");
  if (colon < 0) {
    throw new NotationError(`game '${text}': no colon; expected START: MOVES such as 7x7: d4 b3`);
  }
  const start = parseStart(text.slice(0, colon));
  return {
    start,
    moves: readMoves(
      start,
      text
        .slice(colon + 1)
        .split(/\s+/)
        .filter(Boolean),
    ),
  };
}

function readMoves(start, names) {
  let position = start;
  return names.map((name, at) => {
    const square = parseSquare(name, start.rows, start.cols);
    if (!position.isLegal(square)) throw new NotationError(`move ${at + 1} (${name}): ${whyIllegal(position)}`);
    position = position.play(square);
    return square;
  });
}

function whyIllegal(position) {
  const moves = position.legalMoves();
  if (!moves.length) return "the game is over";
  if (position.placing) return "not a blank square";
  return `not a legal move; expected one of ${moves.map((move) => formatSquare(move, position.cols)).join(", ")}`;
}

/** A game as a JSON object, as `isolarium` reads and writes it. */
export function formatGameJson(start, moves, outcome) {
  const isEmpty = start.blankCount === start.size;
  const game = { [isEmpty ? "board" : "position"]: formatStart(start) };
  game.moves = moves.map((move) => formatSquare(move, start.cols));
  if (outcome) game.outcome = outcome;
  return JSON.stringify(game);
}
