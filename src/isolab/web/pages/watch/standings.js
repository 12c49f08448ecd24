// The standings: who scored what, with error bars on one scale.

import { breakable, fill, h, svg } from "../shared/dom.js";
import { formatCount, formatElo, formatShare, shareRange, ticks } from "./figures.js";

export class Standings {
  constructor() {
    const head = (text) => h("th", { scope: "col" }, text);
    const figure = (text) => h("th.figure", { scope: "col" }, text);
    this.head = h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th.figure.place", { scope: "col" }, "Place"),
        head("Agent"),
        figure("Score"),
        h("th.chart-cell", { scope: "col" }, "Points, 95% interval"),
        ["Elo", "Games"].map(figure),
      ),
    );
    this.body = h("tbody");
    this.foot = h("tfoot");
    this.element = h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": "Standings" },
      h("table.standings", {}, this.head, this.body, this.foot),
    );
  }

  show(run) {
    const range = shareRange(run.players);
    const place = (share) => `${(((share - range[0]) / (range[1] - range[0])) * 100).toFixed(2)}%`;
    fill(
      this.body,
      run.standings.map((at, rank) => this.#row(run.players[at], rank, place)),
    );
    fill(
      this.foot,
      h(
        "tr",
        {},
        h("td.place"),
        h("td", { colspan: 2 }),
        h("td.chart-cell", {}, axis(range, place)),
        h("td", { colspan: 2 }),
      ),
    );
  }

  #row(player, rank, place) {
    return h(
      "tr",
      {},
      h("td.figure.place", {}, String(rank + 1)),
      h("th.spec-text", { scope: "row" }, breakable(player.label)),
      h("td.figure", {}, formatShare(player.rate, player.low, player.high)),
      h("td.chart-cell", {}, bar(player, place)),
      h("td.figure", {}, formatElo(player.elo, player.elo_low, player.elo_high)),
      h("td.figure", {}, formatCount(player.games)),
    );
  }
}

function bar({ rate, low, high }, place) {
  const line = (name, from, to, y1, y2) => svg(`line.${name}`, { x1: place(from), x2: place(to), y1, y2 });
  const label = rate === null ? "no pair finished yet" : formatShare(rate, low, high);
  const whiskers =
    low === null || rate === null
      ? []
      : [
          line("whisker", low, high, 11, 11),
          line("whisker", low, low, 6, 16),
          line("whisker", high, high, 6, 16),
        ];
  const point = rate === null ? [] : [svg("circle.point", { cx: place(rate), cy: 11, r: 5 })];
  return svg(
    "svg.chart",
    { role: "img", "aria-label": label },
    line("even", 0.5, 0.5, 0, 22),
    whiskers,
    point,
  );
}

function axis(range, place) {
  return svg(
    "svg.chart",
    { "aria-hidden": "true" },
    svg("line.axis", { x1: "0%", x2: "100%", y1: 0.5, y2: 0.5 }),
    ticks(range).map((share) => [
      svg("line.axis", { x1: place(share), x2: place(share), y1: 0, y2: 4 }),
      svg("text", { x: place(share), y: 16 }, `${Math.round(share * 100)}%`),
    ]),
  );
}
