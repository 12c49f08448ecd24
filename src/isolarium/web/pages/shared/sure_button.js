// A button for what cannot be undone: the first press asks, the second, soon after, does it.

import { h, setText } from "./dom.js";

const SURE_MS = 4000;

export class SureButton {
  #timer = 0;

  /**
   * @param {string} text such as "Resign".
   * @param {string} question what it says once it was pressed.
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
