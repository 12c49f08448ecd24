// Whom a person plays against: any level, at any moment of the game.

import { fill, h } from "../shared/dom.js";
import { levelName } from "../shared/levels.js";

export class Opponent {
  /** @param {(spec: string) => void} onChange called with the agent that is to play on. */
  constructor(onChange) {
    this.choice = h("select", { "aria-label": "Opponent", onchange: () => onChange(this.choice.value) });
    this.element = h("label.inline.small.pace", { hidden: true }, "Against", this.choice);
  }

  /** Offer the levels, and the agent that plays now where it is none of them. */
  show({ seats, persons, outcome }, levels) {
    this.element.hidden = persons.length !== 1 || !levels.length || Boolean(outcome);
    if (this.element.hidden) return;
    const spec = seats[1 - persons[0]];
    const other = levels.some(({ agent }) => agent === spec) ? [] : [spec];
    const options = [...levels.map((level) => [level.agent, levelName(level)]), ...other.map((one) => [one, one])];
    fill(
      this.choice,
      options.map(([value, name]) => h("option", { value }, name)),
    );
    this.choice.value = spec;
    this.choice.title = spec;
  }
}
