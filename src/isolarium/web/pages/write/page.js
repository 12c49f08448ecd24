// Write: a heuristic in Python, with the value of every move while you type, a match, and a file.

import { marksOf } from "../analyse/move_colours.js";
import { BoardView } from "../board/board.js";
import { formatGame, parseGame } from "../game/notation.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { holdAddress, readAddress, writeAddress } from "../shared/address.js";
import { get, listen, post } from "../shared/api.js";
import { PlayerStrip, boardSide } from "../shared/board_side.js";
import { fill, h, setText } from "../shared/dom.js";
import { recall, remember, saveFile } from "../shared/storage.js";
import { CodeEditor } from "./code_editor.js";

export const title = "Write";

const STORED = "draft";
const PAIRS = 200;
const LATE_MS = 1000; // the time after which the values of an earlier draft are removed
const LIMIT = "@nodes=1000";
const OPPONENT = `alphabeta:improved${LIMIT}`;
const START = "7x7: d4 b3 c6 d2";
const SAMPLE = { rows: 7, cols: 7, plies: 8 };

export async function open(main, keys) {
  const page = new WritePage(keys);
  main.append(page.element);
  await page.begin();
}

class WritePage {
  #asks = false; // whether values are being computed
  #again = false; // whether the draft or the position has changed meanwhile
  #last = null; // the latest values

  constructor(keys) {
    this.editor = new CodeEditor(recall(STORED) ?? EXAMPLE);
    this.tree = readTree(readAddress(location.search).game ?? START);
    this.board = new BoardView();
    this.strip = new PlayerStrip();
    this.problem = h("p.error", { role: "alert" });
    this.status = h("p.small.quiet-text", { role: "status" });
    this.choice = h("select", { "aria-label": "Heuristic", onchange: () => this.#evaluate() });
    this.functions = h("label.inline", { hidden: true }, "Show", this.choice);
    this.match = new DraftMatch(() => ({ text: this.editor.text, name: this.#last?.function }));
    this.file = new DraftFile(this.editor);
    this.editor.addEventListener("typed", () => this.#evaluate());
    this.board.addEventListener("choose", ({ detail }) => this.#play(detail));
    this.element = this.#build();
    keys.bind("ArrowLeft", "take the last move back", () => this.#walk("back"));
    keys.bind("ArrowRight", "play it again", () => this.#walk("forward"));
  }

  #build() {
    const button = (text, action) => h("button", { type: "button", onclick: action }, text);
    this.back = button("Back", () => this.#walk("back"));
    const side = boardSide(this.board, [this.strip.element], [
      this.status,
      h("div.row", {}, this.back, button("Another position", () => this.#sample()), this.functions),
    ]);
    return h(
      "div.write",
      {},
      h(
        "section.stack",
        { "aria-label": "Heuristic" },
        h("h1", {}, "Write a heuristic"),
        h("p.quiet-text.small", {}, "Press Escape, then Tab, to leave the editor. ", h("kbd", {}, "Ctrl-Z"), " undoes."),
        this.editor.element,
        this.problem,
        this.match.element,
        this.file.element,
      ),
      side,
    );
  }

  async begin() {
    this.#draw();
    const { allowed, folders } = await get("/api/write", { onWait: (text) => fill(this.problem, text) });
    if (!allowed) return void fill(this.element, h("div.stack", {}, h("h1", {}, "Write a heuristic"), h("p", {}, OFF)));
    this.file.offer(folders);
    await this.editor.open();
    await this.#evaluate();
  }

  #play(square) {
    if (!this.tree.position.isLegal(square)) return;
    this.tree.play(square);
    this.#move();
  }

  #walk(step) {
    this.tree[step]();
    this.#move();
  }

  /** Draw a position a few moves into a random game. */
  #sample() {
    this.tree = readTree(`${SAMPLE.rows}x${SAMPLE.cols}:`);
    for (let ply = 0; ply < SAMPLE.plies; ply++) {
      const moves = this.tree.position.legalMoves();
      if (!moves.length) break;
      this.tree.play(moves[Math.floor(Math.random() * moves.length)]);
    }
    this.#move();
  }

  #move() {
    this.#clear();
    holdAddress(writeAddress({ game: this.#game }));
    this.#evaluate();
  }

  get #game() {
    return formatGame(this.tree.root.position, GameTree.movesTo(this.tree.current));
  }

  /** Request the values of the moves; one request at a time, and again if something changed meanwhile. */
  async #evaluate() {
    remember(STORED, this.editor.text);
    this.#again = this.#asks;
    if (this.#asks) return;
    this.#asks = true;
    setText(this.status, "Computing the values…");
    const game = this.#game;
    const late = setTimeout(() => this.#clear(), LATE_MS);
    try {
      const { text } = this.editor;
      const asked = { text, function: this.choice.value || null, game };
      const found = text.trim() ? await post("/api/write/values", asked) : EMPTY;
      if (game === this.#game) this.#show(found);
    } catch (error) {
      fill(this.problem, error.message);
      setText(this.status, "");
    }
    clearTimeout(late);
    this.#asks = false;
    if (this.#again) await this.#evaluate();
  }

  /** Remove the values of an earlier draft. */
  #clear() {
    this.#last = this.#last && { ...this.#last, moves: [] };
    this.#draw();
  }

  #show(found) {
    this.#last = found;
    this.editor.mark(found.problem);
    fill(this.problem, found.problem && problemText(found.problem));
    fill(this.choice, found.functions.map((name) => h("option", { selected: name === found.function }, name)));
    this.functions.hidden = found.functions.length < 2;
    this.match.allow(!found.problem?.error);
    this.#draw();
    setText(this.status, valuesText(found));
  }

  #draw() {
    const { position, current } = this.tree;
    const moves = (this.#last?.moves ?? []).map(({ move, value }) => ({ move, heuristics: [value], value: "unknown", plies: null }));
    const winner = position.winner();
    this.board.show({
      position,
      last: current.move,
      trails: trailsTo(current),
      dots: true,
      marks: marksOf(position, { moves }, "heuristic"),
      trapped: winner === null ? null : 1 - winner,
      label: "Values by your heuristic",
    });
    this.strip.show(["Blue", "Orange"], position, winner !== null);
    this.back.disabled = !current.parent;
  }
}

function readTree(text) {
  try {
    const { start, moves } = parseGame(text);
    return new GameTree(start, moves);
  } catch {
    return readTree(START);
  }
}

// A match of the draft, with its live result.

class DraftMatch {
  /** @param {() => {text: string, name: string}} draft */
  constructor(draft) {
    this.draft = draft;
    this.button = h("button.main", { type: "button", disabled: true, onclick: () => this.#begin() }, `Play ${PAIRS} pairs against improved`);
    this.line = h("p", { role: "status" });
    this.bar = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Games played" });
    this.link = h("a", { href: "/watch", hidden: true }, "Open the run");
    this.element = h("div.stack", {}, h("div.row", {}, this.button, this.link), this.bar, this.line);
  }

  allow(may) {
    this.button.disabled = !may || this.isPlaying;
  }

  async #begin() {
    const { text, name } = this.draft();
    this.name = name;
    this.isPlaying = this.button.disabled = true;
    setText(this.line, "Starting the match…");
    try {
      const { file } = await post("/api/write/draft", { text, function: name });
      const first = `alphabeta:${file}:${name}${LIMIT}`;
      const { runs } = await post("/api/runs", { kind: "match", first, second: OPPONENT, pairs: PAIRS, name });
      this.link.href = `/watch?run=${encodeURIComponent(runs[0])}`;
      this.link.hidden = this.bar.hidden = false;
      this.#follow(`/api/runs/${encodeURIComponent(runs[0])}/live`);
    } catch (error) {
      setText(this.line, error.message);
      this.#end();
    }
  }

  #follow(path) {
    const show = ({ kind, run, error }) => {
      if (kind !== "run") return void setText(this.line, error);
      setText(this.line, matchText(run, this.name));
      this.bar.value = run.state === "finished" ? 1 : run.games / Math.max(1, run.games_planned);
      if (run.state !== "playing") this.#end();
    };
    listen(path, show, () => this.isPlaying && this.#follow(path));
  }

  #end() {
    this.isPlaying = false;
    this.button.disabled = false;
  }
}

// The draft as a file: saved in a folder of the server, or downloaded.

class DraftFile {
  /** @param {CodeEditor} editor */
  constructor(editor) {
    this.editor = editor;
    this.name = h("input", { type: "text", value: "my_heuristic.py", "aria-label": "File name", spellcheck: "false" });
    this.folder = h("select", { "aria-label": "Folder", hidden: true });
    this.save = h("button", { type: "button", hidden: true, onclick: () => this.#save() }, "Save");
    this.line = h("p.small", { role: "status" });
    const download = h("button", { type: "button", onclick: () => saveFile(this.name.value, editor.text, "text/x-python") }, "Download");
    const restore = h("button.quiet", { type: "button", onclick: () => (editor.text = EXAMPLE) }, "Start over");
    this.element = h("div.stack", {}, h("div.row.file", {}, this.folder, this.name, this.save, download, restore), this.line);
  }

  /** Offer the folders in which files can be saved. */
  offer(folders) {
    fill(this.folder, folders.map((name, at) => h("option", { value: at }, name)));
    this.folder.hidden = folders.length < 2;
    this.save.hidden = !folders.length;
    if (!folders.length) setText(this.line, "To save on the server, start it with --allow FOLDER.");
  }

  async #save() {
    const wanted = { text: this.editor.text, folder: Number(this.folder.value), name: this.name.value.trim() };
    try {
      const { file } = await post("/api/write/file", wanted);
      setText(this.line, `Saved. Its spec is alphabeta:${file}:NAME.`);
    } catch (error) {
      setText(this.line, error.message);
    }
  }
}

// The texts.

const EXAMPLE = `from isolarium.heuristics import heuristic, mobility


@heuristic
def freer(view, own, opp):
    """Have more moves than the opponent."""
    return mobility(view, own) - mobility(view, opp)
`;

const EMPTY = {
  functions: [],
  function: "",
  moves: [],
  problem: { line: null, message: "The editor is empty; write a heuristic, or choose Start over.", error: true },
};

const OFF =
  "Writing is off on this server, because others can reach it. The option --allow-write of isolarium serve turns it on.";

/** What the board shows. */
function valuesText({ function: name, moves, problem }) {
  if (problem?.error) return "";
  if (!moves.length) return "The game is over here.";
  if (moves.every(({ value }) => value === null)) return "Heuristics apply once both knights are placed.";
  return `Each square shows the value by ${name} after that move, for the player who moves.`;
}

/** A problem in a line of text. */
const problemText = ({ line, message }) => (line ? `Line ${line}: ${message}` : message);

/** The progress, the score and the verdict of a match. */
function matchText({ state, games, games_planned: planned, verdict, figure, problem }, name) {
  if (problem) return problem;
  const done = state === "finished" ? "" : `${games} of ${planned} games. `;
  return verdict ? `${done}${name} against improved: ${figure}, ${verdict}.` : `${done}Compiling and playing the first games…`;
}
