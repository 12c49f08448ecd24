// The list of runs: a line for each run with its kind, board, agents and verdict; a study is one item with its parts.

import { breakable, fill, h } from "../shared/dom.js";
import { counted, formatCount, studyReport } from "./figures.js";

export class RunList {
  #open = new Set(); // the studies whose parts are shown
  #closed = new Set(); // the studies whose parts the visitor has hidden

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
    const isOpen = !this.#closed.has(study) && (this.#open.has(study) || Boolean(playing));
    if (isOpen) this.#open.add(study); // so that it stays open when the study ends
    const toggle = ({ target }) => {
      this.#open[target.open ? "add" : "delete"](study);
      this.#closed[target.open ? "delete" : "add"](study);
    };
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
      h(
        "details",
        { open: isOpen, ontoggle: toggle },
        h("summary", {}, "Parts"),
        h("ul.runs", { "aria-label": `Parts of ${study}` }, parts.map((part) => h("li", {}, line(part)))),
      ),
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
