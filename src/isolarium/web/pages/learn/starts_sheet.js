// The map of all starts: after a click on a first square, every second square shows who wins.

import { pieceIcon } from "../board/shapes.js";
import { formatGame, formatSquare } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { writeAddress } from "../shared/address.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";
import { startsOf } from "../shared/package_data.js";
import { addressOf } from "../shared/places.js";
import { COLOUR_LAW, CREDIT, MIRROR, StartMap, exceptionsInWords } from "./start_map.js";

const USUAL = "7x7";

export class StartsSheet {
  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse shows why another board is shown.
   * @param {string|null} wanted the first board; null for the default.
   */
  constructor(draw, refuse, wanted) {
    this.draw = draw;
    this.refuse = refuse;
    this.wanted = wanted ?? USUAL;
    this.starts = null;
    this.first = null;
    this.second = null;
    this.choice = h("select", { id: "starts-board", onchange: () => this.load(this.choice.value) });
    this.problem = h("p.error", { role: "alert" });
    this.words = h("p.said", { "aria-live": "polite" });
    this.counts = h("p.small.quiet-text");
    this.links = h("div.row");
    this.element = h(
      "div.prose",
      {},
      h("label", {}, h("span.name-of", {}, "Board"), this.choice),
      h(
        "p",
        {},
        "With perfect play every start is decided before the first move. Click a square to place Blue, who moves first.",
      ),
      this.problem,
      this.words,
      this.links,
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
    fill(
      this.choice,
      boards.map((name) => h("option", { value: name }, name)),
    );
    const { wanted } = this;
    const isKnown = boards.includes(wanted);
    this.choice.value = isKnown ? wanted : USUAL;
    await this.load(this.choice.value);
    if (!isKnown) this.refuse(`The starts of ${wanted} are not solved; showing ${USUAL}.`);
  }

  async load(board) {
    this.wanted = board;
    try {
      const answer = await startsOf(board, { onWait: (text) => fill(this.problem, text) });
      if (board !== this.wanted) return; // another was chosen meanwhile
      this.starts = new StartMap(answer);
      this.first = this.second = null;
      fill(this.problem);
    } catch (error) {
      fill(this.problem, error.message);
    }
    this.draw();
  }

  /** Handle a click: the first places Blue, the next places Orange; a click on Blue removes it. */
  choose(square) {
    if (!this.starts) return;
    if (this.first === null) this.first = square;
    else if (square === this.first) this.first = this.second = null;
    else this.second = square;
    this.draw();
  }

  takeBack() {
    if (this.second !== null) this.second = null;
    else this.first = null;
    this.draw();
  }

  show() {
    const { starts, first, second } = this;
    if (!starts) return { position: Position.empty(7, 7), label: "Loading the map…" };
    this.#say();
    if (first === null)
      return {
        position: starts.empty,
        marks: starts.overview(),
        label: "For every first square, how many replies win for Orange",
      };
    const placed = starts.empty.play(first);
    const position = second === null ? placed : placed.play(second);
    return {
      position,
      marks: starts.from(first),
      stars: starts.exceptionsFrom(first),
      last: second,
      label: "For every second square, who wins",
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
    else setText(this.words, starts.explain(first, second));
    this.#link();
  }

  #link() {
    const { starts, first, second } = this;
    if (second === null) return void fill(this.links);
    const game = formatGame(starts.empty, [first, second]);
    fill(
      this.links,
      playFrom(starts.empty.play(first).play(second)),
      h("a.button", { href: addressOf("analyse", writeAddress({ game, at: "2" })) }, "Analyse this position"),
    );
  }
}
