// Watch: the list of runs, with forms to start one, or the page of one run.

import { readAddress } from "../shared/address.js";
import { get, post } from "../shared/api.js";
import { breakable, fill, h } from "../shared/dom.js";
import { counted, formatCount, studyReport } from "./figures.js";
import { RunStarter } from "./run_forms.js";
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
    if (text !== this.shown) fill(this.list, runs.length ? this.#table(runs) : this.#noRuns());
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

  #table(runs) {
    const heads = [
      h("th", { scope: "col" }, "Run"),
      h("th.figure", { scope: "col" }, "Games"),
      h("th", { scope: "col" }, "State"),
    ];
    return h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": "All runs" },
      h("table.runs", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, grouped(runs))),
    );
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

/** The rows of the runs; those of a study stand together below its name, where its newest one is. */
function grouped(runs) {
  const seen = new Set();
  return runs.flatMap((run) => {
    if (!run.study) return [row(run)];
    if (seen.has(run.study)) return [];
    seen.add(run.study);
    const parts = runs.filter(({ study }) => study === run.study).toReversed(); // in the order they were played
    return [studyRow(parts), ...parts.map((part) => row(part, "tr.part"))];
  });
}

/** The row of a study, with a link to its report. */
function studyRow(parts) {
  const [{ study, study_report: hasReport }] = parts;
  const games = parts.reduce((sum, part) => sum + part.games, 0);
  const isDone = parts.every(({ state }) => state === "finished");
  return h(
    "tr.study",
    {},
    h(
      "th",
      { scope: "rowgroup" },
      h("div.run-title", {}, breakable(study)),
      h("div.small.quiet-text", {}, `Study, ${counted(parts.length, "run")}`),
    ),
    h("td.figure", {}, formatCount(games)),
    h("td", {}, hasReport ? h("a", { href: studyReport(study) }, "Study report") : !isDone && "no report yet"),
  );
}

function row(run, kind = "tr") {
  const when = run.started
    ? new Date(run.started).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })
    : "";
  const link = h(
    "a",
    { href: `/watch?run=${encodeURIComponent(run.name)}` },
    breakable(run.title || run.name),
  );
  return h(
    kind,
    {},
    h(
      "td",
      {},
      h("div.run-title", {}, run.state === "broken" ? breakable(run.title || run.name) : link),
      h("div.small.quiet-text", {}, [run.name, when].filter(Boolean).join(" · ")),
      run.problem && h("div.small.bad", {}, run.problem),
    ),
    h(
      "td.figure",
      {},
      run.games === run.games_planned || run.state === "finished"
        ? formatCount(run.games)
        : `${formatCount(run.games)} of ${formatCount(run.games_planned)}`,
    ),
    h("td", {}, h(`span.state.${run.state}`, {}, run.state)),
  );
}
