// How well each player kept what was won.

import { pieceIcon } from "../board/drawing.js";
import { colourName } from "../board/words.js";
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
   * @param {string} words what to say below.
   * @param {(ply: number) => string} nameOf what the move of a ply is called.
   */
  show(summary, words = "", nameOf = String) {
    fill(
      this.body,
      [0, 1].map((player) => this.#row(player, summary?.players[player], nameOf)),
    );
    fill(this.line, words);
  }

  #row(player, judged, nameOf) {
    const figure = (text) => h("td.figure", {}, text);
    const share = judged?.accuracy;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, pieceIcon(player), " ", colourName(player)),
      figure(share === null || share === undefined ? "–" : `${Math.round(share * 100)}%`),
      figure(judged?.chances ? `${judged.kept} of ${judged.chances}` : "–"),
      figure(judged?.first_mistake ? nameOf(judged.first_mistake) : judged ? "none" : "–"),
    );
  }
}
