// The board: draws a state and reports the chosen square. It does not use the server.
//
// A state is an object; only `position` is required:
//   position  the position to draw
//   last      the square of the last move, which gets a ring
//   trails    each player's path: two lists of {square, ply}
//   dots      whether to mark the legal moves with dots
//   fixed     whether the knight of the player to move cannot be dragged
//   marks     a Map from squares to {tone, strength, text, small, words}: a tone of "first", "second", "warm" or "none"
//             with a strength from 0 to 1, one or two short texts, a description, and `estimate` if it is not proven
//   arrows    a list of {from, to, player, strength, bySearch}
//   stars     squares to mark with a star
//   trapped   the player that lost for lack of a move: its knight is framed, and the squares it needed are crossed out
//   flipped   whether the board is rotated by 180 degrees
//   label     the accessible name
//
// `overlay` is a function from a position to additional marks: a Map like `marks`, with texts drawn small and colours
// that take precedence.
//
// Events: "shown" with the position after drawing, "choose" with the square, and "shape" with the drawing's width divided
// by its height when that changes; each as `detail`.

import { LETTERS, formatSquare } from "../game/notation.js";
import { h, setText, svg } from "../shared/dom.js";
import { describeSquare } from "./messages.js";
import {
  CELL,
  centre,
  drawArrow,
  drawCorner,
  drawCross,
  drawDot,
  drawMark,
  drawPiece,
  drawRing,
  drawStar,
  drawTrail,
  drawTrapped,
  frameOf,
} from "./shapes.js";

const ARROW_KEYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

const middleOf = ({ rows, cols }) => Math.floor(rows / 2) * cols + Math.floor(cols / 2);

export class BoardView extends EventTarget {
  #cells = [];
  #pieces = [];
  #focused = 0;
  #layers = {};
  #focusRing = null;
  #shape = "";
  #entered = null; // the knight that the keyboard last started on
  #drag = new KnightDrag({
    svg: () => this.svg,
    piece: (square) => {
      const { position, fixed } = this.state;
      return !fixed && square === position.mover && position.legalMoves().length ? this.#pieces[position.toMove] : null;
    },
    at: (square) => this.#at(square),
    drop: (square) => this.#emit("choose", square),
  });

  /** @param {{interactive?: boolean}} options whether squares can be chosen; otherwise the board is a picture. */
  constructor({ interactive = true } = {}) {
    super();
    this.interactive = interactive;
    this.numbers = false; // whether the trails carry move numbers
    this.overlay = () => new Map();
    this.state = null;
    this.svg = svg("svg.board", { role: interactive ? "grid" : "img" });
    this.spoken = h("div.unseen", { "aria-live": "polite" });
    this.element = h(
      `div.board-frame${interactive ? "" : ".picture"}`,
      {},
      this.svg,
      interactive ? this.spoken : null,
    );
    if (interactive) this.#listen();
  }

  /** Draw a state. */
  show(state) {
    const { position, flipped = false } = state;
    this.state = state;
    const shape = `${position.rows}x${position.cols}${flipped}`;
    const refocus = shape !== this.#shape && this.svg.contains(document.activeElement);
    if (shape !== this.#shape) this.#layOut(shape);
    this.#paintCells();
    this.#paintOver();
    this.#movePieces();
    this.#startOnKnight();
    if (refocus) this.focus();
    this.#emit("shown", position);
  }

  /** Draw the same state again, after `numbers` or `overlay` changed. */
  redraw() {
    if (this.state) this.show(this.state);
  }

  /** Announce a text to screen readers. */
  say(text) {
    setText(this.spoken, text);
  }

  /** Put the keyboard's focus on a square. */
  focus(square = this.#focused) {
    this.#cells[square].group.focus({ preventScroll: true });
  }

  #listen() {
    const squareOf = (event) => event.target.closest("[data-square]")?.dataset.square;
    this.svg.addEventListener("pointerdown", (event) => {
      event.preventDefault(); // keep the keyboard focus
      this.#drag.begin(event);
    });
    this.svg.addEventListener("pointermove", (event) => this.#drag.move(event));
    this.svg.addEventListener("pointerup", (event) => this.#drag.end(event));
    this.svg.addEventListener("pointercancel", () => this.#drag.cancel());
    // A finger drags the knight and not the page; touch-action has no effect on a part of a drawing.
    const keepPage = (event) => this.#drag.isHolding && event.cancelable && event.preventDefault();
    this.svg.addEventListener("touchmove", keepPage, { passive: false });
    this.svg.addEventListener("click", (event) => {
      if (squareOf(event) && !this.#drag.hasDropped) this.#emit("choose", Number(squareOf(event)));
    });
    this.svg.addEventListener("pointerover", (event) => {
      this.#look(squareOf(event) ? Number(squareOf(event)) : null);
    });
    this.svg.addEventListener("pointerleave", () => this.#look(null));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    // Not on the drawing itself: a focus listener would make it a tab stop.
    this.element.addEventListener("focusin", (event) => this.#follow(Number(squareOf(event))));
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Show the moves of a knight under the pointer. */
  #look(square) {
    const { position, dots } = this.state;
    const player = square === null ? -1 : position.squares.indexOf(square);
    const shown = dots && player === position.toMove ? -1 : player;
    this.#layers.looked.replaceChildren(
      ...(shown < 0 ? [] : position.movesOf(shown).map((to) => drawDot(this.#at(to), shown, true))),
    );
  }

  /** Let the keyboard start on the knight of the player to move, unless it is on the board already. */
  #startOnKnight() {
    const { mover } = this.state.position;
    if (!this.interactive || mover === this.#entered || this.svg.contains(document.activeElement)) return;
    this.#entered = mover;
    if (mover !== null) this.#follow(mover);
  }

  /** Make the focused square the tab stop. */
  #follow(square) {
    this.#cells[this.#focused].group.setAttribute("tabindex", "-1");
    this.#cells[square].group.setAttribute("tabindex", "0");
    this.#focused = square;
    const { x, y } = this.#at(square);
    this.#focusRing.setAttribute("transform", `translate(${x} ${y})`);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.#emit("choose", this.#focused);
    } else if (event.key in ARROW_KEYS) {
      event.preventDefault();
      event.stopPropagation();
      this.#step(...ARROW_KEYS[event.key]);
    }
  }

  #step(down, right) {
    const { position, flipped } = this.state;
    const turn = flipped ? -1 : 1;
    const row = Math.floor(this.#focused / position.cols) + down * turn;
    const col = (this.#focused % position.cols) + right * turn;
    if (row < 0 || row >= position.rows || col < 0 || col >= position.cols) return;
    this.focus(row * position.cols + col);
  }

  #at(square) {
    return centre(this.state.position, square, this.state.flipped);
  }

  /** Build the squares for a new shape. */
  #layOut(shape) {
    const { position } = this.state;
    this.#shape = shape;
    this.#entered = null;
    const { labels, margin } = frameOf(position);
    const width = labels + position.cols * CELL + margin;
    const height = labels + position.rows * CELL + margin;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.element.style.setProperty("--ratio", String(width / height));
    this.#emit("shape", width / height);
    this.element.style.setProperty("--units", String(Math.max(width, height)));
    if (this.#cells.length !== position.size) this.#focused = middleOf(position);
    this.#cells = [];
    this.#pieces = [];
    const rows = [];
    for (let row = 0; row < position.rows; row++) rows.push(this.#buildRow(row));
    this.#layers = {};
    for (const name of ["trails", "dots", "pieces", "arrows", "looked"]) {
      this.#layers[name] = svg(`g.${name}`);
    }
    this.#focusRing = svg("rect.focus-ring", {
      x: 2 - CELL / 2,
      y: 2 - CELL / 2,
      width: CELL - 4,
      height: CELL - 4,
      rx: 3,
    });
    this.svg.replaceChildren(
      svg("rect.board-paper", { width, height, rx: labels / 2 }),
      svg("g.labels", { "aria-hidden": "true" }, this.#labels()),
      svg("g.cells", { role: this.interactive ? "presentation" : null }, rows),
      svg("g.over", { "aria-hidden": "true" }, Object.values(this.#layers), this.#focusRing),
    );
    if (this.interactive) this.#cells[this.#focused].group.setAttribute("tabindex", "0");
  }

  #buildRow(row) {
    const { position } = this.state;
    const cells = [];
    for (let col = 0; col < position.cols; col++) {
      const square = row * position.cols + col;
      const { x, y } = this.#at(square);
      const ground = svg("rect.ground", { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL });
      const tint = svg("rect.tint", { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL });
      const mark = svg("g.mark");
      const role = this.interactive ? { role: "gridcell", tabindex: "-1" } : {};
      const group = svg("g.cell", { ...role, "data-square": square }, ground, tint, mark);
      this.#cells.push({ group, tint, mark });
      cells.push(group);
    }
    return svg("g", { role: this.interactive ? "row" : null }, cells);
  }

  #labels() {
    const { position } = this.state;
    const middle = frameOf(position).labels / 2;
    const texts = [];
    for (let col = 0; col < position.cols; col++) {
      texts.push(svg("text", { x: this.#at(col).x, y: middle }, LETTERS[col]));
    }
    for (let row = 0; row < position.rows; row++) {
      texts.push(svg("text", { x: middle, y: this.#at(row * position.cols).y }, String(row + 1)));
    }
    return texts;
  }

  #paintCells() {
    const { position, marks, label } = this.state;
    const legal = new Set(position.legalMoves());
    const overlay = this.overlay(position);
    this.svg.setAttribute("aria-label", label ?? `Board, ${position.rows} rows and ${position.cols} columns`);
    this.#cells.forEach(({ group, tint, mark }, square) => {
      const stands = position.squares.includes(square);
      const classes = group.classList;
      classes.toggle("blocked", !position.blank[square] && !stands);
      classes.toggle("shade", !position.isLight(square));
      classes.toggle("legal", this.interactive && legal.has(square));
      classes.toggle("mover", this.interactive && !this.state.fixed && square === position.mover && legal.size > 0);
      const shown = marks?.get(square);
      const over = overlay.get(square);
      const colour = over ?? shown;
      classes.toggle("estimate", Boolean(colour?.estimate));
      tint.setAttribute("class", `tint tone-${colour?.tone ?? "none"}`);
      tint.style.setProperty("--strength", `${Math.round((colour?.strength ?? 1) * 100)}%`);
      mark.replaceChildren(
        ...(shown ? drawMark(this.#at(square), shown, stands) : []),
        ...(over?.text && !stands ? [drawCorner(this.#at(square), over.text)] : []),
      );
      if (this.interactive) {
        const name = formatSquare(square, position.cols);
        group.setAttribute(
          "aria-label",
          describeSquare(position, square, name, legal.has(square), [shown?.words, over?.words]),
        );
      }
    });
  }

  #paintOver() {
    const { position, trails = [], last, arrows = [], dots, stars = [], marks } = this.state;
    const at = (square) => this.#at(square);
    const marked = (square) => marks?.has(square);
    const comesOver =
      (square) =>
      ({ from, to }) =>
        to === square && at(from).x > at(to).x && at(from).y < at(to).y; // from the upper right
    this.#layers.trails.replaceChildren(
      ...trails.flatMap((way, player) => drawTrail(way, player, at, this.numbers)),
    );
    const free = dots ? position.legalMoves().filter((square) => !marked(square)) : [];
    this.#layers.dots.replaceChildren(...free.map((to) => drawDot(at(to), position.toMove)));
    this.#layers.arrows.replaceChildren(
      ...(last === null || last === undefined ? [] : [drawRing(at(last), position.squares.indexOf(last))]),
      ...arrows.map((arrow) => drawArrow(at(arrow.from), at(arrow.to), arrow)),
      ...stars.map((square) => drawStar(at(square), arrows.some(comesOver(square)))),
      ...this.#trap(),
    );
    this.#layers.looked.replaceChildren();
  }

  #trap() {
    const { position, trapped = null } = this.state;
    const square = position.squares[trapped] ?? null;
    if (square === null) return [];
    const needed = position.reachOf(trapped).map((to) => drawCross(this.#at(to), trapped));
    return [drawTrapped(this.#at(square), trapped), ...needed];
  }

  /** Keep the pieces' elements, so that CSS can animate their moves. */
  #movePieces() {
    this.state.position.squares.forEach((square, player) => {
      let piece = this.#pieces[player];
      if (square === null) {
        piece?.remove();
        this.#pieces[player] = null;
        return;
      }
      if (!piece) piece = this.#pieces[player] = drawPiece(player);
      const { x, y } = this.#at(square);
      if (!piece.classList.contains("dragged")) piece.style.transform = `translate(${x}px, ${y}px)`;
      if (!piece.parentNode) this.#layers.pieces.append(piece);
    });
  }
}

// Dragging the knight of the player to move. The square it is dropped on is chosen, as by a click.

const LEAST_PX = 6; // a shorter way is a click

class KnightDrag {
  #held = null; // {piece, from, pointer, x, y, isMoving}

  /**
   * @param {{svg: () => Element, piece: (square: number) => Element|null, at: (square: number) => {x: number, y: number},
   *   drop: (square: number) => void}} board the drawing, the knight that can be dragged from a square, the middle of a
   *   square, and what to do with the square a knight is dropped on.
   */
  constructor(board) {
    this.board = board;
    this.hasDropped = false; // until the click that may follow a drop
  }

  /** Whether a knight is held, dragged yet or not. */
  get isHolding() {
    return this.#held !== null;
  }

  begin(event) {
    this.cancel();
    const square = event.target.closest("[data-square]")?.dataset.square;
    const piece = event.button || square === undefined ? null : this.board.piece(Number(square));
    if (piece)
      this.#held = { piece, from: Number(square), pointer: event.pointerId, x: event.clientX, y: event.clientY, isMoving: false };
  }

  move({ pointerId, clientX, clientY }) {
    const held = this.#held;
    if (held?.pointer !== pointerId) return;
    if (!held.isMoving && Math.hypot(clientX - held.x, clientY - held.y) < LEAST_PX) return;
    if (!held.isMoving) this.board.svg().setPointerCapture(pointerId);
    held.isMoving = true;
    held.piece.classList.add("dragged");
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.board.svg().getScreenCTM().inverse());
    held.piece.style.transform = `translate(${x}px, ${y}px)`;
  }

  end({ pointerId, clientX, clientY }) {
    const held = this.#held;
    if (held?.pointer !== pointerId) return;
    this.cancel();
    if (!held.isMoving) return;
    this.hasDropped = true;
    setTimeout(() => (this.hasDropped = false));
    const cell = document.elementFromPoint(clientX, clientY)?.closest("[data-square]");
    const square = cell && this.board.svg().contains(cell) ? Number(cell.dataset.square) : held.from;
    if (square !== held.from) this.board.drop(square);
  }

  /** Put the knight back. */
  cancel() {
    const held = this.#held;
    this.#held = null;
    if (!held) return;
    held.piece.classList.remove("dragged");
    if (!held.isMoving) return;
    const { x, y } = this.board.at(held.from);
    held.piece.style.transform = `translate(${x}px, ${y}px)`;
  }
}
