// A game embedded in another site: a board to step through and to solve, and a link to Analyse.

import { PositionValues } from "../analyse/game_judge.js";
import { readTree, treeTexts } from "../analyse/game_text.js";
import { marksOf } from "../analyse/move_colours.js";
import { BoardView } from "../board/board.js";
import { colourName } from "../board/messages.js";
import { NotationError, formatSquare, formatStart } from "../game/notation.js";
import { trailsTo } from "../game/tree.js";
import { addressOf, readAddress, writeAddress } from "../shared/address.js";
import { h, setText } from "../shared/dom.js";

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
    this.values = new PositionValues(
      () => this.#show(),
      (text) => setText(this.words, text),
    );
    this.isSolving = false;
    this.solve = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.#solveOrHide() }, "Who wins?");
    this.words = h("p.small", { "aria-live": "polite" });
    this.link = h("a.small", { target: "_blank", rel: "noopener" }, "Isolarium");
    this.elements = [
      this.board.element,
      h("div.steps", {}, this.back, this.play, this.forward, this.solve, this.words, this.link),
    ];
    this.#show();
  }

  #step(action) {
    this.#pause();
    action();
    this.#show();
  }

  /** Show the exact values of the moves, or hide them. */
  #solveOrHide() {
    this.isSolving = !this.isSolving;
    this.solve.setAttribute("aria-pressed", String(this.isSolving));
    this.#show();
  }

  /** The values of the position's moves, which are requested if they are wanted; null until they are known. */
  #known(position) {
    if (!this.isSolving || position.winner() !== null) return null;
    const request = { game: `${formatStart(position)}:` };
    const known = this.values.of(request);
    if (!known) this.values.ask(request);
    return known;
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
    const known = this.#known(position);
    this.board.show({
      position,
      marks: known ? marksOf(position, known, "exact") : new Map(),
      last: move,
      trails: trailsTo(tree.current),
      trapped: winner === null ? null : position.toMove,
      flipped: this.flipped,
    });
    const words = this.isSolving ? this.#solvedWords(position, known) : this.#moveWords(ply, move, position);
    setText(this.words, winner === null ? words : `${colourName(winner)} wins`);
    setText(this.play, this.#timer ? "Pause" : "Play");
    this.back.disabled = !tree.current.parent;
    this.forward.disabled = this.#isAtEnd;
    this.play.disabled = tree.mainLine().length < 2;
    this.link.href = addressOf("analyse", writeAddress(treeTexts(tree)));
  }

  #solvedWords({ toMove }, known) {
    if (!known) return "solving…";
    if (known.value === "unknown") return "not solved";
    const winner = colourName(known.value === "wins" ? toMove : 1 - toMove);
    return known.plies === null ? `${winner} wins` : `${winner} wins in ${known.plies}`;
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
