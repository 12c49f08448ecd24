// The notebook in the browser's storage. Other tabs may write too, so it is read again before every change.

import { PLAYERS } from "../game/rules.js";
import { PERSON } from "../shared/address.js";
import { recall, remember, saveFile } from "../shared/storage.js";
import { EMPTY, NotebookError, dayOf, formatNotebook, isDue, parseNotebook, withGame } from "./notebook.js";

const NAME = "notebook";
const UNREAD = "notebook-unread";

let last = { text: null, read: { notebook: EMPTY, problem: "" } }; // the last text and its content

/** Today's local date. */
export function today() {
  return dayOf(new Date());
}

/** The stored notebook, as far as it can be read, and the problem with it, if any. */
export function readNotebook() {
  const text = recall(NAME);
  if (text !== last.text) last = { text, read: readText(text) };
  return last.read;
}

function readText(text) {
  if (text === null) return { notebook: EMPTY, problem: "" };
  try {
    const { notebook, left } = parseNotebook(text, today());
    return { notebook, problem: left ? `${left} stored ${left === 1 ? "entry" : "entries"} could not be read.` : "" };
  } catch (error) {
    if (!(error instanceof NotebookError)) throw error;
    return { notebook: EMPTY, problem: `The stored notebook could not be read: ${error.message}.` };
  }
}

/** Change the stored notebook. Returns whether the browser stored it. A text with unreadable entries is kept aside. */
export function changeNotebook(change) {
  const { notebook, problem } = readNotebook();
  if (problem) remember(UNREAD, recall(NAME));
  return remember(NAME, formatNotebook(change(notebook)));
}

/** Download the stored notebook. */
export function saveNotebook() {
  saveFile(`isolarium-notebook-${today()}.json`, formatNotebook(readNotebook().notebook), "application/json");
}

export function deleteNotebook() {
  remember(NAME, null);
  remember(UNREAD, null);
}

/** The number of mistakes due today. */
export function dueToday() {
  const day = today();
  return readNotebook().notebook.cards.filter((card) => isDue(card, day)).length;
}

// The games that a visitor finishes against an agent.

export class GameSaver {
  #unfinished = new WeakSet(); // a game that was over when it was opened may be someone else's

  /** Store a session's game once it is over. */
  update(session) {
    const { outcome, persons, seats, seed, text, helped } = session;
    if (!outcome) return void this.#unfinished.add(session);
    if (persons.length !== 1 || !session.moves.length || !this.#unfinished.has(session)) return;
    const [player] = persons;
    const against = seats.find((seat) => seat !== PERSON);
    const won = outcome.winner === player;
    const game = { game: text, player: PLAYERS[player], against, seed, won, day: today(), judged: false };
    if (helped) game.helped = true; // it does not count on the ladder
    changeNotebook((notebook) => withGame(notebook, game));
  }
}
