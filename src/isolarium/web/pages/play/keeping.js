// Keeps the games that a person played to the end against an agent.

import { PLAYERS } from "../game/rules.js";
import { withGame } from "../notebook/notebook.js";
import { changeNotebook, today } from "../notebook/notebook_store.js";
import { PERSON } from "../shared/address.js";

export class GameKeeper {
  #unfinished = new WeakSet(); // a game that was over when it was opened may be anybody's

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
