// The messages of a game in Play: whose turn it is, what to do, and how it ended. No DOM.

import { colourName } from "../board/messages.js";

/** Whose turn it is, or who won; to the one person there is, where there is one. */
export function headlineOf(session) {
  const { outcome, position, persons } = session;
  const isOne = persons.length === 1;
  if (outcome && isOne) return persons[0] === outcome.winner ? "You win" : "You lose";
  if (outcome) return `${colourName(outcome.winner)} wins`;
  if (isOne && session.personToMove) return position.placing ? "Place your knight" : "Your move";
  const turn = `${colourName(position.toMove)} to ${position.placing ? "place" : "move"}`;
  return session.paused ? `${turn}, paused` : turn;
}

/** What to do now, or why it is over. */
export function lineOf(session) {
  const { outcome, position } = session;
  if (outcome) return endOf(session);
  if (session.agentToMove) return "Thinking…";
  if (!session.personToMove) return "Go on lets the agent move.";
  return position.placing
    ? "Any blank square will do."
    : "Go to a square with a dot, like a knight in chess.";
}

function endOf({ outcome, persons, position }) {
  const loser = 1 - outcome.winner;
  const isYou = persons.length === 1 && persons[0] === loser;
  const name = isYou ? "You" : colourName(loser);
  if (outcome.reason === "resignation") return `${name} resigned.`;
  const trapped = `${name} ${isYou ? "are to move and have" : "is to move and has"} no square left to go to.`;
  if (!position.reachOf(loser).length) return trapped;
  return `${trapped} What ${isYou ? "you" : "it"} needed is crossed out.`;
}
