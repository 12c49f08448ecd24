// What can be done once a game has ended: play again, on the other side too, or look at what went wrong.

import { PLAYERS } from "../game/rules.js";
import { FIRST_MISTAKE, writeAddress } from "../shared/address.js";
import { h } from "../shared/dom.js";

export class Ending {
  /** @param {(swapped: boolean) => void} onRematch called to play again, with the seats changed or not. */
  constructor(onRematch) {
    const button = (text, swapped) =>
      h("button", { type: "button", onclick: () => onRematch(swapped) }, text);
    this.review = h("a.button", { href: "/learn", title: "key m" }, "Review my mistakes");
    this.analyse = h("a.button", { href: "/analyse" }, "Analyse this game");
    this.rematch = button("Rematch", false);
    this.rematch.classList.add("main");
    this.element = h("div.row", {}, this.rematch, button("Swap and rematch", true), this.review, this.analyse);
  }

  show({ outcome, persons, text }) {
    this.element.hidden = !outcome;
    this.review.hidden = persons.length !== 1;
    const player = PLAYERS[persons[0]];
    this.review.href = `/learn${writeAddress({ sheet: "mistakes", game: text, player })}`;
    this.analyse.href = `/analyse${writeAddress({ game: text, at: FIRST_MISTAKE })}`;
  }
}
