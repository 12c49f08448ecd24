// Watch: the list of runs, with forms to start one, or the page of one run.

import { readAddress } from "../shared/address.js";
import { get, post } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { RunStarter } from "./run_forms.js";
import { RunList } from "./run_list.js";
import { RunPage } from "./run_page.js";

export const title = "Watch";

export function open(main, keys) {
  const { run } = readAddress(location.search);
  const page = run ? new RunPage(run, keys) : new RunsPage();
  main.append(page.element);
  page.begin();
}

// The list of runs.

const COMMAND = "isolarium match alphabeta:distance@nodes=1000 alphabeta:improved@nodes=1000 --pairs 100";
const FIRST_RUN = {
  kind: "match",
  first: "alphabeta:distance@nodes=1000",
  second: "alphabeta:improved@nodes=1000",
  pairs: 100,
  board: "7x7",
  seed: 1,
};
const REFRESH_MS = 2000;

class RunsPage {
  constructor() {
    this.list = h("div", {}, h("p.quiet-text", {}, "Loading the runs…"));
    this.runs = new RunList();
    this.problem = h("p.error", { role: "alert" });
    this.side = h("div.stack");
    this.element = h(
      "div.columns",
      {},
      h("section", { "aria-label": "Runs" }, h("h1", {}, "Runs"), this.problem, this.list),
      this.side,
    );
  }

  async begin() {
    try {
      const [catalogue, { runs, studies }] = await Promise.all([this.#get("/api/agents"), this.#get("/api/runs")]);
      fill(this.side, new RunStarter(catalogue, studies).element);
      this.#show(runs);
    } catch (error) {
      fill(this.list);
      fill(this.problem, error.message);
    }
  }

  #get(path) {
    return get(path, { onWait: (text) => fill(this.problem, text) });
  }

  /** Show the runs, and refresh: others may start here or on the command line. */
  #show(runs) {
    const text = JSON.stringify(runs);
    if (text !== this.shown) {
      this.runs.show(runs);
      if (!runs.length || !this.runs.element.isConnected) fill(this.list, runs.length ? this.runs.element : this.#noRuns());
    }
    this.shown = text;
    setTimeout(() => this.#refresh(runs), REFRESH_MS);
  }

  async #refresh(before) {
    let runs = before;
    try {
      if (!document.hidden) ({ runs } = await this.#get("/api/runs"));
      fill(this.problem);
    } catch (error) {
      fill(this.problem, error.message);
    }
    this.#show(runs);
  }

  /** Explain how to start the first run. */
  #noRuns() {
    return h(
      "div.card",
      {},
      h(
        "p",
        {},
        "No runs yet. A run is a stored match, tournament or study, with every game and its results. Start one on the command line:",
      ),
      h("pre", { tabindex: "0" }, h("code", {}, COMMAND)),
      h("p", {}, "Or start one here: 100 pairs of games between two heuristics."),
      h("button.main", { type: "button", onclick: () => this.#first() }, "Start this match"),
    );
  }

  async #first() {
    try {
      const { runs } = await post("/api/runs", FIRST_RUN);
      location.assign(`/watch?run=${encodeURIComponent(runs[0])}`);
    } catch (error) {
      fill(this.problem, error.message);
    }
  }
}
