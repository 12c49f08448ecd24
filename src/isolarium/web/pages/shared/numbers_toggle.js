// The choice whether the ways on a board carry move numbers, which this browser remembers.

import { h } from "./dom.js";
import { recall, remember } from "./storage.js";

/** @param {import("../board/board.js").BoardView} board */
export function numbersToggle(board) {
  board.numbers = recall("numbers") === "yes";
  const box = h("input", { type: "checkbox", checked: board.numbers });
  box.addEventListener("change", () => {
    remember("numbers", box.checked ? "yes" : null);
    board.numbers = box.checked;
    board.redraw();
  });
  return h("label.inline.small", {}, box, "number the moves on the board");
}
