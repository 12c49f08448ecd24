// A game under analysis, in words: who wins here, what the last move was worth, and who was to win. No DOM.

import { colourName } from "../board/messages.js";
import { formatSquare } from "../game/notation.js";
import { PLAYERS } from "../game/rules.js";

const EMPTY =
  "See who wins after every move, and where a win was given away. Bring a game from anywhere, or place the knights.";

/**
 * Whose turn it is and what the position is worth, by its values where they are known and else by the judgement of the
 * line on the board.
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

/** The value of the position for who is to move, as far as the judgement of the line tells it. */
function judgedValue({ current, position }, judgement) {
  const winner = judgement.at(current.ply)?.winner;
  const value = winner ? (PLAYERS.indexOf(winner) === position.toMove ? "wins" : "loses") : "unknown";
  return { value, plies: null };
}

/** The last move and the verdict on it. */
export function lineOf(tree, judgement) {
  const { current } = tree;
  if (tree.isEmpty) return EMPTY;
  if (!current.parent) return "The start. Step through with ← and →, or go to any square.";
  const square = formatSquare(current.move, current.position.cols);
  const where = current.isMain ? "" : " in a variation";
  const name = `${colourName(current.parent.position.toMove)} went to ${square}${where}`;
  const words = judgement.words(current.ply);
  return words ? `${name}, ${words}.` : `${name}.`;
}

/** Who was to win from where both were placed, and whether all of the game is solved. */
export function openingOf(tree, judgement) {
  if (!tree.root.children.length) return "";
  if (!judgement.summary) return "Solving the game…";
  const placings = placingsOf(tree);
  const winner = placings ? judgement.at(placings)?.winner : judgement.summary.favourite;
  const words = winner
    ? `From where they were placed, ${colourName(PLAYERS.indexOf(winner))} wins with perfect play.`
    : "";
  return judgement.isWhole(placings) ? words : `${words} Some positions were too large to solve.`;
}

/** How many moves of a game place a knight. */
export function placingsOf(tree) {
  return tree.root.position.squares.filter((square) => square === null).length;
}
