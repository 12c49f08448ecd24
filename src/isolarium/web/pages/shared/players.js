// The two players above a board: shape, name, how many moves each has, and whose turn it is.

import { pieceIcon } from "../board/shapes.js";
import { breakable, fill, h } from "./dom.js";

const SIDE = ["first", "second"];

export class PlayerStrip {
  constructor() {
    this.halves = SIDE.map((side, player) => {
      const who = h("span.who");
      const count = h("span.count");
      return { who, count, half: h(`div.player.${side}`, {}, pieceIcon(player), who, count) };
    });
    this.element = h(
      "div.players",
      {},
      this.halves.map(({ half }) => half),
    );
  }

  /**
   * @param {string[]} names of the first and the second player.
   * @param {object} position the position of the moment.
   * @param {boolean} over whether the game has ended.
   * @param {string[]} specs what is behind the names.
   */
  show(names, position, over, specs = names) {
    this.halves.forEach(({ half, who, count }, player) => {
      const [name, spec] = [names[player], specs[player]];
      if (who.textContent !== name) fill(who, breakable(name));
      who.title = spec;
      who.classList.toggle("spec-text", name === spec && name.length > 10);
      const placed = position.squares[player] !== null;
      const moves = position.movesOf(player).length;
      const words = placed
        ? [String(moves), h("span.wide", {}, moves === 1 ? " move" : " moves")]
        : [h("span.wide", {}, "not placed")];
      fill(count, words);
      count.title = placed ? `${moves} squares to go to` : "not placed";
      half.classList.toggle("turn", !over && position.toMove === player);
    });
  }
}
