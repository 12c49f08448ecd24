// What can be taken along: the game as text and JSON, the position as text, the board as a picture.

import { toPng, toSvgText } from "../board/picture.js";
import { formatGame, formatGameJson, formatPosition } from "../game/notation.js";
import { PLAYERS } from "../game/rules.js";
import { GameTree } from "../game/tree.js";
import { h } from "../shared/dom.js";
import { copyButton, gifButton } from "../shared/share_menu.js";
import { saveFile } from "../shared/storage.js";
import { Embedding } from "./embedding.js";

export class Saving {
  /** @param {import("../board/board.js").BoardView} board the board whose picture is saved. */
  constructor(board) {
    this.board = board;
    this.game = h("textarea", { rows: 4, readonly: true, id: "saved-game" });
    this.position = h("input.spec", { type: "text", readonly: true, id: "saved-position" });
    this.embedding = new Embedding();
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
        {},
        button("Text", () => saveFile("game.txt", `${this.game.value}\n`)),
        button("JSON", () => saveFile("game.json", `${this.json}\n`, "application/json")),
        button("SVG", () => saveFile("board.svg", toSvgText(this.board), "image/svg+xml")),
        button("PNG", async () => saveFile("board.png", await toPng(this.board))),
        gifButton(
          () => this.end,
          () => this.board.state.flipped,
        ),
        copyButton("Copy link", () => location.href),
      ),
      h(
        "p.small.quiet-text",
        {},
        "The address of this page holds the game too: share it, and others see the same.",
      ),
      this.embedding.element,
    );
  }

  /** Show the line that goes through a node of a tree, to its end. */
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
