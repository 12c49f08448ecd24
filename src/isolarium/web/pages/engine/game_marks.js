// The moves of a game compared with perfect play, as `isolarium.analysis.accuracy` marks them.

import { lawSaysWin } from "./known_starts.js";

/**
 * Mark one move.
 * @param {import("./exact_values.js").ExactValues} exact
 * @param {object} before the position before the move.
 * @param {number} move
 * @param {boolean|null} known whether the mover wins this position, if earlier moves have shown it.
 * @returns {Promise<{mark: string, wins: boolean|null, after: boolean|null, decides: boolean|null, keeps: number|null}>}
 *   `after` is whether the opponent wins after the move.
 */
export async function markMove(exact, before, move, known = null) {
  const after = before.play(move);
  const wins = known ?? (await exact.wins(before));
  const moves = before.legalMoves();
  const afterWins = await follows(exact, moves, wins, after);
  const marked = { wins, after: afterWins, decides: false, keeps: null };
  if (moves.length === 1) return { ...marked, mark: "forced" };
  if (wins === false) return { ...marked, mark: "lost" };
  if (wins === null || afterWins === null) return { ...marked, mark: "unknown" };
  if (afterWins) return { ...marked, mark: "mistake", decides: true, keeps: await exact.winningMove(before) };
  return { ...marked, mark: "right", decides: await couldLose(exact, before, move) };
}

/** Whether the opponent wins after a move, solved only if the position before does not imply it. */
async function follows(exact, moves, wins, after) {
  if (wins === false) return true;
  if (wins && moves.length === 1) return false;
  return exact.wins(after);
}

/** Whether another move loses; null if not known. */
async function couldLose(exact, before, move) {
  let could = false;
  for (const other of before.legalMoves()) {
    if (other === move) continue;
    const wins = await exact.wins(before.play(other));
    if (wins) return true;
    if (wins === null) could = null;
  }
  return could;
}

/** The winner with perfect play after a marked move: 0 or 1; null if not known. */
export function winnerAfter({ mark, wins }, player) {
  if (mark === "unknown" || wins === null) return null;
  return wins && mark !== "mistake" ? player : 1 - player;
}

/**
 * The accuracy of both players.
 * @param {{ply: number, player: number, mark: string, wins: boolean|null, decides: boolean|null}[]} marked in order.
 * @param {object[]} positions of the game.
 */
export function summaryOf(marked, positions) {
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
    law: start ? (lawSaysWin(start) ? start.toMove : 1 - start.toMove) : null,
    known: marked.every(({ wins }) => wins !== null),
  };
}
