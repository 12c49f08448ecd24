// How sure the verdict on the position is: proven, or what a search thinks, with its line and the way to end it.

import { colourName } from "../board/messages.js";
import { formatSquare } from "../game/notation.js";
import { formatPlies, opinion } from "../game/values.js";
import { fill, h, setText } from "../shared/dom.js";
import { MOST_MS, SEARCH } from "./engine.js";

const count = new Intl.NumberFormat("en");
const SHOWN = 10; // moves of its line

export class EngineCard {
  /**
   * @param {(squares: number[]) => void} onLine called with the moves of its line up to the one that was chosen.
   * @param {() => void} onSwitch called when it is to give up or to go on.
   */
  constructor(onLine, onSwitch) {
    this.onLine = onLine;
    this.proven = h("span.sure.proven", { hidden: true }, "■ proven");
    this.bySearch = h("span.sure.by-search", { hidden: true }, "◌ by search");
    this.words = h("span");
    this.effort = h("p.small.quiet-text");
    this.scales = h("p.small.quiet-text");
    this.moves = h("div.engine-line", { role: "group", "aria-label": "The engine's line" });
    this.button = h("button", { type: "button", onclick: onSwitch });
    this.rest = h("div.engine-rest", {}, this.effort, this.button);
    this.element = h("div.engine", {}, h("p", {}, this.proven, this.bySearch, " ", this.words), this.moves, this.rest, this.scales);
  }

  /**
   * @param {object} position
   * @param {{isProven: boolean, isAsked: boolean, isLooking: boolean, isOn: boolean, opinion: object|null, pv: number[],
   *   marker: string}} state whether who wins is proven, the engine is asked about the position, is at it, and may be;
   *   what it thinks; and whose values the squares show, if anybody's.
   */
  show(position, { isProven, isAsked, isLooking, isOn, opinion: found, pv, marker }) {
    this.element.hidden = !isProven && !isAsked;
    this.proven.hidden = !isProven;
    this.bySearch.hidden = isProven || !isAsked;
    for (const element of [this.moves, this.rest]) element.hidden = isProven || !isAsked;
    setText(this.words, isProven || !isAsked ? "" : this.#opinion(position, found, isOn));
    setText(this.scales, marker && !isProven && isAsked ? twoScales(marker) : "");
    setText(this.effort, found ? effort(found, isLooking) : "");
    setText(this.button, isLooking ? "Stop searching" : "Search again");
    this.#showLine(position, isProven ? [] : pv);
  }

  #opinion(position, found, isOn) {
    if (found) return `${colourName(position.toMove)} ${opinion(found.score)}`;
    return isOn ? "The engine looks ahead…" : "The engine was given up.";
  }

  #showLine(position, pv) {
    const shown = pv.slice(0, SHOWN).map((square) => formatSquare(square, position.cols));
    if (shown.join() === this.shown) return; // nobody's focus is taken away
    this.shown = shown.join();
    fill(
      this.moves,
      shown.map((name, at) =>
        h("button.move", { type: "button", onclick: () => this.onLine(pv.slice(0, at + 1)) }, name),
      ),
    );
  }
}

const twoScales = (marker) =>
  `Two scales: the numbers on the squares are what ${marker} says after each move, the engine's is what ${SEARCH} finds.`;

function effort({ depth, nodes, ms }, isLooking) {
  const done = `${formatPlies(depth)} deep, ${count.format(nodes)} positions, ${(ms / 1000).toFixed(1)} s`;
  return isLooking ? `${done} of ${MOST_MS / 1000}` : done;
}
