// The results of a run: its tables, the path of its sequential test, and the squares each agent visited.

import { BoardView } from "../board/board.js";
import { formatSquare, parseBoard } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { breakable, fill, h, setText, svg } from "../shared/dom.js";
import { counted, shareRange, ticks } from "./figures.js";

// Tables; one column may also be drawn as bars.

export class ResultTable {
  /**
   * @param {string} label the accessible name.
   * @param {{bars?: boolean, shades?: boolean}} options whether to draw the first column of shares too, with its
   *   intervals; whether to colour shares, blue above 50% and orange below.
   */
  constructor(label, { bars = false, shades = false } = {}) {
    this.bars = bars;
    this.shades = shades;
    this.table = h("table.figures");
    this.notes = h("p.small.quiet-text");
    const scroll = h("div.scroll", { tabindex: "0", role: "region", "aria-label": label }, this.table);
    this.element = h("div", { hidden: true }, scroll, this.notes);
  }

  /** Show a table; hide the element if there is none or it has no rows. */
  show(table) {
    this.element.hidden = !table?.rows.length;
    if (this.element.hidden) return;
    const chart = this.bars ? shareChart(table) : null;
    const rows = table.rows.map((_, row) =>
      h("tr", {}, across(table, (column) => this.#cell(table, row, column), chart?.bar(row))),
    );
    const sums = rows.splice(rows.length - table.footer);
    const axis = chart && h("tr.axis-row", {}, across(table, () => h("td"), chart.axis()));
    const [agent, shared] = namesOf(table);
    const heads = across(table, (column) => head(table, column, column === nameColumn(table) ? agent : ""), chart?.head());
    fill(
      this.table,
      h("caption", {}, table.title),
      h("thead", {}, h("tr", {}, heads)),
      h("tbody", {}, rows),
      h("tfoot", {}, sums, axis),
    );
    const notes = [shared, ...table.notes].filter(Boolean);
    fill(this.notes, notes.join(" · "));
    this.notes.hidden = !notes.length;
  }

  #cell(table, row, column) {
    const made = cell(table, row, column);
    if (this.shades) shade(made, table.values[row][column]);
    return made;
  }
}

/** Colour a cell by its share: the farther from 50%, the stronger. */
function shade(cell, share) {
  if (typeof share?.rate !== "number") return;
  cell.classList.add("shade", share.rate < 0.5 ? "below" : "above");
  cell.style.setProperty("--strength", `${Math.round(200 * Math.abs(share.rate - 0.5))}%`);
}

const kind = (table, column) => (table.align[column] === "<" ? "" : ".figure");

const head = (table, column, name) =>
  h(`th${kind(table, column)}`, { scope: "col" }, name || table.columns[column] || table.keys[column]);

/** The column with the rows' names: the first one of text. */
const nameColumn = (table) => table.align.indexOf("<");

/** The heading of the names, and what all agents share, which would be too long for a phone's column. */
function namesOf(table) {
  const heading = table.columns[nameColumn(table)] ?? "";
  const [, name, shared] = /^(\S+) \((.*)\)$/.exec(heading) ?? [null, heading, ""];
  return [name, shared];
}

/** A cell: a figure, or the row's name, which may be abbreviated. */
function cell(table, row, column) {
  const text = table.rows[row][column];
  const value = table.values[row][column];
  if (column === nameColumn(table))
    return h("th.spec-text", { scope: "row", title: value !== text && value }, breakable(text));
  const isBest = table.best.some(([bestRow, bestColumn]) => bestRow === row && bestColumn === column);
  return h(`td${kind(table, column)}`, {}, isBest ? h("strong", {}, text) : text);
}

/** A cell for each column, with the chart right after the name, where even a phone shows it. */
const across = (table, cell, drawn) =>
  table.keys.map((_, column) => (column === nameColumn(table) ? [cell(column), drawn] : cell(column)));

/** Draws the first column of shares on one scale; null if no column has shares. */
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

// The curve of a sweep: the win rate at each value, in a band of the 95% intervals.

const BOX = { left: 44, right: 12, top: 12, bottom: 30, width: 640, height: 240 };

export class SweepCurve {
  constructor() {
    this.svg = svg("svg.chart.sweep", { role: "img", viewBox: `0 0 ${BOX.width} ${BOX.height}` });
    const caption = h("p.small.quiet-text", {}, "The band is the 95% interval; the dashed line is 50%.");
    this.element = h("section.card", { hidden: true }, h("h2", {}, "Win rate by value"), this.svg, caption);
  }

  /** @param {object|null} table the sweep's table: a row for each value, in order. */
  show(table) {
    this.element.hidden = !table || table.rows.length < 2;
    if (this.element.hidden) return;
    const [value, score] = ["value", "score"].map((key) => table.keys.indexOf(key));
    const names = table.rows.map((row) => row[value]);
    const shares = table.values.map((row) => row[score]);
    const range = shareRange(shares);
    const across = placesOf(names);
    const x = (at) => BOX.left + across[at] * (BOX.width - BOX.left - BOX.right);
    const y = (share) =>
      BOX.top + ((range[1] - share) / (range[1] - range[0])) * (BOX.height - BOX.top - BOX.bottom);
    const point = (share, at) => `${x(at).toFixed(1)},${y(share).toFixed(1)}`;
    const highs = shares.map(({ high }, at) => point(high, at));
    const lows = shares.map(({ low }, at) => point(low, at));
    const most = shares.reduce((best, one, at) => (one.rate > shares[best].rate ? at : best), 0);
    this.svg.setAttribute("aria-label", `Win rate by value, highest at ${names[most]}: ${table.rows[most][score]}`);
    fill(
      this.svg,
      svg("polygon.band", { points: [...highs, ...lows.toReversed()].join(" ") }),
      svg("line.even", { x1: BOX.left, x2: BOX.width - BOX.right, y1: y(0.5), y2: y(0.5) }),
      svg("polyline.path", { points: shares.map(({ rate }, at) => point(rate, at)).join(" ") }),
      shares.map(({ rate }, at) => svg("circle.point", { cx: x(at), cy: y(rate), r: 4 })),
      ticks(range).map((share) => svg("text.right", { x: BOX.left - 8, y: y(share) + 4 }, `${Math.round(share * 100)}%`)),
      spaced(across).map((at) => svg("text", { x: x(at), y: BOX.height - 12 }, names[at])),
    );
  }
}

/** Where values lie on an axis from 0 to 1: to scale if they are ascending numbers, else evenly spaced. */
function placesOf(names) {
  const numbers = names.map(Number);
  const isToScale = numbers.every((one, at) => Number.isFinite(one) && (!at || one > numbers[at - 1]));
  const [first, last] = [numbers[0], numbers.at(-1)];
  return names.map((_, at) => (isToScale ? (numbers[at] - first) / (last - first) : at / (names.length - 1)));
}

/** The values that are labelled, far enough apart to be read. */
function spaced(places) {
  let last = -1;
  return [...places.keys()].filter((at) => {
    const isFar = places[at] - last >= 0.07;
    if (isFar) last = places[at];
    return isFar;
  });
}

// The path of a sequential test between its bounds.

const VERDICTS = {
  running: "not decided yet",
  "accepts H0": "the test says no",
  "accepts H1": "the test says yes",
};

export class TestPath {
  constructor() {
    this.words = h("p");
    this.svg = svg("svg.chart.tall", { role: "img" });
    this.element = h(
      "section.card",
      { hidden: true },
      h("h2", {}, "Sequential test"),
      this.words,
      this.svg,
    );
  }

  show({ test, players }) {
    this.element.hidden = !test;
    if (!test) return;
    const elo = test.normalised ? "normalised Elo" : "Elo";
    fill(
      this.words,
      `Is ${players[0]} better than ${players[1]} by ${test.elo1} ${elo}, rather than by ${test.elo0}? `,
      `After ${counted(test.pairs, "pair")}: ${VERDICTS[test.state] ?? test.state}.`,
    );
    const most = Math.max(10, test.path.at(-1)?.[0] ?? 0);
    const spread = Math.max(Math.abs(test.lower), Math.abs(test.upper)) * 1.3;
    const height = (llr) => 50 - 50 * Math.max(-1, Math.min(1, llr / spread));
    const level = (llr, name) =>
      svg(`line.${name}`, { x1: "0%", x2: "100%", y1: `${height(llr)}%`, y2: `${height(llr)}%` });
    const points = test.path.map(
      ([pair, llr]) => `${((pair / most) * 100).toFixed(2)},${height(llr).toFixed(2)}`,
    );
    this.svg.setAttribute(
      "aria-label",
      `Log-likelihood ratio ${test.llr.toFixed(2)}, between ${test.lower.toFixed(2)} and ${test.upper.toFixed(2)}`,
    );
    fill(
      this.svg,
      level(0, "axis"),
      level(test.upper, "bound"),
      level(test.lower, "bound"),
      svg(
        "svg",
        { viewBox: "0 0 100 100", preserveAspectRatio: "none", width: "100%", height: "100%" },
        svg("polyline.path", { points: points.join(" ") }),
      ),
      svg("text.left", { x: 0, y: `${height(test.upper)}%`, dy: -6 }, `better by ${test.elo1} ${elo}`),
      svg("text.left", { x: 0, y: `${height(test.lower)}%`, dy: 15 }, `by ${test.elo0} ${elo}`),
      svg("text.right", { x: "100%", y: `${height(test.lower)}%`, dy: 15 }, `${most} pairs`),
    );
  }
}

// The squares each agent visited: one board per agent, on a common scale.

export class HeatMaps {
  #boards = [];
  #counts = []; // the number of games behind each board

  constructor() {
    this.maps = h("div.maps");
    this.scale = h("p.small.quiet-text");
    this.most = h("span");
    const legend = h("div.scale.quiet-text", {}, "0", h("i"), this.most);
    this.element = h("div.stack", {}, this.scale, legend, this.maps);
  }

  show(run) {
    const position = Position.empty(...parseBoard(run.board));
    const most = Math.max(0.01, ...run.heat.flatMap(({ share }) => share));
    const games = run.heat.some((one) => one.games > 0);
    fill(
      this.scale,
      games
        ? "Each number is the percentage of games in which the agent visited the square. All boards share one scale."
        : "No games are finished yet.",
    );
    fill(this.most, (most * 100).toFixed(0));
    if (this.#boards.length !== run.heat.length) this.#build(run);
    run.heat.forEach((heat, at) => {
      this.#boards[at].show(heatState(position, heat, most, run.players[heat.player]));
      setText(this.#counts[at], ` ${counted(heat.games, "game")}`);
    });
  }

  #build(run) {
    this.#boards = run.heat.map(() => new BoardView({ interactive: false }));
    this.#counts = run.heat.map(() => h("span.small.quiet-text"));
    fill(
      this.maps,
      run.heat.map((heat, at) =>
        h(
          "figure",
          {},
          this.#boards[at].element,
          h(
            "figcaption",
            {},
            h("span.spec-text", {}, breakable(run.players[heat.player])),
            this.#counts[at],
          ),
        ),
      ),
    );
  }
}

function heatState(position, { share }, most, label) {
  const marks = new Map(
    share.map((part, square) => [
      square,
      {
        tone: "warm",
        strength: part / most,
        text: String(Math.round(part * 100)),
        words: `${Math.round(part * 100)}%`,
      },
    ]),
  );
  const top = share.indexOf(Math.max(...share));
  return { position, marks, label: `${label} visited ${formatSquare(top, position.cols)} most often` };
}
