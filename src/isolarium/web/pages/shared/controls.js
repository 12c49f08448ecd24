// Controls that several pages share: tabs, the size of a board, and a button that asks before it acts.

import { NotationError } from "../game/notation.js";
import { MAX_SIDE, MIN_SIDE } from "../game/rules.js";
import { h, setText } from "./dom.js";

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
          onclick: () => this.show(name),
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
    this.bar.addEventListener("keydown", (event) => this.#walk(event));
    this.bar.addEventListener("mousedown", (event) => event.preventDefault()); // the keys stay where they are
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

  #walk(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = this.sheets.findIndex(({ name }) => name === this.shown);
    const next = this.sheets[(at + step + this.sheets.length) % this.sheets.length];
    this.show(next.name);
    next.tab.focus();
  }
}

// The size of a board, typed into two boxes.

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

  /** The size as the name of a board, such as 7x7, whether that is a valid size or not. */
  get name() {
    return this.boxes.map(({ value }) => value).join("x");
  }

  /** The size, rows first; throws a NotationError if it is not a valid board. */
  read() {
    const wrong = this.boxes.find(({ validity }) => !validity.valid);
    if (wrong)
      throw new NotationError(`${wrong.ariaLabel}: expected a whole number from ${MIN_SIDE} to ${MAX_SIDE}.`);
    return this.boxes.map(({ value }) => Number(value));
  }
}

// A button for what cannot be undone: the first press asks, a second one soon after acts.

const SURE_MS = 4000;

export class SureButton {
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
    const isSure = this.asks;
    this.#ask(!isSure);
    if (isSure) this.action();
  }

  #ask(asks) {
    clearTimeout(this.#timer);
    this.asks = asks;
    setText(this.element, asks ? this.question : this.text);
    if (asks) this.#timer = setTimeout(() => this.#ask(false), SURE_MS);
  }
}
