// The values of moves by heuristics and searches: the control that chooses the colours, and two heuristics compared square
// by square.

import { BoardView } from "../board/board.js";
import { formatSquare } from "../game/notation.js";
import { formatScore, inWords } from "../game/values.js";
import { fill, h, setText } from "../shared/dom.js";
import { bestMoves, marksOf } from "./move_colours.js";

// The control that chooses the colours.

const LEGEND =
  "Each square has the colour of the player who is better off after that move; + and − are for the player who moves. " +
  "A filled square with a bold sign is proven; a dashed frame with a slanted number is an estimate. " +
  "★ marks the move that keeps the win; a dashed arrow is the engine's choice, not proven.";
const WAYS = { exact: "who wins, else the first heuristic", heuristic: "the first heuristic", search: "a search" };

export class ColourChoice {
  /**
   * @param {{by?: string, search?: string}} texts the choice in the address.
   * @param {() => void} onChange called when the choice changes.
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
      h("label", {}, h("span.name-of", {}, "Colour moves by"), this.select),
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

  /** The searches to request. */
  get searches() {
    const search = this.search.value.trim();
    return this.by === "search" && search ? [search] : [];
  }

  /** The choice as texts for the address. */
  get texts() {
    return {
      by: this.by === "exact" ? null : this.by,
      search: this.by === "search" ? this.search.value : null,
    };
  }
}

// Two heuristics compared on the same position.

export class HeuristicComparison {
  /**
   * @param {string[]} chosen the two initial heuristics.
   * @param {() => void} onChange called when the choice changes.
   */
  constructor(chosen, onChange) {
    this.sides = chosen.map((heuristic, at) => new Side(heuristic, at, onChange));
    this.words = h("p", { "aria-live": "polite" });
    this.table = h("table");
    this.element = h(
      "div.stack",
      {},
      h(
        "p.small.quiet-text",
        {},
        "Each square shows the heuristic's value after that move, for the player who moves.",
      ),
      h(
        "div.pair",
        {},
        this.sides.map(({ element }) => element),
      ),
      this.words,
      h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Every move" }, this.table),
    );
  }

  get heuristics() {
    return this.sides.map(({ input }) => input.value.trim());
  }

  /** Offer heuristics to choose from. */
  offer(heuristics) {
    for (const side of this.sides) side.offer(heuristics);
  }

  /** Show both estimates of a position; values are null until they arrive. */
  show(position, values, flipped) {
    const isSilent = Boolean(values?.moves.length) && !values.moves.some(isJudged);
    this.sides.forEach((side) => side.show(position, isSilent ? null : values, flipped));
    const silentText = "Heuristics apply once both knights are placed.";
    setText(this.words, isSilent ? silentText : values ? this.#difference(position, values) : "");
    fill(this.table, values?.moves.length && !isSilent ? this.#rows(values) : null);
  }

  #rows({ moves }) {
    const heads = this.heuristics.map((name) => h("th.figure.spec-text", { scope: "col" }, name));
    const figure = (score) => h("td.figure", {}, formatScore(score));
    return [
      h(
        "thead",
        {},
        h("tr", {}, h("th", { scope: "col" }, "Move"), heads, h("th.figure", { scope: "col" }, "Exact")),
      ),
      h(
        "tbody",
        {},
        moves.map((one) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, one.move),
            one.heuristics.map(figure),
            h("td.figure", {}, one.value === "unknown" ? "–" : inWords(one.value, one.plies)),
          ),
        ),
      ),
    ];
  }

  #difference(position, values) {
    const [one, other] = [0, 1].map((which) => bestMoves(position, values, "heuristic", which));
    if (!one.length) return "";
    const names = (squares) => squares.map((square) => formatSquare(square, position.cols)).join(", ");
    const same = names(one) === names(other);
    const [first, second] = this.heuristics;
    return same
      ? `Both prefer ${names(one)}.`
      : `${first} prefers ${names(one)}, ${second} ${names(other)}.`;
  }
}

/** Whether any heuristic scores a move. */
function isJudged({ heuristics }) {
  return heuristics?.some((score) => score !== null && score !== undefined);
}

class Side {
  constructor(heuristic, at, onChange) {
    this.at = at;
    const name = at === 0 ? "First heuristic" : "Second heuristic";
    this.input = h("input.spec", {
      type: "text",
      value: heuristic,
      list: `heuristics-${at}`,
      "aria-label": name,
      spellcheck: "false",
      onchange: onChange,
    });
    this.list = h("datalist", { id: `heuristics-${at}` });
    this.board = new BoardView({ interactive: false });
    this.element = h("div.stack", {}, this.input, this.list, this.board.element);
  }

  offer(heuristics) {
    fill(
      this.list,
      heuristics.map(({ name, formula }) => h("option", { value: name }, formula)),
    );
  }

  show(position, values, flipped) {
    const marks = values ? marksOf(position, values, "heuristic", this.at) : new Map();
    const stars = values?.moves.length ? bestMoves(position, values, "heuristic", this.at) : [];
    const words = [...marks]
      .map(([square, mark]) => `${formatSquare(square, position.cols)} ${mark.words}`)
      .join(", ");
    this.board.show({
      position,
      marks,
      stars,
      flipped,
      label: `${this.input.value}: ${words || "nothing to show"}`,
    });
  }
}
