// What can be done once a game has ended: play again, on the other side too, or look at what went wrong.

import { FIRST_MISTAKE, writeAddress } from "../game/address.js";
import { h, setText } from "../shared/dom.js";

export class Ending {
  /** @param {(swapped: boolean) => void} onRematch called to play again, with the seats changed or not. */
  constructor(onRematch) {
    const button = (text, swapped) =>
      h("button", { type: "button", onclick: () => onRematch(swapped) }, text);
    this.review = h("a.button", { href: "/analyse" });
    this.rematch = button("Rematch", false);
    this.rematch.classList.add("main");
    this.element = h("div.row", {}, this.rematch, button("Swap and rematch", true), this.review);
  }

  show({ outcome, persons, text }) {
    this.element.hidden = !outcome;
    this.review.href = `/analyse${writeAddress({ game: text, at: FIRST_MISTAKE })}`;
    setText(this.review, persons.length === 1 ? "Review my mistakes" : "Analyse this game");
  }
}
