// What is known without a search: the winner of every start of the solved boards, and the mirror theorem.

import { parseBoard, parsePosition } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { symmetriesOf, turnsOf } from "../game/symmetry.js";

const nameOf = (rows, cols) => `${rows}x${cols}`;

/** Whether two squares have the same colour on a chessboard. */
function areSameColour(one, other, cols) {
  const sum = Math.floor(one / cols) + (one % cols) + Math.floor(other / cols) + (other % cols);
  return sum % 2 === 0;
}

/** Whether the player to move wins a start by the colour law: the knights stand on the same colour. */
export const lawSaysWin = ({ squares: [first, second], cols }) => areSameColour(first, second, cols);

class StartMap {
  /** @param {Set<number>} exceptions to the colour law, as first * 1000 + second. */
  constructor(rows, cols, exceptions) {
    this.cols = cols;
    this.squares = [...Array(rows * cols).keys()];
    this.exceptions = exceptions;
    const counts = this.squares.map((first) => this.answers(first).length);
    const fewest = Math.min(...counts);
    this.bestFirst = fewest ? this.squares.filter((first) => counts[first] === fewest) : [];
  }

  firstWins(first, second) {
    return areSameColour(first, second, this.cols) !== this.exceptions.has(first * 1000 + second);
  }

  /** The squares from which the second player wins. */
  answers(first) {
    return this.squares.filter((second) => second !== first && !this.firstWins(first, second));
  }
}

export class KnownStarts {
  #maps = new Map();

  /** @param {string} lines the package's file of solved boards, a JSON object a line. */
  constructor(lines) {
    for (const line of lines.split("\n").filter(Boolean)) this.#add(JSON.parse(line));
  }

  #add({ board, exceptions }) {
    const [rows, cols] = parseBoard(board);
    const starts = exceptions.map(({ position }) => parsePosition(position).squares);
    for (const swaps of [false, true]) {
      const images = turnsOf(rows, cols).filter((one) => one.swaps === swaps || rows === cols);
      const found = images.flatMap(({ image }) => starts.map(([first, second]) => image[first] * 1000 + image[second]));
      const [tall, wide] = swaps ? [cols, rows] : [rows, cols];
      this.#maps.set(nameOf(tall, wide), new StartMap(tall, wide, new Set(found)));
    }
  }

  of({ rows, cols }) {
    return this.#maps.get(nameOf(rows, cols)) ?? null;
  }

  /** Whether the player to move wins a start, placements included; null for other positions and boards. */
  wins(position) {
    const placed = position.squares.filter((square) => square !== null).length;
    const isStart = position.blankCount + placed === position.size && position.toMove === placed % 2;
    const map = isStart ? this.of(position) : null;
    if (!map) return null;
    const [first, second] = position.squares;
    if (first === null) return !map.bestFirst.length;
    return second === null ? map.answers(first).length > 0 : map.firstWins(first, second);
  }
}

/** Whether the mirror theorem applies, so that the player not to move wins. */
export function isMirror({ rows, cols, blank, squares: [first, second] }) {
  if (first === null || second === null) return false;
  return symmetriesOf(rows, cols)
    .slice(1)
    .some(
      ({ image, isOwnInverse }) =>
        isOwnInverse &&
        image[first] === second &&
        blank.every((isBlank, square) => !isBlank || (image[square] !== square && blank[image[square]])),
    );
}

/** The placements up to symmetry, those favoured by the colour law first. */
export function placementsOf(position) {
  const seen = new Set();
  const found = [];
  for (const move of position.legalMoves()) {
    const after = position.play(move);
    const images = symmetriesOf(position.rows, position.cols).map((one) => keyOf(one.position(after)));
    if (images.some((key) => seen.has(key))) continue;
    seen.add(keyOf(after));
    found.push({ move, after });
  }
  const isLater = ({ after }) => Number(!after.placing && lawSaysWin(after));
  return found.toSorted((one, other) => isLater(one) - isLater(other));
}

/** @param {Position} position */
const keyOf = ({ blank, squares }) => `${squares} ${blank}`;
