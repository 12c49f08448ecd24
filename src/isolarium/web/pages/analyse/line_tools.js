// What can be done with the line on the board, as buttons: all that keys do, for those who have none.

import { h, setText } from "../shared/dom.js";

const TOOLS = [
  ["line", "Play it out", "p"],
  ["above", "Variation ↑", "↑"],
  ["below", "Variation ↓", "↓"],
  ["promote", "Make it main", "v"],
  ["remove", "Remove", "Delete"],
  ["putBack", "Put back", "z"],
];

export class LineTools {
  /** @param {(tool: string) => void} onUse called with the name of the tool that was used. */
  constructor(onUse) {
    this.buttons = TOOLS.map(([tool, text, key]) =>
      h("button", { type: "button", title: `key ${key}`, onclick: () => onUse(tool) }, text),
    );
    this.element = h("div.actions", {}, this.buttons);
  }

  /** @param {Object<string, unknown>} usable by name, whether a tool can be used now; a text is then its name. */
  show(usable) {
    this.buttons.forEach((button, at) => {
      const [tool, text] = TOOLS[at];
      button.disabled = !usable[tool];
      setText(button, typeof usable[tool] === "string" && usable[tool] ? usable[tool] : text);
    });
  }
}
