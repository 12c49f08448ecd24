// The map of all starts: after a click on a first square, every second square shows who wins; after a second click, the
// game can be explored move by move.

import { pieceIcon } from "../board/shapes.js";
import { NotationError, formatGame, formatSquare, parseBoard, parseGame } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { addressOf, isSite, writeAddress } from "../shared/address.js";
import { get, startsOf } from "../shared/api.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";
import { Explorer } from "./explorer.js";
import { COLOUR_LAW, CREDIT, MIRROR, StartMap, exceptionsInWords } from "./start_map.js";

const USUAL = "7x7";

export class StartsSheet {
  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse shows why another board is shown.
   * @param {string|null} wanted the first board; null for the default.
   * @param {string|null} game a game to explore on that board; null for none.
   */
  constructor(draw, refuse, wanted, game) {
    this.draw = draw;
    this.refuse = refuse;
    this.wanted = wanted ?? USUAL;
    this.starts = null;
    this.first = null;
    this.second = null;
    this.moves = []; // after the placements
    this.opened = game;
    this.choice = new BoardGrid((board) => this.load(board));
    this.explorer = new Explorer(draw);
    this.tricky = h("section.stack", { "aria-label": "Trickiest in practice", hidden: true });
    this.problem = h("p.error", { role: "alert" });
    this.words = h("p.said", { "aria-live": "polite" });
    this.counts = h("p.small.quiet-text");
    this.links = h("div.row");
    this.element = h(
      "div.prose",
      {},
      this.choice.element,
      h(
        "p",
        {},
        "With perfect play every start is decided before the first move. Click a square to place Blue, who moves first.",
      ),
      this.problem,
      this.words,
      this.links,
      this.explorer.element,
      h(
        "p.legend",
        {},
        pieceIcon(0),
        " ● Blue wins",
        h("span.gap"),
        pieceIcon(1),
        " ■ Orange wins",
        h("span.gap"),
        "★ breaks the law",
      ),
      this.tricky,
      h("h2", {}, "The colour law"),
      h("p", {}, COLOUR_LAW),
      h("h2", {}, "The mirror"),
      h("p", {}, MIRROR),
      h("p.quiet-text", {}, CREDIT),
      this.counts,
    );
  }

  /** Offer the solved boards, and open one. */
  async begin(boards) {
    this.choice.offer(boards);
    const { wanted } = this;
    const isKnown = boards.includes(wanted);
    await this.load(isKnown ? wanted : USUAL);
    if (isKnown && this.opened) this.#open(this.opened);
    if (!isKnown) this.refuse(`The starts of ${wanted} are not solved; showing ${USUAL}.`);
  }

  async load(board) {
    this.wanted = board;
    this.choice.show(board);
    try {
      const answer = await startsOf(board, { onWait: (text) => fill(this.problem, text) });
      if (board !== this.wanted) return; // another was chosen meanwhile
      this.starts = new StartMap(answer);
      this.first = this.second = null;
      this.moves = [];
      fill(this.problem);
      this.#loadTricky(board);
    } catch (error) {
      fill(this.problem, error.message);
    }
    this.draw();
  }

  /** Explore a game from an address. */
  #open(text) {
    try {
      const { start, moves } = parseGame(text);
      if (`${start.rows}x${start.cols}` !== this.wanted || start.blankCount !== start.size) return;
      [this.first = null, this.second = null, ...this.moves] = moves;
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      return void this.refuse(error.message);
    }
    this.draw();
  }

  /** The game that is explored, as text for the address; null before both are placed. */
  get game() {
    if (!this.starts || this.second === null) return null;
    return formatGame(this.starts.empty, [this.first, this.second, ...this.moves]);
  }

  /** List the starts that agents lost most often although they should have won. */
  async #loadTricky(board) {
    this.tricky.hidden = true;
    if (isSite) return; // there are no runs
    const { starts, games } = await get(`/api/starts/${board}/trickiest`);
    if (board !== this.wanted || !starts.length) return;
    this.tricky.hidden = false;
    const link = ({ first, second, winner, games: played, lost }) => {
      const open = () => this.#open(`${board}: ${first} ${second}`);
      return h(
        "li",
        {},
        h("button.plain", { type: "button", onclick: open }, `Blue ${first}, Orange ${second}`),
        `: ${winner === "first" ? "Blue" : "Orange"} should win, and lost ${lost} of ${played}.`,
      );
    };
    fill(
      this.tricky,
      h("h2", {}, "Trickiest in practice"),
      h("p.small.quiet-text", {}, `Starts that agents lost most often although they could win, in ${games.toLocaleString("en")} games of this server's runs.`),
      h("ul", {}, starts.map(link)),
    );
  }

  /** Handle a click: the first places Blue, the next places Orange; a click on Blue removes it. */
  choose(square) {
    if (!this.starts) return;
    if (this.first === null) this.first = square;
    else if (this.second === null) {
      if (square === this.first) this.first = null;
      else this.second = square;
    } else if (this.#position().isLegal(square)) this.moves.push(square);
    this.draw();
  }

  takeBack() {
    if (this.moves.length) this.moves.pop();
    else if (this.second !== null) this.second = null;
    else this.first = null;
    this.draw();
  }

  #position() {
    return [this.first, this.second, ...this.moves].reduce((position, square) => position.play(square), this.starts.empty);
  }

  show() {
    const { starts, first, second } = this;
    if (second === null) this.explorer.hide();
    if (!starts) return { position: Position.empty(7, 7), label: "Loading the map…" };
    this.#say();
    if (first === null)
      return {
        position: starts.empty,
        marks: starts.overview(),
        label: "For every first square, how many replies win for Orange",
      };
    if (second !== null) return this.#explored();
    return {
      position: starts.empty.play(first),
      marks: starts.from(first),
      stars: starts.exceptionsFrom(first),
      label: "For every second square, who wins",
    };
  }

  /** The state of a board on which the game is explored. */
  #explored() {
    const { starts, first, second, moves } = this;
    const { position, current } = new GameTree(starts.empty, [first, second, ...moves]);
    this.explorer.show(starts.empty, [first, second, ...moves], position);
    const winner = position.winner();
    return {
      position,
      marks: this.explorer.marks(position),
      last: current.move,
      trails: trailsTo(current),
      dots: true,
      trapped: winner === null ? null : 1 - winner,
      label: "Who wins after every move",
    };
  }

  #say() {
    const { starts, first, second } = this;
    const { answer } = starts;
    setText(
      this.counts,
      `On ${answer.board} there are ${answer.starts} starts up to symmetry. Blue, who moves first, wins ${answer.wins} of them. ${exceptionsInWords(answer)}`,
    );
    if (first === null) setText(this.words, "Each number counts the replies that win for Orange.");
    else if (second === null)
      setText(
        this.words,
        `Blue on ${formatSquare(first, starts.cols)}: every other square shows who wins if Orange is placed there. Click one to see why.`,
      );
    else setText(this.words, this.moves.length ? "" : `${starts.explain(first, second)} Click a move to continue.`);
    this.words.hidden = this.moves.length > 0;
    this.#link();
  }

  #link() {
    const { second } = this;
    if (second === null) return void fill(this.links);
    const at = String(2 + this.moves.length);
    fill(
      this.links,
      h("button", { type: "button", onclick: () => this.takeBack() }, "Take back"),
      playFrom(this.#position()),
      h("a.button", { href: addressOf("analyse", writeAddress({ game: this.game, at })) }, "Analyse this position"),
    );
  }
}

// The solved boards as a grid of rows and columns, to choose one.

class BoardGrid {
  #buttons = new Map(); // by the board's name

  /** @param {(board: string) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.summary = h("summary", {}, "Board");
    this.table = h("table.boards");
    this.element = h("details.card", {}, this.summary, h("p.small.quiet-text", {}, "Rows × columns; all starts of these boards are solved."), this.table);
  }

  /** Offer boards such as 7x7. */
  offer(boards) {
    const sides = boards.map(parseBoard);
    const range = (at) => {
      const found = sides.map((side) => side[at]);
      return Array.from({ length: Math.max(...found) - Math.min(...found) + 1 }, (_, step) => Math.min(...found) + step);
    };
    this.#buttons = new Map(boards.map((name) => [name, this.#button(name)]));
    const cols = range(1);
    fill(
      this.table,
      h("thead", {}, h("tr", {}, h("td"), cols.map((col) => h("th", { scope: "col" }, col)))),
      h(
        "tbody",
        {},
        range(0).map((row) =>
          h("tr", {}, h("th", { scope: "row" }, row), cols.map((col) => h("td", {}, this.#buttons.get(`${row}x${col}`)))),
        ),
      ),
    );
  }

  #button(name) {
    const choose = () => {
      this.onChoose(name);
      this.element.open = false;
      this.summary.focus();
    };
    return h("button", { type: "button", "aria-label": name, title: name, onclick: choose });
  }

  /** Show which board is chosen. */
  show(board) {
    setText(this.summary, `Board ${board}`);
    for (const [name, button] of this.#buttons) button.setAttribute("aria-pressed", String(name === board));
  }
}
