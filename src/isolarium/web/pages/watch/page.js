// Watch: the list of runs, with forms to start one, or the page of one run.

import { holdAddress, readAddress, writeAddress } from "../shared/address.js";
import { LOST, get, listen, post } from "../shared/api.js";
import { Tabs } from "../shared/controls.js";
import { breakable, fill, h, setText } from "../shared/dom.js";
import { counted, formatCount, formatProgress, formatVerdict, studyReport } from "./figures.js";
import { LiveBoard, Replay } from "./replay.js";
import { RunStarter } from "./run_forms.js";
import { HeatMaps, ResultTable, SweepCurve, TestPath } from "./run_results.js";

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

// A line for each run with its kind, board, agents and verdict; a study is one item with its parts.

class RunList {
  #studies = new Map(); // by name: the element of the parts as last shown, and whether one was played by then

  constructor() {
    this.element = h("ul.runs", { "aria-label": "All runs" });
  }

  /** @param {object[]} runs newest first, as the server lists them. */
  show(runs) {
    const seen = new Set();
    fill(
      this.element,
      runs.flatMap((run) => {
        if (!run.study) return [h("li", {}, line(run))];
        if (seen.has(run.study)) return [];
        seen.add(run.study);
        return [this.#study(runs.filter(({ study }) => study === run.study).toReversed())]; // in the order played
      }),
    );
  }

  /** A study: its progress, its report, and its parts, which are shown while one of them is played. */
  #study(parts) {
    const [{ study, study_report: hasReport }] = parts;
    const playing = parts.find(({ state }) => state === "playing");
    const done = parts.filter(({ state }) => state === "finished").length;
    const before = this.#studies.get(study); // Parts stay as the visitor left them, also when the study ends.
    const begins = Boolean(playing) && !before?.hasPlayed;
    const details = h(
      "details",
      { open: begins || Boolean(before?.details.open) },
      h("summary", {}, "Parts"),
      h("ul.runs", { "aria-label": `Parts of ${study}` }, parts.map((part) => h("li", {}, line(part)))),
    );
    this.#studies.set(study, { details, hasPlayed: begins || Boolean(before?.hasPlayed) });
    const state = playing ? "playing" : done < parts.length ? "stopped" : "finished";
    const progress = done < parts.length ? `${done} of ${counted(parts.length, "part")} finished` : counted(parts.length, "part");
    return h(
      "li.study",
      {},
      h(
        "div.run-line",
        {},
        h("span.kind", {}, "study"),
        h("div.run-title", {}, hasReport ? h("a", { href: studyReport(study) }, breakable(study)) : breakable(study)),
        games(parts.reduce((sum, { games }) => sum + games, 0), state),
        h("p.run-verdict", {}, progress, hasReport ? "" : " · its report is written after the last game"),
        h("span.when", {}, formatDate(parts[0].started)),
      ),
      details,
    );
  }
}

/** A run in a line. */
function line(run) {
  const title = breakable(run.title || run.name);
  const isBroken = run.state === "broken";
  return h(
    "div.run-line",
    {},
    h("span.kind", {}, run.kind, run.board && h("span.board-name", {}, run.board)),
    h("div.run-title", {}, isBroken ? title : h("a", { href: address(run), title: run.name }, title)),
    games(run.games, run.state, run.games_planned),
    h("p.run-verdict", {}, run.verdict ? breakable(run.verdict) : isBroken ? h("span.bad", {}, run.problem) : agents(run)),
    h("span.when", {}, formatDate(run.started)),
    run.verdict && run.kind !== "match" && h("p.agents", {}, agents(run)),
    run.state === "playing" &&
      h("progress", { max: run.games_planned, value: run.games, "aria-label": `Games played in ${run.name}` }),
  );
}

const address = (run) => `/watch?run=${encodeURIComponent(run.name)}`;

function games(count, state, planned = count) {
  const isPart = state !== "finished" && count !== planned;
  return h(
    "span.run-games",
    {},
    isPart ? `${formatCount(count)} of ${counted(planned, "game")}` : counted(count, "game"),
    state !== "finished" && h(`span.state.${state}`, {}, state),
  );
}

/** The agents by name, and what they share. */
function agents({ agents: names, players, left_out: shared }) {
  const more = players > names.length ? ` and ${players - names.length} more` : "";
  return [breakable(names.join(", ")), more, shared && ` · ${shared}`];
}

const formatDate = (started) =>
  started ? new Date(started).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }) : "";

// One run, updated live while it is played, with its games.

class RunPage {
  #readGames = -1; // the number of games when the list was loaded

  constructor(name, keys) {
    this.name = name;
    this.path = `/api/runs/${encodeURIComponent(name)}`;
    this.title = h("h1", {}, name);
    this.progress = h("progress", { max: 1, value: 0, "aria-label": "Games played" });
    this.line = h("p.quiet-text", { role: "status" }, "Loading the run…");
    this.verdict = h("p.verdict-line");
    this.problem = h("p.error", { role: "alert" });
    this.stop = h("button", { type: "button", hidden: true, onclick: () => this.#act("stop") }, "Stop");
    this.resume = h("button", { type: "button", hidden: true, onclick: () => this.#act("resume") }, "Resume");
    this.report = h("a.button", { href: `${this.path}/report`, hidden: true }, "Full report");
    this.study = h("a", { href: "/watch", hidden: true });
    this.standings = new ResultTable("Standings", { bars: true });
    this.cross = new ResultTable("Cross table", { shades: true });
    this.encounters = new ResultTable("Encounters");
    this.test = new TestPath();
    this.sweep = new SweepCurve();
    this.heat = new HeatMaps();
    this.live = new LiveBoard(name);
    this.replay = new Replay(name, () => this.#keepAddress());
    this.tabs = this.#buildTabs();
    this.element = this.#build();
    this.#bindKeys(keys);
  }

  #buildTabs() {
    return new Tabs("Run", [
      [
        "result",
        "Result",
        h(
          "div.result",
          {},
          h("div.beside", {}, h("div.stack", {}, this.sweep.element, this.standings.element), this.live.element),
          [this.cross, this.test, this.encounters].map(({ element }) => element),
        ),
      ],
      ["games", "Games", this.replay.element],
      ["heat", "Heat maps", this.heat.element],
    ]);
  }

  #build() {
    return h(
      "div.run",
      {},
      h("div.row.spread", {}, this.title, h("div.row", {}, this.stop, this.resume, this.report)),
      h("div.row", {}, h("a", { href: "/watch" }, "All runs"), this.study, this.line),
      this.progress,
      this.verdict,
      this.problem,
      this.tabs.element,
    );
  }

  #bindKeys(keys) {
    keys.bind("ArrowLeft", "previous move", () => this.replay.walk("back"));
    keys.bind("ArrowRight", "next move", () => this.replay.walk("forward"));
    keys.bind("Home", "to the start of the game", () => this.replay.walk("toStart"));
    keys.bind("End", "to the end of the game", () => this.replay.walk("toEnd"));
  }

  begin() {
    const texts = readAddress(location.search);
    if (["games", "heat"].includes(texts.sheet)) this.tabs.show(texts.sheet);
    this.tabs.element.addEventListener("sheet", () => {
      this.#keepAddress();
      this.#loadGames();
    });
    const number = Number.parseInt(texts.game, 10);
    if (number) this.replay.number = number;
    this.wanted = number || null;
    this.#watch();
  }

  async #watch() {
    try {
      this.show(await get(this.path, { onWait: (text) => fill(this.problem, text) }));
      fill(this.problem);
    } catch (error) {
      setText(this.line, "This run cannot be shown.");
      this.progress.hidden = this.tabs.element.hidden = true;
      return void fill(this.problem, error.message);
    }
    const receive = (message) =>
      message.kind === "run" ? this.show(message.run) : fill(this.problem, message.error);
    return listen(`${this.path}/live`, receive, () => this.#lost());
  }

  #lost() {
    if (this.run.state !== "playing") return;
    fill(this.problem, `${LOST} Trying again…`);
    this.#watch();
  }

  #keepAddress() {
    const { shown } = this.tabs;
    const query = writeAddress({
      run: this.name,
      sheet: shown === "result" ? null : shown,
      game: shown === "games" && this.replay.number ? String(this.replay.number) : null,
      ...(shown === "games" ? this.replay.choice.texts : {}),
    });
    holdAddress(query);
  }

  async #act(what) {
    fill(this.problem);
    this.stop.disabled = this.resume.disabled = true;
    try {
      await post(`${this.path}/${what}`, {});
      setText(this.line, what === "stop" ? "Stopping after the games in progress…" : "Resuming…");
    } catch (error) {
      fill(this.problem, error.message);
    }
    this.stop.disabled = this.resume.disabled = false;
  }

  show(run) {
    this.run = run;
    if (this.title.textContent !== (run.title || run.name))
      fill(this.title, breakable(run.title || run.name));
    setText(this.line, `${run.board} · ${run.format} · ${formatProgress(run)}`);
    this.progress.value = run.state === "finished" ? 1 : run.games / Math.max(1, run.games_planned);
    setText(this.verdict, run.verdict ? formatVerdict(run) : "");
    this.verdict.hidden = !run.verdict;
    this.stop.hidden = !(run.state === "playing" && run.mine);
    this.resume.hidden = run.state !== "stopped";
    this.report.hidden = !run.has_report;
    this.study.hidden = !run.study_report;
    if (run.study_report) {
      this.study.href = studyReport(run.study);
      setText(this.study, `Report of the study ${run.study}`);
    }
    this.standings.show(run.standings);
    this.test.show(run);
    this.sweep.show(run.sweep);
    this.cross.show(run.cross);
    this.encounters.show(run.encounters);
    this.heat.show(run);
    this.live.show(run);
    this.#loadGames();
  }

  async #loadGames() {
    if (this.tabs.shown !== "games" || !this.run || this.#readGames === this.run.games) return;
    this.#readGames = this.run.games;
    await this.replay.load(this.run.players);
    if (this.wanted) await this.replay.open(this.wanted);
    this.wanted = null;
  }
}
