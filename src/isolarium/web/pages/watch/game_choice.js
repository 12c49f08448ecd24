// Which games of a run are listed: all, or those worth a look, of all agents or of one.

import { h, fill } from "../shared/dom.js";

const KINDS = {
  all: "all games",
  upsets: "upsets",
  mistakes: "mistakes, last 200",
  "given away": "won starts given away",
  time: "losses on time",
};
const NOTHING = {
  all: "No game is finished yet.",
  upsets: "No upset: nobody lost to one who won a smaller share of its games.",
  mistakes: "No mistake in the last 200 games, as far as their positions can be solved.",
  "given away": "No won start was given away, as far as the starts of this board are solved.",
  time: "No game was lost on time.",
};

export class GameChoice {
  /**
   * @param {{show?: string, agent?: string}} texts what the address holds of it.
   * @param {() => void} onChange called when others are to be listed.
   */
  constructor({ show, agent }, onChange) {
    const kinds = Object.entries(KINDS).map(([value, text]) => h("option", { value }, text));
    this.kind = h("select", { "aria-label": "Which games", onchange: onChange }, kinds);
    this.kind.value = show in KINDS ? show : "all";
    this.agent = h("select", { "aria-label": "Of agent", onchange: onChange });
    this.wanted = agent ?? "";
    this.element = h("div.choice", {}, this.kind, this.agent);
  }

  /** Offer the players of the run. */
  offer(players) {
    if (this.agent.options.length === players.length + 1) return;
    fill(
      this.agent,
      h("option", { value: "" }, "of all agents"),
      players.map((name, at) => h("option", { value: String(at) }, `of ${name}`)),
    );
    this.agent.value = this.wanted;
    if (this.agent.selectedIndex < 0) this.agent.value = "";
  }

  /** What the address is to hold of it, and the server is asked. */
  get texts() {
    const { value } = this.kind;
    return { show: value === "all" ? null : value, agent: this.agent.value || null };
  }

  /** That there are none of the kind. */
  get nothing() {
    return NOTHING[this.kind.value];
  }
}
