// Where this browser keeps its notebook. Other tabs may write too, so it is read again before every change.

import { recall, remember } from "../shared/storage.js";
import { dayOf, isDue } from "./cards.js";
import { EMPTY, NotebookError, formatNotebook, parseNotebook } from "./notebook.js";

const NAME = "notebook";
const UNREAD = "notebook-unread";

let last = { text: null, read: { notebook: EMPTY, problem: "" } }; // what was read last, and what it says

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
