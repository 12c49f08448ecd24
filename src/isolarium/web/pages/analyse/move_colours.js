// The colours of moves: by who wins where that is known, else by a heuristic or a search; and the control to choose.
//
// A colour is always that of the player who is better off; the sign is for the player who makes the move.

import { parseSquare } from "../game/notation.js";
import { formatScore, inWords, isProven, rank, squash } from "../game/values.js";
import { h } from "../shared/dom.js";

/**
 * The marks of all legal moves of a position.
 * @param {object} position
 * @param {object} values the server's answer to POST /api/values.
 * @param {"exact"|"heuristic"|"search"} by what to colour by; "exact" falls back to the heuristic.
 * @param {number} which which of the heuristics that were asked for.
 */
export function marksOf(position, values, by, which = 0) {
  const marks = new Map();
  for (const move of values.moves) {
    const square = parseSquare(move.move, position.rows, position.cols);
    const mark = markOf(position.toMove, move, by, which);
    if (mark) marks.set(square, mark);
  }
  return marks;
}

function markOf(mover, move, by, which) {
  if (by === "exact" && move.value !== "unknown") return exactMark(mover, move);
  const score = by === "search" ? move.searches?.[0] : move.heuristics?.[which];
  if (score !== null && score !== undefined) return scoreMark(mover, score);
  return move.plies === 1 ? exactMark(mover, move) : null; // the move ends the game: nothing to estimate
}

function exactMark(mover, { value, plies }) {
  const winner = value === "wins" ? mover : 1 - mover;
  const sign = value === "wins" ? "+" : "−";
  return {
    tone: SIDE[winner],
    strength: 1,
    text: sign,
    small: plies === null ? "" : String(plies),
    words: inWords(value, plies),
  };
}

function scoreMark(mover, score) {
  const share = squash(score);
  const better = share >= 0 ? mover : 1 - mover;
  const proven = isProven(score);
  const text = proven ? (share > 0 ? "+" : "−") : short(score);
  const small = proven ? (score.split(" ")[1] ?? "") : "";
  return {
    tone: share === 0 ? "none" : SIDE[better],
    strength: Math.abs(share),
    text,
    small,
    words: formatScore(score),
  };
}

const SIDE = ["first", "second"];

/** A score in four characters where that is possible. */
function short(score) {
  if (typeof score !== "number" || Number.isInteger(score)) return formatScore(score);
  const text = Math.abs(score).toFixed(Math.abs(score) < 9.95 ? 1 : 0);
  return Number(text) === 0 ? "0" : (score < 0 ? "−" : "+") + text;
}

/** The squares of the best moves by this colouring. */
export function bestMoves(position, values, by, which = 0) {
  const ranked = values.moves.map((move) => {
    const score = by === "search" ? move.searches?.[0] : move.heuristics?.[which];
    const exact = `${move.value === "wins" ? "win" : "loss"} ${move.plies ?? 999}`;
    const isExact = (by === "exact" || score === null || score === undefined) && move.value !== "unknown";
    return { move: move.move, rank: rank(isExact ? exact : score) };
  });
  const best = Math.max(...ranked.map((one) => one.rank));
  return ranked
    .filter((one) => one.rank === best)
    .map(({ move }) => parseSquare(move, position.rows, position.cols));
}

// The control that chooses the colours.

const LEGEND =
  "A square has the colour of the player who is better off after going there; + and − are for the one who goes. " +
  "★ marks the move that would have kept the win; a dashed arrow is only what the engine thinks best.";
const WAYS = { exact: "who wins, where it is solved", heuristic: "the first heuristic", search: "a search" };

export class ColourChoice {
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
