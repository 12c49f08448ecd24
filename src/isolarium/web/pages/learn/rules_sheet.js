// The rules on one screen, with a board to try them.

import { colourName, refusal } from "../board/messages.js";
import { NotationError, formatGame, parseGame } from "../game/notation.js";
import { Position } from "../game/rules.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";
import { addressOf } from "../shared/places.js";
import { rulesList } from "../shared/rules_card.js";

const SIDES = [5, 5];

export class RulesSheet {
  /**
   * @param {() => void} draw
   * @param {(words: string) => void} refuse shows why a move is illegal.
   * @param {string|null} game the moves tried before, as text.
   */
  constructor(draw, refuse, game) {
    this.draw = draw;
    this.refuse = refuse;
    this.tree = readTree(game);
    this.turn = h("p.whose-turn", { "aria-live": "polite" });
    this.play = h("span");
    this.element = h(
      "div.prose",
      {},
      rulesList(),
      this.turn,
      h(
        "div.row",
        {},
        h("button", { type: "button", onclick: () => this.again() }, "Start again"),
        h("button", { type: "button", onclick: () => this.takeBack() }, "Take back"),
        this.play,
      ),
    );
  }

  /** The moves tried, as text; null before the first move. */
  get game() {
    const moves = GameTree.movesTo(this.tree.current);
    return moves.length ? formatGame(this.tree.root.position, moves) : null;
  }

  get position() {
    return this.tree.position;
  }

  choose(square) {
    if (this.position.isLegal(square)) {
      this.tree.play(square);
      this.draw();
    } else if (this.position.winner() === null) {
      this.refuse(refusal(this.position, square));
    }
  }

  takeBack() {
    this.tree.takeBack();
    this.draw();
  }

  again() {
    this.tree = new GameTree(Position.empty(...SIDES));
    this.draw();
  }

  show() {
    const { position } = this;
    const winner = position.winner();
    const turn =
      winner === null
        ? this.#turnText()
        : `${colourName(1 - winner)} has no move left: ${colourName(winner)} wins.`;
    setText(this.turn, turn);
    const begun = this.tree.current.parent && playFrom(position);
    fill(this.play, begun || h("a.button", { href: addressOf("play") }, "Play an agent"));
    return {
      position,
      last: this.tree.current.move,
      trails: trailsTo(this.tree.current),
      dots: !position.placing,
    };
  }

  #turnText() {
    const { position } = this;
    if (position.placing) return `Try it: place ${colourName(position.toMove)}.`;
    const moves = position.legalMoves().length;
    return `${colourName(position.toMove)} has ${moves} ${moves === 1 ? "move, marked with a dot" : "moves, marked with dots"}.`;
  }
}

/** Read a game from a text; a new game if the text is invalid. */
function readTree(text) {
  try {
    const { start, moves } = parseGame(text ?? "");
    return new GameTree(start, moves);
  } catch (error) {
    if (!(error instanceof NotationError)) throw error;
    return new GameTree(Position.empty(...SIDES));
  }
}
