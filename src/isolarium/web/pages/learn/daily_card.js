// The daily puzzle: stored for the coming days, so that it opens without the server too, and a card to share once it was
// tried. The card is a text of squares or a picture; neither gives the solution away.

import { BoardView } from "../board/board.js";
import { colourName } from "../board/messages.js";
import { NotationError, parsePosition } from "../game/notation.js";
import { daysLater } from "../notebook/notebook.js";
import { puzzleList, puzzleOf } from "../shared/api.js";
import { copyButton } from "../shared/controls.js";
import { fill, h, setText } from "../shared/dom.js";
import { recall, remember, saveFile } from "../shared/storage.js";
import { dailyPuzzle } from "./puzzle_progress.js";

// The puzzles of today and the coming days.

const STORED = "daily-puzzles";
const AHEAD = 7; // days

export class DailyPuzzles {
  /** @param {object} options those of `puzzleOf`. */
  constructor(options) {
    this.options = options;
  }

  /** The puzzle of a day, without a request if it is stored. */
  async find(day) {
    const puzzle = this.#stored()[day] ?? (await this.#ask(day));
    this.#store(day, puzzle);
    return puzzle;
  }

  async #ask(day) {
    const { count } = (this.all ??= await puzzleList(this.options));
    return await puzzleOf(dailyPuzzle(day, count), this.options);
  }

  /** Store the puzzles of a week, in the background. */
  async #store(day, puzzle) {
    const stored = this.#stored();
    const kept = { [day]: puzzle };
    for (let ahead = 1; ahead < AHEAD; ahead++) {
      const other = daysLater(day, ahead);
      kept[other] = stored[other] ?? (await this.#ask(other).catch(() => undefined));
    }
    remember(STORED, JSON.stringify(kept));
  }

  #stored() {
    try {
      const entries = Object.entries(JSON.parse(recall(STORED)) ?? {});
      return Object.fromEntries(entries.filter(([, puzzle]) => isPuzzle(puzzle)));
    } catch {
      return {}; // damaged: ask again
    }
  }
}

function isPuzzle(puzzle) {
  try {
    parsePosition(puzzle.position);
    return Array.isArray(puzzle.line) && [puzzle.number, puzzle.count, puzzle.plies, puzzle.moves].every(Number.isInteger);
  } catch (error) {
    if (error instanceof NotationError || error instanceof TypeError) return false;
    throw error;
  }
}

// The card.

const RESULT = "daily-result";
const SQUARES = { r: "🟦", w: "🟧" }; // a move found, a wrong try
const MOST_TRIES = 13; // on the card: the newest
const PICTURE = { width: 600, margin: 36, square: 34 };

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

export class DailyCard {
  constructor() {
    this.squares = h("p.squares", { role: "img" });
    this.words = h("p");
    const picture = h("button", { type: "button", onclick: () => this.#savePicture() }, "Download picture");
    this.element = h(
      "section.card.daily",
      { "aria-label": "Share the daily puzzle", hidden: true },
      h("h3", {}, "Your card for today"),
      this.squares,
      this.words,
      h("div.row", {}, copyButton("Copy text", () => this.text), picture),
    );
  }

  /** Count a try of a day's puzzle; nothing counts once it is solved. */
  count(day, isRight, isSolved) {
    const { tries, solved } = this.#read(day);
    if (solved) return;
    const result = { day, tries: `${tries}${isRight ? "r" : "w"}`.slice(-MOST_TRIES), solved: isSolved };
    remember(RESULT, JSON.stringify(result));
  }

  /** Show the card of a day's puzzle once it was solved or missed; `row` is how many days in a row were solved. */
  show(day, puzzle, row) {
    const { tries, solved } = this.#read(day);
    this.element.hidden = !puzzle || !day || !(solved || tries.includes("w"));
    if (this.element.hidden) return;
    Object.assign(this, { day, puzzle });
    const found = [...tries].filter((one) => one === "r").length;
    const missed = tries.length - found;
    const squares = [...tries].map((one) => SQUARES[one]).join("");
    const end = solved ? `solved with ${missed || "no"} ${missed > 1 ? "misses" : "miss"}` : "not solved yet";
    this.summary = `${end}${row > 1 ? `, ${row} days in a row` : ""}`;
    this.tries = tries;
    setText(this.words, `${this.summary[0].toUpperCase()}${this.summary.slice(1)}.`);
    this.squares.setAttribute("aria-label", `${plural(found, "move")} found, ${missed} missed`);
    fill(this.squares, [...tries].map((one) => (one === "r" ? h("span.first", {}, "✓") : h("span.second", {}, "×"))));
    this.text = [`Isolarium daily puzzle ${day}`, squares, this.summary, this.#address()].join("\n");
  }

  #address() {
    return `${location.origin}${location.pathname}?sheet=puzzles&puzzle=daily`;
  }

  #read(day) {
    try {
      const { day: stored, tries, solved } = JSON.parse(recall(RESULT));
      if (stored === day && /^[rw]*$/.test(tries)) return { tries, solved: solved === true };
    } catch {
      // Damaged, or none yet.
    }
    return { tries: "", solved: false };
  }

  async #savePicture() {
    saveFile(`isolarium-${this.day}.png`, await this.#draw());
  }

  /** The card as a PNG: the day, the position, and the squares. */
  async #draw() {
    const { width, margin, square } = PICTURE;
    const board = await this.#drawBoard(width - 2 * margin);
    const top = margin + 64;
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, top + board.height + square + 92 + margin];
    const pen = canvas.getContext("2d");
    const style = getComputedStyle(document.body);
    const colours = [...this.squares.children].map((one) => getComputedStyle(one).backgroundColor);
    pen.fillStyle = style.backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.textBaseline = "top";
    const write = (text, font, y) => {
      pen.fillStyle = style.color;
      pen.font = `${font} ${style.fontFamily}`;
      pen.fillText(text, margin, y, width - 2 * margin);
    };
    write(`Isolarium · ${this.day}`, "600 28px", margin);
    write(`${colourName(parsePosition(this.puzzle.position).toMove)} to move. Only one move wins.`, "18px", margin + 36);
    pen.drawImage(board, margin, top);
    const under = top + board.height + 20;
    [...this.tries].forEach((one, at) => {
      pen.fillStyle = colours[at];
      pen.beginPath();
      pen.roundRect(margin + at * (square + 6), under, square, square, 6);
      pen.fill();
      pen.fillStyle = style.backgroundColor;
      pen.font = `600 22px ${style.fontFamily}`;
      pen.fillText(one === "r" ? "✓" : "×", margin + at * (square + 6) + 9, under + 6);
    });
    write(this.summary, "18px", under + square + 14);
    write(this.#address().replace(/^https?:\/\//, ""), "16px", under + square + 42);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }

  async #drawBoard(width) {
    const { toCanvas } = await import("../board/picture.js");
    const view = new BoardView({ interactive: false });
    view.element.classList.add("filmed"); // rendered for its computed colours, but invisible
    document.body.append(view.element);
    try {
      view.show({ position: parsePosition(this.puzzle.position) });
      return await toCanvas(view, width);
    } finally {
      view.element.remove();
    }
  }
}
