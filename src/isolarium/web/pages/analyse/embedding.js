// A game for somebody's own page: the frame to paste there, where the operator lets boards be shown elsewhere.

import { writeAddress } from "../shared/address.js";
import { get } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { copyButton } from "../shared/share_menu.js";

export class Embedding {
  constructor() {
    this.text = h("textarea", { rows: 3, readonly: true, id: "embedded-game" });
    this.element = h(
      "div.stack",
      { hidden: true },
      h("label", { for: "embedded-game" }, "For a page of your own"),
      this.text,
      h(
        "div.row",
        {},
        copyButton("Copy frame", () => this.text.value),
      ),
    );
    this.#look();
  }

  async #look() {
    const { embeds } = await get("/api/agents").catch(() => ({ embeds: false }));
    this.element.hidden = !embeds;
  }

  /** @param {string} game the game as one line of text. */
  show(game) {
    const address = `${location.origin}/embed${writeAddress({ game })}`.replaceAll("&", "&amp;");
    this.text.value = `<iframe src="${address}" width="420" height="470" title="Knight Isolation"></iframe>`;
  }
}
