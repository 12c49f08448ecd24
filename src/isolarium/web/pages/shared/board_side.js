// The side of a page where the board is: what stands above and below the board is as wide as it.

import { h } from "./dom.js";

/**
 * A section with a board.
 * @param {import("../board/board.js").BoardView} board
 * @param {Element[]} above
 * @param {Element[]} below
 */
export function boardSide(board, above = [], below = []) {
  const side = h("section.board-side", { "aria-label": "Board" }, above, board.element, below);
  board.addEventListener("shape", ({ detail }) => side.style.setProperty("--ratio", String(detail)));
  return side;
}
