// Stores the notebook in this browser. Other tabs may write too, so it is read again before every change.

import { PLAYERS } from "../game/rules.js";
import { PERSON } from "../shared/address.js";
import { recall, remember } from "../shared/storage.js";
import { EMPTY, NotebookError, dayOf, formatNotebook, isDue, parseNotebook, withGame } from "./notebook.js";

const NAME = "notebook";
const UNREAD = "notebook-unread";

let last = { text: null, read: { notebook: EMPTY, problem: "" } }; // the text that was read last, and its content

/** The local day of today. */
export function today() {
  return dayOf(new Date());
}

/** What is kept, and what is wrong with it, if anything: then it is what could be read. */
export function readNotebook() {
  const text = recall(NAME);
  if (text !== last.text) last = { text, read: readText(text) };
  return last.read;
}

function readText(text) {
  if (text === null) return { notebook: EMPTY, problem: "" };
  try {
    const { notebook, left } = parseNotebook(text, today());
    return { notebook, problem: left ? `Of what this browser kept, ${left} could not be read.` : "" };
  } catch (error) {
    if (!(error instanceof NotebookError)) throw error;
    return { notebook: EMPTY, problem: `What this browser kept could not be read: ${error.message}.` };
  }
}

/** Change what is kept; whether the browser keeps it. What could not be read is put aside. */
export function changeNotebook(change) {
  const { notebook, problem } = readNotebook();
  if (problem) remember(UNREAD, recall(NAME));
  return remember(NAME, formatNotebook(change(notebook)));
}

export function deleteNotebook() {
  remember(NAME, null);
  remember(UNREAD, null);
}

/** How many mistakes are to be tried today. */
export function dueToday() {
  const day = today();
  return readNotebook().notebook.cards.filter((card) => isDue(card, day)).length;
}

// Games that a person played to the end against an agent.

export class GameSaver {
  #unfinished = new WeakSet(); // a game that was over when it was opened may be another person's

  /** See how a session stands now. */
  see(session) {
    const { outcome, persons, seats, text } = session;
    if (!outcome) return void this.#unfinished.add(session);
    if (persons.length !== 1 || !session.moves.length || !this.#unfinished.has(session)) return;
    const [player] = persons;
    const against = seats.find((seat) => seat !== PERSON);
    const won = outcome.winner === player;
    const game = { game: text, player: PLAYERS[player], against, won, day: today(), judged: false };
    changeNotebook((notebook) => withGame(notebook, game));
  }
}
