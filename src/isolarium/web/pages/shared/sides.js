// The sides of a board, typed into two boxes. What is wrong is said in the words of the box.

import { NotationError } from "../game/notation.js";
import { MAX_SIDE, MIN_SIDE } from "../game/rules.js";
import { h } from "./dom.js";

export class Sides {
  /**
   * @param {number} rows what the boxes say at first.
   * @param {number} cols
   */
  constructor(rows = 7, cols = 7) {
    const side = (name, value) =>
      h("input", { type: "number", min: MIN_SIDE, max: MAX_SIDE, value, required: true, "aria-label": name });
    this.boxes = [side("Rows", rows), side("Columns", cols)];
    this.element = h("div.sides", {}, this.boxes[0], h("span", { "aria-hidden": "true" }, "×"), this.boxes[1]);
  }

  /** Say others. */
  show(rows, cols) {
    this.boxes[0].value = rows;
    this.boxes[1].value = cols;
  }

  /** What they say as the name of a board, such as 7x7, whether there is one of that name or not. */
  get name() {
    return this.boxes.map(({ value }) => value).join("x");
  }

  /** What they say, rows first; a NotationError where that is no board. */
  read() {
    const wrong = this.boxes.find(({ validity }) => !validity.valid);
    if (wrong)
      throw new NotationError(`${wrong.ariaLabel}: expected a whole number from ${MIN_SIDE} to ${MAX_SIDE}.`);
    return this.boxes.map(({ value }) => Number(value));
  }
}
