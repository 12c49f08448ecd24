// The review of the line on the board: the graph of its values, and each player's accuracy.

import { colourName } from "../board/messages.js";
import { pieceIcon } from "../board/shapes.js";
import { isProven, rank, squash } from "../game/values.js";
import { fill, h, svg } from "../shared/dom.js";

// The graph: for every ply the winner with perfect play, else the estimates of the engine and a heuristic, and the
// mistakes. It is a slider: drag it, or use the keys, to step through the line.

const WIDTH = 600;
const HEIGHT = 96;
const MIDDLE = HEIGHT / 2;
const REACH = 40; // from the middle to the top of the scale
const LEAST = 3; // height of a bar by search, so that it is visible
const PAGE = 5; // plies
const LEGEND = "Up: Blue, down: Orange · ■\u00a0bars: proven · ▯\u00a0dashed: by search · line: the first heuristic · ◆\u00a0mistake";

export class EvaluationGraph {
  #dragged = false;

  /** @param {(ply: number) => void} onChoose called with the chosen ply. */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.plies = 0;
    this.current = 0;
    this.svg = svg("svg.graph", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "slider",
      tabindex: "0",
      "aria-valuemin": "0",
      preserveAspectRatio: "none",
    });
    this.element = h("div", {}, h("div.graph-frame", {}, this.svg), h("p.small.quiet-text.graph-legend", {}, LEGEND));
    this.#listen();
  }

  #listen() {
    this.svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault(); // keep the keyboard focus
      this.svg.setPointerCapture(event.pointerId);
      this.#dragged = true;
      this.#choose(this.#plyAt(event));
    });
    this.svg.addEventListener("pointermove", (event) => this.#dragged && this.#choose(this.#plyAt(event)));
    for (const name of ["pointerup", "pointercancel"])
      this.svg.addEventListener(name, () => (this.#dragged = false));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
  }

  #plyAt({ clientX }) {
    const box = this.svg.getBoundingClientRect();
    return Math.floor(((clientX - box.left) / box.width) * this.plies) + 1;
  }

  /** Go to a ply, within the line. */
  #choose(ply) {
    const to = Math.min(this.plies, Math.max(0, ply));
    if (to !== this.current) this.onChoose(to);
  }

  /** Handle Page Up and Page Down; the page itself handles the arrows, Home and End. */
  #key(event) {
    const step = { PageUp: -PAGE, PageDown: PAGE }[event.key];
    if (!step) return;
    event.preventDefault();
    this.#choose(this.current + step);
  }

  /**
   * @param {import("./game_judge.js").Judgement} judgement of the line.
   * @param {number} plies the moves of the line.
   * @param {number} current the ply on the board.
   * @param {string} words a description of the board.
   * @param {(ply: number) => unknown} opinion the engine's score after a ply, for the first player; or null.
   */
  show(judgement, plies, current, words, opinion = () => null) {
    this.plies = plies;
    this.current = current;
    const step = WIDTH / Math.max(1, plies);
    const bars = [];
    const marks = [];
    const line = [];
    for (let ply = 1; ply <= plies; ply++) {
      const judged = judgement.at(ply);
      if (!judged) continue;
      const left = (ply - 1) * step;
      if (judged.winner) bars.push(bar(judged.winner, left, step));
      else bars.push(...searched(opinion(ply), left, step));
      if (judged.score !== null) line.push(`${left + step / 2},${MIDDLE - REACH * squash(judged.score)}`);
      if (judged.mark === "mistake") marks.push(mistake(judged.player, left + step / 2));
    }
    const cursor = current
      ? [svg("rect.cursor", { x: (current - 1) * step, y: 0, width: step, height: HEIGHT })]
      : [];
    this.svg.replaceChildren(
      svg("rect.graph-paper", { width: WIDTH, height: HEIGHT }),
      ...bars,
      svg("line.middle", { x1: 0, x2: WIDTH, y1: MIDDLE, y2: MIDDLE }),
      svg("polyline.opinion", { points: line.join(" ") }),
      ...marks,
      ...cursor,
    );
    this.svg.setAttribute("aria-label", this.#words(judgement, plies));
    this.svg.setAttribute("aria-valuemax", String(plies));
    this.svg.setAttribute("aria-valuenow", String(current));
    this.svg.setAttribute("aria-valuetext", `ply ${current} of ${plies}: ${words}`);
  }

  #words(judgement, plies) {
    const { mistakes } = judgement;
    if (!judgement.known) return "Evaluation of the game: not known yet";
    const lost = mistakes.length ? `mistakes at ply ${mistakes.join(", ")}` : "no mistake found";
    return `Evaluation over ${plies} plies: blue wins above the line, orange below; ${lost}`;
  }
}

function bar(winner, x, width) {
  const y = winner === "first" ? MIDDLE - REACH : MIDDLE;
  return svg(`rect.truth.${winner}`, { x, y, width, height: REACH });
}

/** A search's score as a hollow, dashed bar; a proven one as a solid bar. */
function searched(score, x, width) {
  if (score === null) return [];
  if (isProven(score)) return [bar(rank(score) > 0 ? "first" : "second", x, width)];
  const share = squash(score);
  const height = Math.max(LEAST, REACH * Math.abs(share));
  return [svg("rect.by-search", { x: x + 1, y: share < 0 ? MIDDLE : MIDDLE - height, width: Math.max(1, width - 2), height })];
}

function mistake(player, x) {
  return svg(`path.slip.${player}`, {
    d: `M${x} ${MIDDLE - 7}L${x + 7} ${MIDDLE}L${x} ${MIDDLE + 7}L${x - 7} ${MIDDLE}Z`,
  });
}

// The accuracy of each player.

export class Accuracy {
  constructor() {
    this.body = h("tbody");
    this.line = h("p.small.quiet-text");
    this.element = h(
      "div.stack",
      {},
      h(
        "table.accuracy",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "Player"),
            h("th.figure", { scope: "col" }, "Accuracy"),
            h("th.figure", { scope: "col" }, "Correct"),
            h("th.figure", { scope: "col" }, "First mistake"),
          ),
        ),
        this.body,
      ),
      this.line,
    );
    this.show(null);
  }

  /**
   * @param {object|null} summary the server's summary of a game, or null until it arrives.
   * @param {{words?: string, isWhole?: boolean, nameOf?: (ply: number) => string}} more a text below the table, whether
   *   the whole game is solved, and the names of moves.
   */
  show(summary, { words = "", isWhole = true, nameOf = String } = {}) {
    const without = summary ? (isWhole ? "none" : "not known") : "–";
    const mistake = (ply) => (ply ? nameOf(ply) : without);
    fill(
      this.body,
      [0, 1].map((player) => this.#row(player, summary?.players[player], mistake)),
    );
    fill(this.line, words);
  }

  #row(player, judged, mistake) {
    const figure = (text) => h("td.figure", {}, text);
    const share = judged?.accuracy;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, pieceIcon(player), " ", colourName(player)),
      figure(share === null || share === undefined ? "–" : `${Math.round(share * 100)}%`),
      figure(judged?.chances ? `${judged.kept} of ${judged.chances}` : "–"),
      figure(mistake(judged?.first_mistake)),
    );
  }
}
