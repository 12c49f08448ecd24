// A table of a run's report, drawn from what the server says of it: whatever columns there are, with error bars.

import { breakable, fill, h, svg } from "../shared/dom.js";
import { shareRange, ticks } from "./figures.js";

export class ResultTable {
  /**
   * @param {string} label what it is called, for those who do not see it.
   * @param {{bars?: boolean}} options whether the first column of shares is drawn as well, with its intervals.
   */
  constructor(label, { bars = false } = {}) {
    this.bars = bars;
    this.table = h("table.figures");
    this.notes = h("p.small.quiet-text");
    const scroll = h("div.scroll", { tabindex: "0", role: "region", "aria-label": label }, this.table);
    this.element = h("div", { hidden: true }, scroll, this.notes);
  }

  /** Show a table, or nothing where there is none or it has no rows. */
  show(table) {
    this.element.hidden = !table?.rows.length;
    if (this.element.hidden) return;
    const chart = this.bars ? shareChart(table) : null;
    const rows = table.rows.map((_, row) =>
      h("tr", {}, across(table, (column) => cell(table, row, column), chart?.bar(row))),
    );
    const sums = rows.splice(rows.length - table.footer);
    const axis = chart && h("tr", {}, across(table, () => h("td"), chart.axis()));
    const heads = across(table, (column) => head(table, column), chart?.head());
    fill(
      this.table,
      h("caption", {}, table.title),
      h("thead", {}, h("tr", {}, heads)),
      h("tbody", {}, rows),
      h("tfoot", {}, sums, axis),
    );
    fill(this.notes, table.notes.join(" · "));
    this.notes.hidden = !table.notes.length;
  }
}

const kind = (table, column) => (table.align[column] === "<" ? "" : ".figure");

const head = (table, column) =>
  h(`th${kind(table, column)}`, { scope: "col" }, table.columns[column] || table.keys[column]);

/** The name of a row stands in the first column of words. */
const nameColumn = (table) => table.align.indexOf("<");

/** A row's figure, or its name, which may be short for another. */
function cell(table, row, column) {
  const text = table.rows[row][column];
  const value = table.values[row][column];
  if (column === nameColumn(table))
    return h("th.spec-text", { scope: "row", title: value !== text && value }, breakable(text));
  const isBest = table.best.some(([bestRow, bestColumn]) => bestRow === row && bestColumn === column);
  return h(`td${kind(table, column)}`, {}, isBest ? h("strong", {}, text) : text);
}

/** A cell for each column; after the name, where even a phone shows it, what is drawn. */
const across = (table, cell, drawn) =>
  table.keys.map((_, column) => (column === nameColumn(table) ? [cell(column), drawn] : cell(column)));

/** How the first column of shares is drawn, all on one scale; null where none is a share. */
function shareChart({ keys, columns, rows, values }) {
  const isShare = (value) => typeof value?.rate === "number";
  const column = keys.findIndex((_, at) => values.some((row) => isShare(row[at])));
  if (column < 0) return null;
  const range = shareRange(values.map((row) => row[column]).filter(isShare));
  const place = (share) => `${(((share - range[0]) / (range[1] - range[0])) * 100).toFixed(2)}%`;
  const drawn = (share, text) => isShare(share) && bar(share, text, place);
  return {
    head: () => h("th.chart-cell", { scope: "col" }, `${columns[column]}, 95% interval`),
    bar: (row) => h("td.chart-cell", {}, drawn(values[row][column], rows[row][column])),
    axis: () => h("td.chart-cell", {}, axis(range, place)),
  };
}

function bar({ rate, low, high }, label, place) {
  const line = (name, from, to, y1, y2) => svg(`line.${name}`, { x1: place(from), x2: place(to), y1, y2 });
  return svg(
    "svg.chart",
    { role: "img", "aria-label": label },
    line("even", 0.5, 0.5, 0, 22),
    line("whisker", low, high, 11, 11),
    line("whisker", low, low, 6, 16),
    line("whisker", high, high, 6, 16),
    svg("circle.point", { cx: place(rate), cy: 11, r: 5 }),
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
