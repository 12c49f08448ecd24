// Best play from the position on the board, as a line to step through: the refutation of a mistake, the longest
// resistance of who has lost, the way to win. Where nothing is proven, it is what the engine expects. No DOM.

import { colourName } from "../board/messages.js";
import { PLAYERS } from "../game/rules.js";
import { formatPlies } from "../game/values.js";
import { query } from "../shared/api.js";

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
