// The messages of a game in Play: whose turn it is, what to do, and how it ended. No DOM.

import { colourName } from "../board/messages.js";

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
