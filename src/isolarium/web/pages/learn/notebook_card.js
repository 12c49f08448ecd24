// The games and mistakes stored in this browser: view, download, add from a file, and delete.

import { NotebookError, isDue, isKnown, merge, parseNotebook, withoutGame } from "../notebook/notebook.js";
import { changeNotebook, deleteNotebook, readNotebook, saveNotebook, today } from "../notebook/notebook_store.js";
import { addressOf, writeAddress } from "../shared/address.js";
import { fill, h, setText } from "../shared/dom.js";
import { agentName } from "../shared/levels.js";

const SHOWN = 50; // games in the table
const MOST_BYTES = 4_000_000;
export const NOT_STORED = "This browser does not store data, so your progress is lost when you leave.";

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

export class NotebookCard {
  /** @param {() => void} onChange called after an import or a deletion. */
  constructor(onChange) {
    this.onChange = onChange;
    this.levels = [];
    this.counts = h("p", { "aria-live": "polite" });
    this.note = h("p.small", { "aria-live": "polite" });
    this.problem = h("p.error", { role: "alert" });
    this.games = h("tbody");
    this.table = this.#buildTable();
    this.file = h("input", { type: "file", accept: ".json,application/json", onchange: () => this.#addFile() });
    const button = (text, action) => h("button", { type: "button", onclick: action }, text);
    this.save = button("Download", saveNotebook);
    this.remove = button("Delete all", () => this.#ask(true));
    this.confirm = button("Yes, delete all", () => this.#deleteAll());
    this.cancel = button("Cancel", () => this.#ask(false));
    this.element = h(
      "details.card",
      {},
      h("summary", {}, "Your games and mistakes"),
      this.counts,
      this.table,
      h("div.row", {}, this.save, this.remove, this.confirm, this.cancel),
      h("label", {}, h("span.name-of", {}, "Import from a file"), this.file),
      this.note,
      this.problem,
    );
    this.#ask(false);
  }

  #buildTable() {
    const heads = ["Day", "Board", "Against", ""].map((text) =>
      text ? h("th", { scope: "col" }, text) : h("td", {}),
    );
    return h(
      "div.scroll.kept-games",
      { tabindex: "0", role: "region", "aria-label": "Games" },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), this.games),
    );
  }

  show({ games, cards }) {
    const day = today();
    const due = cards.filter((card) => isDue(card, day)).length;
    const known = cards.filter(isKnown).length;
    setText(
      this.counts,
      `${plural(games.length, "game")} and ${plural(cards.length, "mistake")}, stored only in this browser: ` +
        `${due} due today, ${known} known.`,
    );
    this.table.hidden = !games.length;
    this.save.disabled = this.remove.disabled = !games.length && !cards.length;
    fill(
      this.games,
      games.slice(0, SHOWN).map((game) => this.#row(game)),
    );
  }

  #row(entry) {
    const { game, player, against, won, day } = entry;
    const review = addressOf("learn", writeAddress({ sheet: "mistakes", game, player }));
    const name = `the ${won ? "won" : "lost"} game of ${day}`;
    const remove = () => this.#change((notebook) => withoutGame(notebook, entry), "The game was deleted; its mistakes are kept.");
    return h(
      "tr",
      {},
      h("td.figure", {}, h("a", { href: review, "aria-label": `Mistakes of ${name}` }, day)),
      h("td", {}, sidesOf(game)),
      h("td", {}, `${won ? "won" : "lost"}, ${agentName(against, this.levels)}`),
      h("td.figure", {}, h("button.plain", { type: "button", "aria-label": `Delete ${name}`, onclick: remove }, "Delete")),
    );
  }

  async #addFile() {
    const [file] = this.file.files;
    if (!file) return;
    fill(this.problem);
    try {
      if (file.size > MOST_BYTES) throw new NotebookError("it is too large for an Isolarium notebook");
      const { notebook, left } = parseNotebook(await file.text(), today());
      const { notebook: mine } = readNotebook();
      const whole = merge(mine, notebook);
      const [games, cards] = [whole.games.length - mine.games.length, whole.cards.length - mine.cards.length];
      const skipped = left ? ` ${plural(left, "entry").replace("entrys", "entries")} skipped as invalid.` : "";
      this.#change(
        () => whole,
        `${file.name}: added ${plural(games, "game")} and ${plural(cards, "mistake")}.${skipped}`,
      );
    } catch (error) {
      fill(this.problem, `${file.name}: ${error instanceof NotebookError ? error.message : "it cannot be read"}.`);
      setText(this.note, "");
    }
    this.file.value = "";
  }

  #ask(isAsking) {
    this.remove.hidden = isAsking;
    this.confirm.hidden = this.cancel.hidden = !isAsking;
  }

  #deleteAll() {
    this.#ask(false);
    deleteNotebook();
    fill(this.problem);
    setText(this.note, "Everything was deleted.");
    this.onChange();
  }

  #change(change, words) {
    const isStored = changeNotebook(change);
    fill(this.problem);
    setText(this.note, isStored ? words : NOT_STORED);
    this.onChange();
  }
}

/** The sides of a game's board, such as 7x7. */
function sidesOf(game) {
  const start = game.slice(0, game.indexOf(":"));
  if (!start.includes("/")) return start;
  return "a position";
}
