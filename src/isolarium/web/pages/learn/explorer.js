// The explorer of perfect play: a position of a solved game, each move with who wins and in how many plies, and how
// often agents and the visitor went wrong there.

import { marksOf } from "../analyse/move_colours.js";
import { formatGame, formatSquare, parseGame } from "../game/notation.js";
import { canonicalText } from "../game/symmetry.js";
import { inWords } from "../game/values.js";
import { readNotebook } from "../notebook/notebook_store.js";
import { isSite } from "../shared/address.js";
import { query } from "../shared/answers.js";
import { query as ask } from "../shared/api.js";
import { fill, h, setText } from "../shared/dom.js";

const COLOUR = ["Blue", "Orange"];
const FAR = "In how many plies is computed once at most 30 squares are blank.";

export class Explorer {
  #asked = ""; // the game whose answers are wanted

  /** @param {() => void} draw called when answers have arrived. */
  constructor(draw) {
    this.draw = draw;
    this.values = this.practice = null;
    this.words = h("p", { "aria-live": "polite" });
    this.table = h("table.explored");
    this.scroll = h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Every move" }, this.table);
    this.notes = h("p.small.quiet-text");
    this.element = h("section.stack", { "aria-label": "Perfect play", hidden: true }, this.words, this.scroll, this.notes);
  }

  /** Show a position after some moves from an empty board; request what is known about it. */
  show(start, moves, position) {
    const game = formatGame(start, moves);
    this.element.hidden = false;
    if (game !== this.#asked) this.#ask(game);
    this.#write(position);
  }

  hide() {
    this.element.hidden = true;
    this.#asked = "";
    this.values = this.practice = null;
  }

  /** The marks of the moves, once they are known. */
  marks(position) {
    return this.values ? marksOf(position, this.values, "exact") : new Map();
  }

  async #ask(game) {
    this.#asked = game;
    this.values = this.practice = null;
    const keep = (name) => (answer) => {
      if (game !== this.#asked) return;
      this[name] = answer;
      this.draw();
    };
    try {
      await Promise.all([
        query("values", { game, exact: true }).then(keep("values")),
        isSite ? null : ask("/api/explore", { game }).then(keep("practice")),
      ]);
    } catch (error) {
      if (game === this.#asked) setText(this.words, error.message);
    }
  }

  #write(position) {
    const { values, practice } = this;
    const mover = COLOUR[position.toMove];
    this.scroll.hidden = !values?.moves.length;
    if (!values) return void setText(this.words, "Solving…");
    if (!values.moves.length) setText(this.words, `${mover} has no move left and loses.`);
    else if (values.value === "unknown") setText(this.words, `${mover} to move: not solved within two million positions for each move.`);
    else setText(this.words, `${mover} to move ${inWords(values.value, values.plies)} with perfect play.`);
    fill(this.table, this.#rows(position, values, practice ?? { games: 0, agents: [] }));
    const isFar = values.moves.some(({ value, plies }) => value !== "unknown" && plies === null);
    fill(this.notes, [practice ? practiceText(values, practice) : "", isFar ? FAR : ""].filter(Boolean).join(" "));
  }

  #rows(position, values, practice) {
    const mine = ownMoves(position);
    const heads = ["Move", "Perfect play", "Agents", "You"];
    const rank = ({ value, plies }) => ({ wins: 0, unknown: 1000, loses: 3000 - (plies ?? 999) })[value] + (value === "wins" ? (plies ?? 999) : 0);
    return [
      h("thead", {}, h("tr", {}, heads.map((name, at) => h(at ? "th.figure" : "th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        values.moves
          .toSorted((one, other) => rank(one) - rank(other))
          .map(({ move, value, plies }) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, move),
              h(`td.figure.${{ wins: "good", loses: "bad" }[value] ?? "quiet-text"}`, {}, value === "unknown" ? "–" : inWords(value, plies)),
              h("td.figure", {}, times(practice.agents.reduce((sum, { moves }) => sum + (moves[move] ?? 0), 0))),
              h("td.figure", {}, times(mine[move] ?? 0)),
            ),
          ),
      ),
    ];
  }
}

const times = (count) => (count ? `${count}×` : "");

/** How often agents gave the win away here, and which ones did. */
function practiceText({ value, moves }, { games, agents }) {
  if (!games) return "No agent has been here in the runs of this server.";
  const here = `Agents were here ${games === 1 ? "once" : `${games} times`} in the runs of this server, mirror images included.`;
  if (value !== "wins") return here;
  const losing = new Set(moves.filter((one) => one.value === "loses").map(({ move }) => move));
  const wrong = agents
    .map(({ agent, moves: chosen }) => {
      const all = Object.entries(chosen);
      const sum = (list) => list.reduce((total, [, count]) => total + count, 0);
      return { agent, all: sum(all), wrong: sum(all.filter(([move]) => losing.has(move))) };
    })
    .filter((one) => one.wrong);
  if (!wrong.length) return `${here} None gave the win away.`;
  return `${here} Wrong: ${wrong.map((one) => `${one.agent} ${one.wrong} of ${one.all}`).join(", ")}.`;
}

/** The visitor's moves in a position, up to symmetry, from the stored games and mistakes. */
function ownMoves(position) {
  const found = {};
  const wanted = canonicalText(position);
  const add = (at, move) => {
    if (at.rows !== position.rows || at.cols !== position.cols || at.blankCount !== position.blankCount) return;
    const seen = canonicalText(at);
    if (seen.text !== wanted.text) return;
    const name = formatSquare(wanted.back(seen.to(move)), position.cols);
    found[name] = (found[name] ?? 0) + 1;
  };
  for (const { game, player } of readNotebook().notebook.games) {
    const { start, moves } = parseGame(game);
    let at = start;
    for (const move of moves) {
      if (["first", "second"][at.toMove] === player) add(at, move);
      at = at.play(move);
    }
  }
  return found;
}
