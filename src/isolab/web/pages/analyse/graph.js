// The game at a glance: for every ply who wins with perfect play, what a heuristic thought, and where the win was lost.

import { squash } from "../game/values.js";
import { h, svg } from "../shared/dom.js";

const WIDTH = 600;
const HEIGHT = 96;
const MIDDLE = HEIGHT / 2;
const REACH = 40; // from the middle to the top of the scale
const LEGEND = "Up Blue, down Orange · bars: who wins · line: the first heuristic · ◆\u00a0mistake";

export class EvaluationGraph {
  /** @param {(ply: number) => void} onChoose called with the ply a person clicked. */
  constructor(onChoose) {
    this.svg = svg("svg.graph", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      preserveAspectRatio: "none",
    });
    this.element = h("div", {}, h("div.graph-frame", {}, this.svg), h("p.small.quiet-text.graph-legend", {}, LEGEND));
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      const at = Math.floor(((event.clientX - box.left) / box.width) * this.plies) + 1;
      if (this.plies) onChoose(Math.min(this.plies, Math.max(1, at)));
    });
  }

  /**
   * @param {import("./judgement.js").Judgement} judgement
   * @param {number} plies the moves of the game.
   * @param {number|null} current the ply on the board, where that is in the game.
   */
  show(judgement, plies, current) {
    this.plies = plies;
    const step = WIDTH / Math.max(1, plies);
    const bars = [];
    const marks = [];
    const line = [];
    for (let ply = 1; ply <= plies; ply++) {
      const judged = judgement.at(ply);
      if (!judged) continue;
      const left = (ply - 1) * step;
      if (judged.winner) bars.push(bar(judged.winner, left, step));
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
  }

  #words(judgement, plies) {
    const { mistakes } = judgement;
    if (!judgement.known) return "Evaluation of the game, nothing known yet";
    const lost = mistakes.length ? `mistakes at ply ${mistakes.join(", ")}` : "no mistake found";
    return `Evaluation over ${plies} plies: above the line blue wins, below it orange; ${lost}`;
  }
}

function bar(winner, x, width) {
  const y = winner === "first" ? MIDDLE - REACH : MIDDLE;
  return svg(`rect.truth.${winner}`, { x, y, width, height: REACH });
}

function mistake(player, x) {
  return svg(`path.slip.${player}`, {
    d: `M${x} ${MIDDLE - 7}L${x + 7} ${MIDDLE}L${x} ${MIDDLE + 7}L${x - 7} ${MIDDLE}Z`,
  });
}
