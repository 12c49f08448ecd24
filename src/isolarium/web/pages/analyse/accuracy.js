// How well each player kept what was won.

import { colourName } from "../board/messages.js";
import { pieceIcon } from "../board/shapes.js";
import { fill, h } from "../shared/dom.js";

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
            h("th.figure", { scope: "col" }, "Wins kept"),
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
   * @param {object|null} summary the server's summary of a game, or null while it is not known.
   * @param {{words?: string, isWhole?: boolean, nameOf?: (ply: number) => string}} more what to say below, whether
   *   all of the game is solved, and what the move of a ply is called.
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
