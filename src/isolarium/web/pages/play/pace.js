// How quickly moves are answered: never so quickly that one does not see it, and as people like where agents play.

import { h } from "../shared/dom.js";
import { recall, remember } from "../shared/storage.js";

const ANSWER_MS = 334; // a person sees that it is answered
const PACES = { slow: 1000, normal: ANSWER_MS, fast: 60 };

export class Pace {
  constructor() {
    const chosen = recall("pace");
    this.choice = h(
      "select",
      { "aria-label": "Speed", onchange: () => remember("pace", this.choice.value) },
      Object.keys(PACES).map((name) => h("option", { value: name }, name)),
    );
    this.choice.value = chosen in PACES ? chosen : "normal";
    this.element = h("label.inline.small.pace", {}, "Speed", this.choice);
  }

  /** How long a move is to take at least, by how many persons play. */
  least(persons) {
    return persons ? ANSWER_MS : PACES[this.choice.value];
  }
}
