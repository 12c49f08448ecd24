// What stands beside a board: the two players, the toggle for move numbers, overlays that explain the position, the list of
// moves, and sound.

import { OVERLAYS } from "../board/overlays.js";
import { pieceIcon } from "../board/shapes.js";
import { formatSquare } from "../game/notation.js";
import { breakable, fill, h, setText } from "./dom.js";
import { recall, remember } from "./storage.js";

/**
 * A section with a board.
 * @param {import("../board/board.js").BoardView} board
 * @param {Element[]} above
 * @param {Element[]} below
 */
export function boardSide(board, above = [], below = []) {
  const side = h("section.board-side", { "aria-label": "Board" }, above, board.element, below);
  soundMoves(board);
  board.addEventListener("shape", ({ detail }) => side.style.setProperty("--ratio", String(detail)));
  return side;
}

// The two players: shape, name, number of legal moves, and whose turn it is.

const SIDE = ["first", "second"];

export class PlayerStrip {
  constructor() {
    this.halves = SIDE.map((side, player) => {
      const who = h("span.who");
      const count = h("span.count");
      return { who, count, half: h(`div.player.${side}`, {}, pieceIcon(player), who, count) };
    });
    this.element = h(
      "div.players",
      {},
      this.halves.map(({ half }) => half),
    );
  }

  /**
   * @param {string[]} names of the first and the second player.
   * @param {object} position the current position.
   * @param {boolean} over whether the game has ended.
   * @param {string[]} specs the players' specs, shown as tooltips.
   */
  show(names, position, over, specs = names) {
    this.halves.forEach(({ half, who, count }, player) => {
      const [name, spec] = [names[player], specs[player]];
      if (who.textContent !== name) fill(who, breakable(name));
      who.title = spec;
      who.classList.toggle("spec-text", name === spec && name.length > 10);
      const placed = position.squares[player] !== null;
      const moves = position.movesOf(player).length;
      const words = placed
        ? [String(moves), h("span.wide", {}, moves === 1 ? " move" : " moves")]
        : [h("span.wide", {}, "not placed")];
      fill(count, words);
      count.title = placed ? `${moves} legal ${moves === 1 ? "move" : "moves"}` : "not placed";
      half.classList.toggle("turn", !over && position.toMove === player);
    });
  }
}

// The toggle for move numbers; the browser remembers it.

/** @param {import("../board/board.js").BoardView} board */
export function numbersToggle(board) {
  board.numbers = recall("numbers") === "yes";
  const box = h("input", { type: "checkbox", checked: board.numbers });
  box.addEventListener("change", () => {
    remember("numbers", box.checked ? "yes" : null);
    board.numbers = box.checked;
    board.redraw();
  });
  return h("label.inline.small", {}, box, "show move numbers");
}

// A move that is planned while the other player thinks.

/** The marks of a board with a planned move; none if `square` is null. */
export function premoveMarks(square, player) {
  if (square === null) return new Map();
  return new Map([[square, { tone: SIDE[player], strength: 1, text: "…", words: "your next move, if it is legal then" }]]);
}

// The choice of an overlay that explains the position, with its legend; the browser remembers it.

const NOTHING = "nothing";

export class Explainer {
  /** @param {import("../board/board.js").BoardView} board */
  constructor(board) {
    this.board = board;
    const options = [[NOTHING, "nothing"], ...Object.entries(OVERLAYS).map(([name, { title }]) => [name, title])];
    this.choice = h(
      "select",
      { "aria-label": "Show on the board", title: "key w", onchange: () => this.#choose(this.choice.value) },
      options.map(([value, title]) => h("option", { value }, title)),
    );
    this.legend = h("p.small.quiet-text", { "aria-live": "polite" });
    this.element = h("div.stack.see-why", {}, h("label.inline.small", {}, "Show", this.choice), this.legend);
    board.addEventListener("shown", ({ detail }) => this.#say(detail));
    this.restore();
  }

  get chosen() {
    return OVERLAYS[this.choice.value] ?? null;
  }

  /** Show the remembered overlay. */
  restore() {
    const name = recall("overlay");
    this.show(name in OVERLAYS ? name : NOTHING);
  }

  /** Show an overlay without remembering it. */
  show(name) {
    this.choice.value = name;
    const { chosen } = this;
    this.board.overlay = (position) => chosen?.marks(position) ?? new Map();
    this.board.redraw();
  }

  /** Show the next overlay. */
  next() {
    this.choice.selectedIndex = (this.choice.selectedIndex + 1) % this.choice.options.length;
    this.#choose(this.choice.value);
  }

  #choose(name) {
    remember("overlay", name === NOTHING ? null : name);
    this.show(name);
  }

  #say(position) {
    setText(this.legend, this.chosen?.legend(position) ?? "");
  }
}

// The moves of a game as a list to read and step through, with variations set apart.

export class MoveList {
  /** @param {((node: object) => void)|null} onChoose called with the chosen node; null makes the list read-only. */
  constructor(onChoose = null) {
    this.onChoose = onChoose;
    this.element = h("div.moves", { role: "group", "aria-label": "Moves", tabindex: "0" });
  }

  /**
   * @param {import("../game/tree.js").GameTree} tree
   * @param {(node: object) => {sign: string, words: string, tone: string}|null} mark the symbol beside a move.
   */
  show(tree, mark = () => null) {
    this.tree = tree;
    this.mark = mark;
    const line = tree.mainLine().slice(1);
    if (!line.length) {
      fill(this.element, h("p.nothing", {}, "No moves yet."));
      return;
    }
    const offset = tree.root.position.toMove; // the second player may begin
    const cells = [];
    line.forEach((node, at) => cells.push(...this.#cell(node, at, offset)));
    fill(this.element, cells);
    this.#reveal();
  }

  #cell(node, at, offset) {
    const turn = at + offset;
    const cells = [];
    if (turn % 2 === 0 || at === 0) cells.push(h("span.no", {}, String(this.tree.numberOf(node))));
    if (at === 0 && offset) cells.push(h("span"));
    cells.push(this.#move(node));
    const others = node.parent.children.slice(1);
    if (others.length && turn % 2 === 0) cells.push(h("span"));
    for (const other of others) cells.push(h("div.side", {}, this.#variation(other)));
    if (others.length && turn % 2 === 0 && node.children.length) cells.push(h("span.no"), h("span"));
    return cells;
  }

  /** A variation's moves in one line, nested variations in brackets. */
  #variation(node) {
    const buttons = [];
    for (let at = node; at; at = at.children[0]) {
      buttons.push(this.#move(at));
      const inner = at === node ? [] : at.parent.children.slice(1);
      for (const other of inner) buttons.push("(", ...this.#variation(other), ")");
    }
    return buttons;
  }

  #move(node) {
    const name = formatSquare(node.move, node.position.cols);
    const isCurrent = node === this.tree.current ? "true" : null;
    if (!this.onChoose) return h("span.move", { "aria-current": isCurrent }, name);
    const mark = this.mark(node);
    return h(
      "button.move",
      {
        type: "button",
        "aria-current": isCurrent,
        "aria-label": mark ? `${name}. ${mark.words}` : null,
        title: mark?.words,
        onclick: () => this.onChoose(node),
      },
      name,
      mark && h(`span.glyph.${mark.tone}`, { "aria-hidden": "true" }, mark.sign),
    );
  }

  /** Scroll the list, and nothing else, to the current move. */
  #reveal() {
    const { element } = this;
    const current = element.querySelector("[aria-current]");
    if (!current) return void (element.scrollTop = 0);
    const top = current.offsetTop - element.offsetTop;
    if (top < element.scrollTop) element.scrollTop = top;
    const bottom = top + current.offsetHeight - element.clientHeight;
    if (bottom > element.scrollTop) element.scrollTop = bottom + 8;
  }
}

// Sound: a short click when a knight moves, and two notes at the end of a game. Off until the visitor turns it on.

const NAME = "sound";
const MOVE = [{ hertz: 330, at: 0, seconds: 0.07 }];
const END = [
  { hertz: 392, at: 0, seconds: 0.14 },
  { hertz: 262, at: 0.15, seconds: 0.25 },
];
const LOUDNESS = 0.12;

let context = null;

export const isSoundOn = () => recall(NAME) === "on";

/** Turn sound on or off; a note confirms that it is on. */
export function turnSound(on) {
  remember(NAME, on ? "on" : null);
  if (on) play(MOVE);
}

function play(notes) {
  context ??= new AudioContext();
  for (const { hertz, at, seconds } of notes) {
    const start = context.currentTime + at;
    const tone = new OscillatorNode(context, { frequency: hertz, type: "triangle" });
    const volume = new GainNode(context, { gain: LOUDNESS });
    volume.gain.setValueAtTime(LOUDNESS, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + seconds);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + seconds);
  }
}

/** Let the moves on a board be heard: whenever it shows one move more than before. */
function soundMoves(board) {
  let blanks = null;
  board.addEventListener("shown", ({ detail: position }) => {
    const before = blanks;
    blanks = position.blankCount;
    if (before === null || blanks !== before - 1 || !isSoundOn()) return;
    play(position.winner() === null ? MOVE : END);
  });
}
