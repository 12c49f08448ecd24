// One run, updated live while it is played, with its games.

import { holdAddress, readAddress, writeAddress } from "../shared/address.js";
import { LOST, get, listen, post } from "../shared/api.js";
import { Tabs } from "../shared/controls.js";
import { breakable, fill, h, setText } from "../shared/dom.js";
import { formatProgress, formatVerdict, studyReport } from "./figures.js";
import { LiveBoard } from "./live_board.js";
import { Replay } from "./replay.js";
import { HeatMaps, ResultTable, SweepCurve, TestPath } from "./run_results.js";

export class RunPage {
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
