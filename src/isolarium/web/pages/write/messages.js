// The texts of the Write page. No DOM.

export const EXAMPLE = `from isolarium.heuristics import heuristic, mobility


@heuristic
def freer(view, own, opp):
    """Have more moves than the opponent."""
    return mobility(view, own) - mobility(view, opp)
`;

export const OFF =
  "Writing is off on this server, because others can reach it. The option --allow-write of isolarium serve turns it on.";

/** What the board shows. */
export function valuesText({ function: name, moves, problem }) {
  if (problem?.error) return "";
  if (!moves.length) return "The game is over here.";
  if (moves.every(({ value }) => value === null)) return "Heuristics apply once both knights are placed.";
  return `Each square shows the value by ${name} after that move, for the player who moves.`;
}

/** A problem in a line of text. */
export const problemText = ({ line, message }) => (line ? `Line ${line}: ${message}` : message);

/** The progress and the verdict of a match. */
export function matchText({ state, games, games_planned: planned, verdict, players, problem }) {
  if (problem) return problem;
  const done = state === "finished" ? "" : `${games} of ${planned} games. `;
  return verdict ? `${done}${players[0]}: ${verdict}.` : `${done}Compiling and playing the first games…`;
}
