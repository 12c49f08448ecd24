// Controls that several pages share: tabs, board size, a button that asks for confirmation, and the share menu.

import { NotationError } from "../game/notation.js";
import { MAX_SIDE, MIN_SIDE } from "../game/rules.js";
import { h, setText } from "./dom.js";
import { saveFile } from "./storage.js";

let made = 0;

export class Tabs {
  /** @param {[string, string, HTMLElement][]} sheets name, title and content of each. */
  constructor(label, sheets) {
    const prefix = `tab-${++made}`;
    this.sheets = sheets.map(([name, title, content]) => {
      const tab = h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `${prefix}-${name}`,
          "aria-controls": `${prefix}-${name}-sheet`,
          // When pressed: a result may move the tab before it is released, and then there is no click.
          onmousedown: ({ button }) => button === 0 && this.#choose(name),
          onclick: () => this.#choose(name), // by the keyboard or a screen reader
        },
        title,
      );
      const sheet = h(
        "div.sheet",
        { role: "tabpanel", id: `${prefix}-${name}-sheet`, "aria-labelledby": `${prefix}-${name}` },
        content,
      );
      return { name, tab, sheet };
    });
    this.bar = h(
      "div.tabs",
      { role: "tablist", "aria-label": label },
      this.sheets.map(({ tab }) => tab),
    );
    this.bar.addEventListener("keydown", (event) => this.#moveTab(event));
    this.bar.addEventListener("mousedown", (event) => event.preventDefault()); // keep the keyboard focus
    this.element = h(
      "div.tabbed",
      {},
      this.bar,
      this.sheets.map(({ sheet }) => sheet),
    );
    this.show(sheets[0][0]);
  }

  show(name) {
    this.shown = name;
    for (const one of this.sheets) {
      one.sheet.hidden = one.name !== name;
      one.tab.setAttribute("aria-selected", String(one.name === name));
      one.tab.tabIndex = one.name === name ? 0 : -1;
    }
    this.element.dispatchEvent(new CustomEvent("sheet", { detail: name }));
  }

  #choose(name) {
    if (name !== this.shown) this.show(name);
  }

  #moveTab(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = this.sheets.findIndex(({ name }) => name === this.shown);
    const next = this.sheets[(at + step + this.sheets.length) % this.sheets.length];
    this.show(next.name);
    next.tab.focus();
  }
}

// The size of a board, in two number boxes.

export class BoardSize {
  /**
   * @param {number} rows the initial values of the boxes.
   * @param {number} cols
   */
  constructor(rows = 7, cols = 7) {
    const side = (name, value) =>
      h("input", { type: "number", min: MIN_SIDE, max: MAX_SIDE, value, required: true, "aria-label": name });
    this.boxes = [side("Rows", rows), side("Columns", cols)];
    this.element = h("div.sides", {}, this.boxes[0], h("span", { "aria-hidden": "true" }, "×"), this.boxes[1]);
  }

  /** Show another size. */
  show(rows, cols) {
    this.boxes[0].value = rows;
    this.boxes[1].value = cols;
  }

  /** The size as text, such as 7x7, valid or not. */
  get name() {
    return this.boxes.map(({ value }) => value).join("x");
  }

  /** The size, rows first. Throws a NotationError if it is invalid. */
  read() {
    const wrong = this.boxes.find(({ validity }) => !validity.valid);
    if (wrong)
      throw new NotationError(`${wrong.ariaLabel}: enter a whole number from ${MIN_SIDE} to ${MAX_SIDE}.`);
    return this.boxes.map(({ value }) => Number(value));
  }
}

// A button for actions that cannot be undone: the first press asks, a second press soon after acts.

const CONFIRM_MS = 4000;

export class ConfirmButton {
  #timer = 0;

  /**
   * @param {string} text such as "Resign".
   * @param {string} question its text after the first press.
   * @param {object} attributes of the button.
   * @param {() => void} action
   */
  constructor(text, question, attributes, action) {
    this.text = text;
    this.question = question;
    this.action = action;
    this.asks = false;
    this.element = h("button", { type: "button", ...attributes, onclick: () => this.press() }, text);
  }

  press() {
    if (this.element.disabled) return;
    const isConfirmed = this.asks;
    this.#ask(!isConfirmed);
    if (isConfirmed) this.action();
  }

  #ask(asks) {
    clearTimeout(this.#timer);
    this.asks = asks;
    setText(this.element, asks ? this.question : this.text);
    if (asks) this.#timer = setTimeout(() => this.#ask(false), CONFIRM_MS);
  }
}

// The share menu of a game: copy a link, or download the board as a picture or the game as an animation.

const SHOWN_MS = 2000;

/**
 * A button that copies a text and confirms it.
 * @param {string} label
 * @param {() => string} text the text to copy.
 */
export function copyButton(label, text, props = {}) {
  const button = h("button", { type: "button", ...props }, label);
  button.addEventListener("click", async () => {
    await copy(text(), button);
    setText(button, "Copied");
    setTimeout(() => setText(button, label), SHOWN_MS);
  });
  return button;
}

async function copy(text, beside) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The clipboard API is missing on pages served over plain HTTP from another machine.
    const field = h("textarea.unseen", { readonly: true }, text);
    beside.after(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    beside.focus();
  }
}

/**
 * The menu, as a group of buttons.
 * @param {import("../board/board.js").BoardView} board the board to draw.
 * @param {() => object} node the tree node at the end of the game.
 * @param {() => string} address the link to copy.
 */
export function shareMenu(board, node, address = () => location.href) {
  return h(
    "div.row.share-menu",
    { role: "group", "aria-label": "Share" },
    copyButton("Copy link", address),
    h("button", { type: "button", onclick: () => savePng(board) }, "Download PNG"),
    gifButton("Download GIF", node, () => board.state?.flipped),
  );
}

/** Download a board as a picture; the code that draws it is loaded on demand, as that of animations. */
export async function savePng(board) {
  const { toPng } = await import("../board/picture.js");
  saveFile("board.png", await toPng(board));
}

/** A button that downloads a game as an animation. */
export function gifButton(label, node, isFlipped = () => false) {
  const button = h("button", { type: "button" }, label);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const { toGif } = await import("../board/picture.js");
      const onMove = (done, all) => setText(button, `GIF ${done}/${all}`);
      saveFile("game.gif", await toGif(node(), { flipped: isFlipped(), onMove }));
    } finally {
      button.disabled = false;
      setText(button, label);
    }
  });
  return button;
}
