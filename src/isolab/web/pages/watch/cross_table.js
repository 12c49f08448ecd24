// Who did what against whom.

import { breakable, fill, h } from "../shared/dom.js";
import { formatShare } from "./figures.js";

export class CrossTable {
  constructor() {
    this.table = h("table.cross");
    this.element = h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": "Cross table" },
      this.table,
    );
  }

  show(run) {
    const met = new Map();
    for (const one of run.cross) {
      met.set(`${one.first} ${one.second}`, one);
      if (one.first !== one.second) met.set(`${one.second} ${one.first}`, turned(one));
    }
    const order = run.standings;
    const heads = order.map((_, rank) => h("th.figure", { scope: "col" }, String(rank + 1)));
    const rows = order.map((row, rank) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, `${rank + 1} `, h("span.spec-text", {}, breakable(run.players[row].label))),
        order.map((col) => cell(met.get(`${row} ${col}`))),
      ),
    );
    fill(
      this.table,
      h("caption", {}, "Points against each, and pairs won · split · lost"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Agent"), heads)),
      h("tbody", {}, rows),
    );
  }
}

function turned({ pairs, won, split, lost, rate, low, high }) {
  const other = (share) => (share === null ? null : 1 - share);
  return { pairs, won: lost, split, lost: won, rate: other(rate), low: other(high), high: other(low) };
}

function cell(met) {
  if (!met) return h("td.figure.quiet-text", {}, "");
  return h(
    "td.figure",
    {},
    h("div", {}, formatShare(met.rate, met.low, met.high)),
    h("div.small.quiet-text", {}, `${met.won} · ${met.split} · ${met.lost}`),
  );
}
