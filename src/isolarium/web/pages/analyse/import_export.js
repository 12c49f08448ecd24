// Games in and out of Analyse: pasted or loaded from a file; downloaded as text, JSON or pictures, or embedded in
// another page.

import { formatGame, formatGameJson, formatPosition } from "../game/notation.js";
import { PLAYERS } from "../game/rules.js";
import { GameTree } from "../game/tree.js";
import { addressOf, writeAddress } from "../shared/address.js";
import { agentCatalogue } from "../shared/api.js";
import { copyButton, gifButton, savePng } from "../shared/controls.js";
import { fill, h } from "../shared/dom.js";
import { saveFile } from "../shared/storage.js";
import { readPasted, readRecord } from "./game_text.js";

// Both players give the win away more than once.
const EXAMPLE = "7x7: e2 f5 d4 e3 f3 c4 e5 d6 d3 e4 c5 c3 e6 d5 c7 b4 b5 c6 a3 a5 c2 b3 a1 c1";

export class GameImport {
  /** @param {(game: object, seeks?: boolean) => void} onLoad called with the start and the moves, and whether to show the first mistake. */
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
      "aria-label": "Board, if the game does not name one",
      size: 5,
    });
    this.file = h("input", {
      type: "file",
      "aria-label": "Game file",
      accept: ".txt,.json,text/plain,application/json",
      onchange: () => this.#readFile(),
    });
    this.problem = h("p.error", { role: "alert" });
    this.element = h(
      "form.stack",
      { onsubmit: (event) => this.#submit(event) },
      h("label", { for: "game-text" }, "A game: moves, an Isolarium address, JSON, or the course's list of [row, col]"),
      this.text,
      h("div.row", {}, this.file),
      h("label.inline.small", {}, "Board, if the game does not name one:", h("span.narrow-field", {}, this.board)),
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

  /** Load a game with instructive mistakes. */
  example() {
    this.text.value = EXAMPLE;
    this.load(EXAMPLE, true);
  }

  load(text, seeks = false) {
    fill(this.problem);
    try {
      const board = this.board.value.trim();
      this.onLoad(readRecord(readPasted(text, board), board), seeks);
    } catch (error) {
      fill(this.problem, error.message);
    }
  }
}

// The game as text and JSON, the position as text, the board as a picture.

export class GameExport {
  /** @param {import("../board/board.js").BoardView} board the board to draw. */
  constructor(board) {
    this.board = board;
    this.game = h("textarea", { rows: 4, readonly: true, id: "saved-game" });
    this.position = h("input.spec", { type: "text", readonly: true, id: "saved-position" });
    this.embedding = new EmbedFrame();
    const button = (text, action) => h("button", { type: "button", onclick: action }, text);
    this.element = h(
      "div.stack",
      {},
      h("label", { for: "saved-game" }, "The line on the board"),
      this.game,
      h("label", { for: "saved-position" }, "The position"),
      this.position,
      h(
        "div.row",
        { role: "group", "aria-label": "Download" },
        h("span.small", { "aria-hidden": "true" }, "Download"),
        button("Text", () => saveFile("game.txt", `${this.game.value}\n`)),
        button("JSON", () => saveFile("game.json", `${this.json}\n`, "application/json")),
        button("SVG", () => this.#saveSvg()),
        button("PNG", () => savePng(this.board)),
        gifButton(
          "GIF",
          () => this.end,
          () => this.board.state.flipped,
        ),
      ),
      h("div.row", {}, copyButton("Copy link", () => location.href)),
      h(
        "p.small.quiet-text",
        {},
        "The address of this page holds the game too: share it to show others the same view.",
      ),
      this.embedding.element,
    );
  }

  async #saveSvg() {
    const { toSvgText } = await import("../board/picture.js");
    saveFile("board.svg", toSvgText(this.board), "image/svg+xml");
  }

  /** Show the line through the current node, to its end. */
  show(tree) {
    let end = tree.current;
    while (end.children.length) end = end.children[0];
    this.end = end;
    const moves = GameTree.movesTo(end);
    const winner = end.position.winner();
    const outcome = winner === null ? null : { winner: PLAYERS[winner], reason: "no moves" };
    this.json = formatGameJson(tree.root.position, moves, outcome);
    this.game.value = formatGame(tree.root.position, moves);
    this.position.value = formatPosition(tree.position);
    this.embedding.show(this.game.value);
  }
}

// The HTML to embed a game in another page, if the operator allows it.

class EmbedFrame {
  constructor() {
    this.text = h("textarea", { rows: 3, readonly: true, id: "embedded-game" });
    this.element = h(
      "div.stack",
      { hidden: true },
      h("label", { for: "embedded-game" }, "For your own page"),
      this.text,
      h(
        "div.row",
        {},
        copyButton("Copy embed code", () => this.text.value),
      ),
    );
    this.#showIfAllowed();
  }

  async #showIfAllowed() {
    const { embeds } = await agentCatalogue().catch(() => ({ embeds: false }));
    this.element.hidden = !embeds;
  }

  /** @param {string} game the game as one line of text. */
  show(game) {
    const address = new URL(addressOf("embed", writeAddress({ game })), location.href).href.replaceAll("&", "&amp;");
    this.text.value = `<iframe src="${address}" width="420" height="470" title="Knight Isolation"></iframe>`;
  }
}
