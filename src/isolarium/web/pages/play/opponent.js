// Whom a person plays against: any level, at any moment of the game.

import { fill, h, setText } from "../shared/dom.js";
import { levelName, levelOf, levelWords } from "../shared/levels.js";

export class Opponent {
  /** @param {(spec: string) => void} onChange called with the agent that is to play on. */
  constructor(onChange) {
    this.choice = h("select", { "aria-label": "Opponent", onchange: () => onChange(this.choice.value) });
    this.words = h("p.small.quiet-text.how");
    this.element = h("div", { hidden: true }, h("label.inline.small.pace", {}, "Against", this.choice), this.words);
  }

  /** Offer the levels, and the agent that plays now where it is none of them. */
  show({ start, seats, persons, outcome }, levels) {
    this.element.hidden = persons.length !== 1 || !levels.length || Boolean(outcome);
    if (this.element.hidden) return;
    const spec = seats[1 - persons[0]];
    const level = levelOf(spec, levels);
    const other = level ? [] : [spec];
    const options = [...levels.map((level) => [level.agent, levelName(level)]), ...other.map((one) => [one, one])];
    fill(
      this.choice,
      options.map(([value, name]) => h("option", { value }, name)),
    );
    this.choice.value = spec;
    this.choice.title = spec;
    setText(this.words, level ? levelWords(level, `${start.rows}x${start.cols}`) : "");
  }
}
