// The texts of a game with a friend, for a player or a spectator. No DOM.

import { colourName } from "../board/messages.js";

const CONNECTION = {
  connecting: "Connecting…",
  open: "Connected.",
  lost: "Connection lost. Trying again…",
  offline: "You are offline. The game continues when you are back.",
  refused: "There is no such game.",
};
const ASKED = { back: "to take back the last move", rematch: "for a rematch" };

/** The players' names. */
export function namesOf(you) {
  if (you === null) return [colourName(0), colourName(1)];
  return [0, 1].map((player) => (player === you ? "You" : "Your friend"));
}

/** Whose turn it is, or who won. */
export function headlineOf({ you, position, outcome }) {
  if (outcome && you !== null) return outcome.winner === you ? "You win" : "You lose";
  if (outcome) return `${colourName(outcome.winner)} wins`;
  if (you === null) return `${colourName(position.toMove)} to ${position.placing ? "place" : "move"}`;
  if (position.toMove === you) return position.placing ? "Place your knight" : "Your move";
  return "Your friend's turn";
}

/** What to do now, or why the game is over. */
export function lineOf({ you, position, outcome, came, pending, state }) {
  if (outcome) return endOf(you, outcome);
  if (pending && state !== "open") return "Your move will be sent when the connection is back.";
  if (you !== null && !came[1 - you]) return "Waiting for your friend. Send the link below.";
  if (position.toMove !== you) return "";
  return position.placing ? "Choose any blank square." : "Move like a chess knight to a square with a dot.";
}

function endOf(you, { winner, reason }) {
  const loser = 1 - winner;
  const name = namesOf(you)[loser];
  const isYou = loser === you;
  if (reason === "resignation") return `${name} resigned.`;
  if (reason === "time over") return `${name} ran out of time.`;
  return `${name} ${isYou ? "have" : "has"} no move left.`;
}

function lower(name) {
  return name.startsWith("Your") ? name.toLowerCase() : name;
}

/** The state of the connection. */
export function connectionOf(state) {
  return CONNECTION[state];
}

/** Who is connected, as a list of lines. */
export function presenceOf({ you, there, came, watching }) {
  const others = [0, 1].filter((player) => player !== you);
  const lines = others.map((player) => {
    const name = namesOf(you)[player];
    if (there[player]) return `${name} is connected.`;
    return came[player] ? `${name} is disconnected.` : `Waiting for ${lower(name)}.`;
  });
  const more = watching - (you === null ? 1 : 0);
  if (more) lines.push(`${more} ${you === null ? "more " : ""}watching.`);
  return lines;
}

/** The open request, addressed to a player; empty if there is none. */
export function questionOf({ you, question }) {
  if (!question) return "";
  const asked = ASKED[question.what];
  return question.by === you ? `You asked ${asked}.` : `${namesOf(you)[question.by]} asks ${asked}.`;
}

/** The games that each player has won, once one is over: "You 2, your friend 1". */
export function scoreOf({ you, won }) {
  if (!won[0] && !won[1]) return "";
  const [first, second] = namesOf(you);
  const order = you === 1 ? [1, 0] : [0, 1];
  const names = [first, second];
  return `${names[order[0]]} ${won[order[0]]}, ${lower(names[order[1]])} ${won[order[1]]}`;
}

/** The time left: 4:05, or 9.3 in the last ten seconds. */
export function formatTime(ms) {
  if (ms < 10_000) return (Math.floor(Math.max(0, ms) / 100) / 10).toFixed(1);
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The time control: "5 min + 3 s per move". */
export function formatClock({ start_s: start, increment_s: increment }) {
  const time = start % 60 ? `${start} s` : `${start / 60} min`;
  return increment ? `${time} + ${increment} s per move` : time;
}
