// A game embedded in another site: a board to step through, and a link to Analyse. It sends no requests to the server.

import { readTree, treeTexts } from "../analyse/game_text.js";
import { BoardView } from "../board/board.js";
import { colourName } from "../board/messages.js";
import { NotationError, formatSquare } from "../game/notation.js";
import { trailsTo } from "../game/tree.js";
import { readAddress, writeAddress } from "../shared/address.js";
import { h, setText } from "../shared/dom.js";
import { addressOf } from "../shared/places.js";

const MOVE_MS = 800;

class Embedded {
  #timer = 0;

  constructor(tree, flipped) {
    this.tree = tree;
    this.flipped = flipped;
    this.board = new BoardView({ interactive: false });
    const step = (text, name, action) =>
      h("button", { type: "button", "aria-label": name, onclick: () => this.#step(action) }, text);
    this.back = step("‹", "Previous move", () => tree.back());
    this.forward = step("›", "Next move", () => tree.forward());
    this.play = h("button", { type: "button", onclick: () => this.#playOrPause() });
    this.words = h("p.small", { "aria-live": "polite" });
    this.link = h("a.small", { target: "_blank", rel: "noopener" }, "Isolarium");
    this.elements = [
      this.board.element,
      h("div.steps", {}, this.back, this.play, this.forward, this.words, this.link),
    ];
    this.#show();
  }

  #step(action) {
    this.#pause();
    action();
    this.#show();
  }

  get #isAtEnd() {
    return !this.tree.current.children.length;
  }

  #playOrPause() {
    if (this.#timer) this.#pause();
    else {
      if (this.#isAtEnd) this.tree.toStart();
      this.#timer = setInterval(() => this.#tick(), MOVE_MS);
    }
    this.#show();
  }

  #tick() {
    this.tree.forward();
    if (this.#isAtEnd) this.#pause();
    this.#show();
  }

  #pause() {
    clearInterval(this.#timer);
    this.#timer = 0;
  }

  #show() {
    const { tree } = this;
    const { position, move, ply } = tree.current;
    const winner = position.winner();
    this.board.show({
      position,
      last: move,
      trails: trailsTo(tree.current),
      trapped: winner === null ? null : position.toMove,
      flipped: this.flipped,
    });
    setText(this.words, winner === null ? this.#moveWords(ply, move, position) : `${colourName(winner)} wins`);
    setText(this.play, this.#timer ? "Pause" : "Play");
    this.back.disabled = !tree.current.parent;
    this.forward.disabled = this.#isAtEnd;
    this.play.disabled = tree.mainLine().length < 2;
    this.link.href = addressOf("analyse", writeAddress(treeTexts(tree)));
  }

  #moveWords(ply, move, position) {
    const all = this.tree.mainLine().length - 1;
    return ply ? `${ply}/${all} ${formatSquare(move, position.cols)}` : `${all} moves`;
  }
}

function elements() {
  const texts = readAddress(location.search);
  try {
    return new Embedded(readTree(texts), texts.flip === "1").elements;
  } catch (error) {
    if (!(error instanceof NotationError)) throw error;
    return [h("p.error", { role: "alert" }, `The address does not contain a valid game: ${error.message}`)];
  }
}

const main = document.getElementById("main");
main.classList.add("embedded");
main.append(...elements());
