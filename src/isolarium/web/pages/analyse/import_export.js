// A game brought from elsewhere: pasted, or from a file, in any of the notations the server reads.

import { readPasted } from "../game/pasting.js";
import { post } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";

// Both give the win away more than once.
const EXAMPLE = "7x7: e2 f5 d4 e3 f3 c4 e5 d6 d3 e4 c5 c3 e6 d5 c7 b4 b5 c6 a3 a5 c2 b3 a1 c1";

export class Loading {
  /** @param {(game: object) => void} onLoad called with the server's answer to POST /api/read. */
  constructor(onLoad) {
    this.onLoad = onLoad;
    this.text = h("textarea", {
      rows: 5,
      id: "game-text",
      spellcheck: "false",
      placeholder: "7x7: d4 b3 e6 …",
    });
    this.board = h("input", {
      type: "text",
      value: "",
      placeholder: "7x7",
      "aria-label": "Board of a game that names none",
      size: 5,
    });
    this.file = h("input", {
      type: "file",
      "aria-label": "A file with a game",
      accept: ".txt,.json,text/plain,application/json",
      onchange: () => this.#readFile(),
    });
    this.problem = h("p.error", { role: "alert" });
    this.element = h(
      "form.stack",
      { onsubmit: (event) => this.#submit(event) },
      h("label", { for: "game-text" }, "A game: moves, one of our addresses, JSON, or the course's list of [row, col]"),
      this.text,
      h("div.row", {}, this.file),
      h("label.inline.small", {}, "Board, where the game names none:", h("span.narrow-field", {}, this.board)),
      this.problem,
      h(
        "div.row",
        {},
        h("button.main", { type: "submit" }, "Load"),
        h("button", { type: "button", onclick: () => this.example() }, "Try an example"),
      ),
    );
  }

  #submit(event) {
    event.preventDefault();
    this.load(this.text.value);
  }

  async #readFile() {
    if (!this.file.files.length) return;
    this.text.value = (await this.file.files[0].text()).slice(0, 60_000);
    this.load(this.text.value);
  }

  /** Load a game that has something to see. */
  example() {
    this.text.value = EXAMPLE;
    this.load(EXAMPLE);
  }

  async load(text) {
    fill(this.problem);
    try {
      const board = this.board.value.trim();
      const game = readPasted(text, board);
      this.onLoad(await post("/api/read", board && game.startsWith("[") ? { text: game, board } : { text: game }));
    } catch (error) {
      fill(this.problem, error.message);
    }
  }
}
