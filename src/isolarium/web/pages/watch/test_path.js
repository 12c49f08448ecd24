// The way of a sequential test between its bounds.

import { fill, h, svg } from "../shared/dom.js";
import { counted } from "./figures.js";

const VERDICTS = {
  running: "not decided yet",
  "accepts H0": "decided against it",
  "accepts H1": "decided for it",
};

export class TestPath {
  constructor() {
    this.words = h("p");
    this.svg = svg("svg.chart.tall", { role: "img" });
    this.element = h(
      "section.card",
      { hidden: true },
      h("h2", {}, "The sequential test"),
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
