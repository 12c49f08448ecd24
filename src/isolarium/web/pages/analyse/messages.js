// A game under analysis, in words: who wins, what the last move was worth, and what best play shows. No DOM.

import { colourName } from "../board/messages.js";
import { formatSquare } from "../game/notation.js";
import { PLAYERS } from "../game/rules.js";
import { formatPlies } from "../game/values.js";
import { query } from "../shared/api.js";

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

/** The value of the position for the player to move, as far as the line is judged. */
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

// Best play from the position on the board: the refutation of a mistake, the longest resistance of the losing side, or
// the way to win. Where nothing is proven, it is the engine's line.

/** What best play is called where it begins, after what is judged of the move before; `value` is for who is to move. */
export function lineName(judged, value) {
  if (value === "unknown") return "Engine's line";
  if (judged?.mark === "mistake") return "Refutation";
  return value === "wins" ? "Winning line" : "Resistance";
}

/** The server's line from a game on; `onWait` is called with why it does not come, and with nothing once that is over. */
export const askForLine = (game, onWait) => query("/api/line", { game }, { onWait });

/** What a line shows, in words. */
export function lineWords(name, { to_move: mover, value, moves, exact, ends }) {
  const player = PLAYERS.indexOf(mover);
  const winner = colourName(value === "wins" ? player : 1 - player);
  const loser = colourName(value === "wins" ? 1 - player : player);
  const how = exact
    ? `${winner}'s moves are proven, ${loser}'s are the hardest to answer that were found`
    : `${winner} hurries and ${loser} resists as long as can be`;
  const end = ends ? `${winner} wins in ${moves.length}` : `${winner} wins; the first ${formatPlies(moves.length)} of it`;
  return `${name}: ${end}. ${how}. Step through it with →.`;
}
