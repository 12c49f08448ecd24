// Where each agent went: one board for each, all on one scale.

import { BoardView } from "../board/board.js";
import { formatSquare, parseBoard } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { breakable, fill, h, setText } from "../shared/dom.js";
import { counted } from "./figures.js";

export class HeatMaps {
  #boards = [];
  #counts = []; // how many games each board is of

  constructor() {
    this.maps = h("div.maps");
    this.scale = h("p.small.quiet-text");
    this.most = h("span");
    const legend = h("div.scale.quiet-text", {}, "0", h("i"), this.most);
    this.element = h("div.stack", {}, this.scale, legend, this.maps);
  }

  show(run) {
    const position = Position.empty(...parseBoard(run.board));
    const most = Math.max(0.01, ...run.heat.flatMap(({ share }) => share));
    const games = run.heat.some((one) => one.games > 0);
    fill(
      this.scale,
      games
        ? `The number in a square: in how many of 100 games the agent went there. All boards share one scale.`
        : "No game is finished yet.",
    );
    fill(this.most, (most * 100).toFixed(0));
    if (this.#boards.length !== run.heat.length) this.#build(run);
    run.heat.forEach((heat, at) => {
      this.#boards[at].show(heatState(position, heat, most, run.players[heat.player]));
      setText(this.#counts[at], ` ${counted(heat.games, "game")}`);
    });
  }

  #build(run) {
    this.#boards = run.heat.map(() => new BoardView({ interactive: false }));
    this.#counts = run.heat.map(() => h("span.small.quiet-text"));
    fill(
      this.maps,
      run.heat.map((heat, at) =>
        h(
          "figure",
          {},
          this.#boards[at].element,
          h(
            "figcaption",
            {},
            h("span.spec-text", {}, breakable(run.players[heat.player])),
            this.#counts[at],
          ),
        ),
      ),
    );
  }
}

function heatState(position, { share }, most, label) {
  const marks = new Map(
    share.map((part, square) => [
      square,
      {
        tone: "warm",
        strength: part / most,
        text: String(Math.round(part * 100)),
        words: `${Math.round(part * 100)}%`,
      },
    ]),
  );
  const top = share.indexOf(Math.max(...share));
  return { position, marks, label: `${label} went most often to ${formatSquare(top, position.cols)}` };
}
