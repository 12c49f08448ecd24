// The games and mistakes that this browser stores: to view, save as a file, add from a file, and delete.

import {
  NotebookError,
  formatNotebook,
  isDue,
  isKnown,
  merge,
  parseNotebook,
  withoutGame,
} from "../notebook/notebook.js";
import { changeNotebook, deleteNotebook, readNotebook, today } from "../notebook/notebook_store.js";
import { writeAddress } from "../shared/address.js";
import { fill, h, setText } from "../shared/dom.js";
import { agentName } from "../shared/levels.js";
import { saveFile } from "../shared/storage.js";

const SHOWN = 50; // games in the table
const MOST_BYTES = 4_000_000;
export const NOT_KEPT = "This browser keeps nothing between visits: what you do here is forgotten.";

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

export class NotebookCard {
  /** @param {() => void} onChange called after something was brought in or deleted. */
  constructor(onChange) {
    this.onChange = onChange;
    this.levels = [];
    this.counts = h("p", { "aria-live": "polite" });
    this.said = h("p.small", { "aria-live": "polite" });
    this.problem = h("p.error", { role: "alert" });
    this.games = h("tbody");
    this.table = this.#buildTable();
    this.file = h("input", { type: "file", accept: ".json,application/json", onchange: () => this.#bring() });
    const button = (text, action) => h("button", { type: "button", onclick: action }, text);
    this.save = button("Save as a file", () => this.#save());
    this.remove = button("Delete everything", () => this.#ask(true));
    this.really = button("Yes, delete it", () => this.#deleteAll());
    this.keep = button("Keep it", () => this.#ask(false));
    this.element = h(
      "details.card",
      {},
      h("summary", {}, "Your games and mistakes"),
      this.counts,
      this.table,
      h("div.row", {}, this.save, this.remove, this.really, this.keep),
      h("label", {}, h("span.name-of", {}, "Add what is in a file that was saved here or elsewhere"), this.file),
      this.said,
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
      `${plural(games.length, "game")} and ${plural(cards.length, "mistake")} are kept in this browser, and nowhere else. ` +
        `Of the mistakes ${due} ${due === 1 ? "is" : "are"} due today, and you know ${known}.`,
    );
    this.table.hidden = !games.length;
    this.save.disabled = this.remove.disabled = !games.length && !cards.length;
    fill(
      this.games,
      games.slice(0, SHOWN).map((game) => this.#row(game)),
    );
  }

  #row(kept) {
    const { game, player, against, won, day } = kept;
    const review = `/learn${writeAddress({ sheet: "mistakes", game, player })}`;
    const name = `the ${won ? "won" : "lost"} game of ${day}`;
    const forget = () => this.#change((notebook) => withoutGame(notebook, kept), "The game is deleted; its mistakes stay.");
    return h(
      "tr",
      {},
      h("td.figure", {}, h("a", { href: review, "aria-label": `Mistakes of ${name}` }, day)),
      h("td", {}, sidesOf(game)),
      h("td", {}, `${won ? "won" : "lost"}, ${agentName(against, this.levels)}`),
      h("td.figure", {}, h("button.plain", { type: "button", "aria-label": `Delete ${name}`, onclick: forget }, "Delete")),
    );
  }

  #save() {
    const { notebook } = readNotebook();
    saveFile(`isolarium-notebook-${today()}.json`, formatNotebook(notebook), "application/json");
  }

  async #bring() {
    const [file] = this.file.files;
    if (!file) return;
    fill(this.problem);
    try {
      if (file.size > MOST_BYTES) throw new NotebookError("it is too large to be a notebook of Isolarium");
      const { notebook, left } = parseNotebook(await file.text(), today());
      const { notebook: mine } = readNotebook();
      const whole = merge(mine, notebook);
      const [games, cards] = [whole.games.length - mine.games.length, whole.cards.length - mine.cards.length];
      const without = left ? ` ${plural(left, "entry").replace("entrys", "entries")} made no sense and stayed out.` : "";
      this.#change(
        () => whole,
        `${file.name}: added ${plural(games, "game")} and ${plural(cards, "mistake")}.${without}`,
      );
    } catch (error) {
      fill(this.problem, `${file.name}: ${error instanceof NotebookError ? error.message : "it cannot be read"}.`);
      setText(this.said, "");
    }
    this.file.value = "";
  }

  #ask(isAsking) {
    this.remove.hidden = isAsking;
    this.really.hidden = this.keep.hidden = !isAsking;
  }

  #deleteAll() {
    this.#ask(false);
    deleteNotebook();
    fill(this.problem);
    setText(this.said, "Everything is deleted.");
    this.onChange();
  }

  #change(change, words) {
    const isKept = changeNotebook(change);
    fill(this.problem);
    setText(this.said, isKept ? words : NOT_KEPT);
    this.onChange();
  }
}

/** The sides of a game's board, such as 7x7. */
function sidesOf(game) {
  const start = game.slice(0, game.indexOf(":"));
  if (!start.includes("/")) return start;
  return "a position";
}
