// The side of a page with the board and the two players above it, and the toggle for move numbers.

import { pieceIcon } from "../board/shapes.js";
import { breakable, fill, h } from "./dom.js";
import { soundMoves } from "./sound.js";
import { recall, remember } from "./storage.js";

/**
 * A section with a board.
 * @param {import("../board/board.js").BoardView} board
 * @param {Element[]} above
 * @param {Element[]} below
 */
export function boardSide(board, above = [], below = []) {
  const side = h("section.board-side", { "aria-label": "Board" }, above, board.element, below);
  soundMoves(board);
  board.addEventListener("shape", ({ detail }) => side.style.setProperty("--ratio", String(detail)));
  return side;
}

// The two players: shape, name, number of legal moves, and whose turn it is.

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
   * @param {object} position the current position.
   * @param {boolean} over whether the game has ended.
   * @param {string[]} specs the players' specs, shown as tooltips.
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
      count.title = placed ? `${moves} legal ${moves === 1 ? "move" : "moves"}` : "not placed";
      half.classList.toggle("turn", !over && position.toMove === player);
    });
  }
}

// The toggle for move numbers; the browser remembers it.

/** @param {import("../board/board.js").BoardView} board */
export function numbersToggle(board) {
  board.numbers = recall("numbers") === "yes";
  const box = h("input", { type: "checkbox", checked: board.numbers });
  box.addEventListener("change", () => {
    remember("numbers", box.checked ? "yes" : null);
    board.numbers = box.checked;
    board.redraw();
  });
  return h("label.inline.small", {}, box, "show move numbers");
}

// A move that is planned while the other player thinks.

/** The marks of a board with a planned move; none if `square` is null. */
export function premoveMarks(square, player) {
  if (square === null) return new Map();
  return new Map([[square, { tone: SIDE[player], strength: 1, text: "…", words: "your next move, if it is legal then" }]]);
}
