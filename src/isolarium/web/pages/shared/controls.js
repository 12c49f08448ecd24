// A panel with several sheets, one shown at a time.

import { h } from "./dom.js";

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
