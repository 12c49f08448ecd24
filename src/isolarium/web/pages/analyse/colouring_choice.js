// The choice by what the moves are coloured.

import { h } from "../shared/dom.js";

const LEGEND =
  "A square has the colour of the player who is better off after going there; + and − are for the one who goes. " +
  "★ marks the move that would have kept the win; a dashed arrow is only what the engine thinks best.";
const WAYS = { exact: "who wins, where it is solved", heuristic: "the first heuristic", search: "a search" };

export class ColouringChoice {
  /**
   * @param {{by?: string, search?: string}} texts what the address holds of it.
   * @param {() => void} onChange called when another is chosen.
   */
  constructor({ by, search = "alphabeta:improved@nodes=2000" }, onChange) {
    const ways = Object.entries(WAYS).map(([value, text]) => h("option", { value }, text));
    this.select = h("select", { id: "by", onchange: () => this.#change(onChange) }, ways);
    this.select.value = by in WAYS ? by : "exact";
    this.search = h("input.spec", {
      type: "text",
      value: search,
      "aria-label": "Search",
      spellcheck: "false",
      hidden: this.by !== "search",
      onchange: onChange,
    });
    this.element = h(
      "div.stack",
      {},
      h("label", {}, h("span.name-of", {}, "Colour the moves by"), this.select),
      this.search,
      h("p.small.quiet-text", {}, LEGEND),
    );
  }

  #change(onChange) {
    this.search.hidden = this.by !== "search";
    onChange();
  }

  get by() {
    return this.select.value;
  }

  /** The searches to be asked for. */
  get searches() {
    const search = this.search.value.trim();
    return this.by === "search" && search ? [search] : [];
  }

  /** What the address is to hold of it. */
  get texts() {
    return {
      by: this.by === "exact" ? null : this.by,
      search: this.by === "search" ? this.search.value : null,
    };
  }
}
