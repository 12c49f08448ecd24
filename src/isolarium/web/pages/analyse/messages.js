// The texts of an analysis: who wins, the verdict on the last move, and the best line. No DOM.

import { colourName } from "../board/messages.js";
import { formatSquare } from "../game/notation.js";
import { PLAYERS } from "../game/rules.js";
import { formatPlies } from "../game/values.js";
import { query } from "../shared/answers.js";

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
  const words = winner
    ? `From this start, ${colourName(PLAYERS.indexOf(winner))} wins with perfect play.`
    : "";
  return judgement.isWhole(placings) ? words : `${words} Some positions were too large to solve.`;
}

/** How many moves of a game place a knight. */
export function placingsOf(tree) {
  return tree.root.position.squares.filter((square) => square === null).length;
}

// The best line from the position on the board.

/** Request the best line from the end of a game; `onWait` is as for `get`. */
export const askForLine = (game, onWait) => query("line", { game }, { onWait });

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
