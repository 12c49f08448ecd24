// Analyse: a game with its truth, its variations, and what heuristics think of it.

import { BoardView } from "../board/board.js";
import { colourName, noSuchSquare, refusal } from "../board/words.js";
import { FIRST_MISTAKE, readAddress, writeAddress } from "../game/address.js";
import { NotationError, formatSquare, parseSquare, parseStart } from "../game/notation.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { holdAddress } from "../shared/address_bar.js";
import { get } from "../shared/api.js";
import { boardSide } from "../shared/board_side.js";
import { fill, h, setText } from "../shared/dom.js";
import { MoveList } from "../shared/move_list.js";
import { numbersToggle } from "../shared/numbers_toggle.js";
import { playFrom } from "../shared/play_from.js";
import { PlayerStrip } from "../shared/players.js";
import { SeeWhy } from "../shared/see_why.js";
import { Tabs } from "../shared/tabs.js";
import { Accuracy } from "./accuracy.js";
import { bestMoves, marksOf } from "./colouring.js";
import { Comparing } from "./comparing.js";
import { GameJudge } from "./game_judge.js";
import { EvaluationGraph } from "./graph.js";
import { LineTools } from "./line_tools.js";
import { Loading } from "./loading.js";
import { PositionValues } from "./position_values.js";
import { Saving } from "./saving.js";
import { currentText, mainText, readTree, treeTexts } from "./tree_address.js";
import { headlineOf, lineOf, openingOf, placingsOf } from "./words.js";

export const title = "Analyse";

const LEGEND =
  "A square has the colour of the player who is better off after going there; + and − are for the one who goes. " +
  "★ marks the move that would have kept the win.";
const SIGNS = "? gave the win away. ✓ kept it where another move would not have.";
const HEURISTICS = ["improved", "distance"]; // those that are compared at first

export function open(main, keys) {
  const page = new AnalysePage(keys);
  main.append(page.element);
  page.begin();
}

class AnalysePage {
  constructor(keys) {
    const texts = readAddress(location.search);
    this.flipped = texts.flip === "1";
    this.seeking = texts.at === FIRST_MISTAKE; // until it is found, or somebody goes elsewhere
    this.note = ""; // what to say in place of the last move
    this.judge = new GameJudge(
      () => this.#judged(),
      (text) => fill(this.problem, text),
    );
    this.values = new PositionValues(
      () => this.#drawAll(),
      (text) => fill(this.problem, text),
    );
    this.board = new BoardView();
    this.strip = new PlayerStrip();
    this.why = new SeeWhy(this.board);
    this.graph = new EvaluationGraph((ply) => this.goTo(this.tree.mainLine()[ply]));
    this.headline = h("h1");
    this.line = h("p.line");
    this.notice = h("p.error", { role: "alert" }); // of the address and of what was loaded
    this.problem = h("p.error", { role: "alert" }); // of what was asked of the server
    this.moves = new MoveList((node) => this.goTo(node));
    this.accuracy = new Accuracy();
    const heuristics = [texts.one ?? HEURISTICS[0], texts.other ?? HEURISTICS[1]];
    this.comparing = new Comparing(heuristics, () => this.#draw());
    this.saving = new Saving(this.board);
    this.loading = new Loading((game) => this.#load(game));
    this.by = h("select", { id: "by", onchange: () => this.#draw() }, [
      h("option", { value: "exact" }, "who wins, where it is solved"),
      h("option", { value: "heuristic" }, "the first heuristic"),
      h("option", { value: "search" }, "a search"),
    ]);
    this.by.value = ["exact", "heuristic", "search"].includes(texts.by) ? texts.by : "exact";
    this.search = h("input.spec", {
      type: "text",
      value: texts.search ?? "alphabeta:improved@nodes=2000",
      "aria-label": "Search",
      spellcheck: "false",
      onchange: () => this.#draw(),
    });
    this.tools = new LineTools((tool) => this.#use(tool));
    this.play = h("div.row");
    this.ofLine = h("div.stack", {}, this.tools.element, this.play);
    this.invitation = h(
      "div.row",
      {},
      h("button.main", { type: "button", onclick: () => this.loading.example() }, "Try an example"),
      h("button", { type: "button", onclick: () => this.tabs.show("load") }, "Paste a game"),
    );
    this.tabs = this.#buildTabs();
    this.element = this.#build();
    this.board.addEventListener("choose", ({ detail }) => this.choose(detail));
    this.#bindKeys(keys);
  }

  #use(tool) {
    const uses = {
      previous: () => this.#toMistake(-1),
      next: () => this.#toMistake(1),
      best: () => this.#playBest(),
      promote: () => this.#walk("promote"),
      remove: () => this.#remove(),
      putBack: () => this.#putBack(),
    };
    uses[tool]();
  }

  #buildTabs() {
    const colouring = h(
      "div.stack",
      {},
      h("label", {}, h("span.name-of", {}, "Colour the moves by"), this.by),
      this.search,
      h("p.small.quiet-text", {}, LEGEND),
    );
    return new Tabs("Analysis", [
      [
        "moves",
        "Moves",
        h(
          "div.stack",
          {},
          this.moves.element,
          h("p.small.quiet-text", {}, SIGNS),
          this.ofLine,
          numbersToggle(this.board),
          this.why.element,
          this.accuracy.element,
          colouring,
        ),
      ],
      ["compare", "Compare", this.comparing.element],
      ["load", "Load", this.loading.element],
      ["save", "Save", this.saving.element],
    ]);
  }

  #build() {
    const button = (text, label, action) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    const steps = h(
      "div.steps",
      {},
      button("«", "To the start", () => this.#walk("toStart")),
      button("‹", "One move back", () => this.#walk("back")),
      button("›", "One move on", () => this.#walk("forward")),
      button("»", "To the end", () => this.#walk("toEnd")),
      button("Flip", "Flip the board", () => this.flip()),
    );
    return h(
      "div.table.with-graph",
      {},
      boardSide(this.board, [this.strip.element], [this.graph.element, steps]),
      h(
        "section.panel",
        { "aria-label": "Analysis" },
        h("div.status", {}, this.headline, this.line, this.invitation, this.notice, this.problem),
        this.tabs.element,
      ),
    );
  }

  #bindKeys(keys) {
    keys.bind("ArrowLeft", "one move back", () => this.#walk("back"));
    keys.bind("ArrowRight", "one move on", () => this.#walk("forward"));
    keys.bind("ArrowUp", "the variation above", () => this.#walk("beside", -1));
    keys.bind("ArrowDown", "the variation below", () => this.#walk("beside", 1));
    keys.bind("Home", "to the start", () => this.#walk("toStart"));
    keys.bind("End", "to the end", () => this.#walk("toEnd"));
    keys.typeSquares(
      () => this.tree.position,
      (square) => this.choose(square),
      (name) => this.#say(noSuchSquare(this.tree.position, name)),
    );
    keys.bind("u", "take back: one move back", () => this.#walk("back"));
    keys.bind("Delete", "remove the move and all after it", () => this.#remove());
    keys.bind("z", "put back what was removed", () => this.#putBack());
    keys.bind("h", "the best move", () => this.#playBest());
    keys.bind("m", "the next mistake", () => this.#toMistake(1));
    keys.bind("M", "the mistake before", () => this.#toMistake(-1));
    keys.bind("w", "see why: what is shown on the board", () => this.why.next());
    keys.bind("f", "flip the board", () => this.flip());
    keys.bind("n", "load another game", () => this.tabs.show("load"));
    keys.bind("v", "make this variation the main line", () => this.#walk("promote"));
  }

  async begin() {
    const texts = readAddress(location.search);
    try {
      this.tree = readTree(texts);
      if (this.seeking) this.tree.toEnd();
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      this.tree = readTree({});
      fill(this.notice, `The address holds no game: ${error.message}`);
    }
    this.tabs.element.addEventListener("sheet", () => this.#draw());
    this.#draw();
    const { heuristics } = await get("/api/agents").catch((error) => {
      fill(this.notice, error.message);
      return { heuristics: [] };
    });
    this.comparing.offer(heuristics);
  }

  /** A square was chosen: go there, along a known line or by a new variation. */
  choose(square) {
    const { position } = this.tree;
    if (position.winner() !== null) return;
    if (!position.isLegal(square)) return void this.#say(refusal(position, square));
    this.tree.play(square);
    this.#moved();
  }

  #say(words) {
    this.note = words;
    this.#drawAll();
    this.board.say(words);
  }

  /** More is known of the game. */
  #judged() {
    const [mistake] = this.judge.judgement.mistakes; // they are told of in order
    if (this.seeking && mistake) this.goTo(this.tree.mainLine()[mistake]);
    else this.#drawAll();
  }

  goTo(node) {
    this.tree.current = node;
    this.#moved();
  }

  flip() {
    this.flipped = !this.flipped;
    this.#draw();
  }

  #walk(way, ...more) {
    this.tree[way](...more);
    this.#moved();
  }

  #remove() {
    const { move, position } = this.tree.current;
    if (!this.tree.takeBack()) return;
    this.#moved();
    this.#say(`Removed ${formatSquare(move, position.cols)} and what came after it.`);
  }

  /** The next mistake of the game in a direction, from where the board is; null if there is none. */
  #mistake(step) {
    const { ply } = GameTree.pathTo(this.tree.current).findLast(({ isMain }) => isMain);
    const { mistakes } = this.judge.judgement;
    const found = step > 0 ? mistakes.find((one) => one > ply) : mistakes.findLast((one) => one < ply);
    return found ? this.tree.mainLine()[found] : null;
  }

  #toMistake(step) {
    const node = this.#mistake(step);
    if (node) this.goTo(node);
  }

  #putBack() {
    if (this.tree.putBack()) this.#moved();
  }

  #playBest() {
    const values = this.values.of(this.#question());
    if (values?.moves.length) this.choose(bestMoves(this.tree.position, values, this.by.value)[0]);
  }

  #load(game) {
    const start = parseStart(game.start);
    this.tree = new GameTree(
      start,
      game.moves.map((name) => parseSquare(name, start.rows, start.cols)),
    );
    this.tree.toStart();
    fill(this.notice);
    this.tabs.show("moves");
    this.#moved();
  }

  #moved() {
    this.seeking = false;
    this.#draw();
    this.board.say([this.headline.textContent, this.line.textContent].join(". "));
  }

  /** After anything changed: keep it in the address, show it, and ask for what is not known of it. */
  #draw() {
    this.note = "";
    this.#keepAddress();
    const heuristic = this.comparing.heuristics[0] || null;
    if (this.tree.root.children.length) this.judge.judge({ game: mainText(this.tree), heuristic });
    else this.judge.clear();
    this.#drawAll();
    if (!this.tree.isEmpty) this.values.ask(this.#question());
  }

  #keepAddress() {
    const [one, other] = this.comparing.heuristics;
    const query = writeAddress({
      ...treeTexts(this.tree),
      by: this.by.value === "exact" ? null : this.by.value,
      search: this.by.value === "search" ? this.search.value : null,
      one: one === HEURISTICS[0] ? null : one,
      other: other === HEURISTICS[1] ? null : other,
      flip: this.flipped ? "1" : null,
    });
    holdAddress(query);
  }

  /** What to ask the server about the position on the board. */
  #question() {
    const heuristics = this.comparing.heuristics.filter(Boolean);
    const search = this.by.value === "search" ? this.search.value.trim() : "";
    return { game: currentText(this.tree), heuristics, searches: search ? [search] : [] };
  }

  #drawAll() {
    const { tree } = this;
    const { position, current } = tree;
    const { judgement } = this.judge;
    const values = this.values.of(this.#question());
    this.search.hidden = this.by.value !== "search";
    this.board.show({
      position,
      last: current.move,
      trails: trailsTo(current),
      dots: !values && !position.placing,
      marks: values ? marksOf(position, values, this.by.value) : new Map(),
      stars: this.#kept(),
      flipped: this.flipped,
    });
    this.strip.show([0, 1].map(colourName), position, position.winner() !== null);
    this.moves.show(tree, (node) => (node.isMain ? judgement.mark(node.ply) : null));
    this.accuracy.show(judgement.summary, {
      words: openingOf(tree, judgement),
      isWhole: judgement.isWhole(placingsOf(tree)),
      nameOf: (ply) => this.#moveName(ply),
    });
    this.tools.show({
      previous: this.#mistake(-1),
      next: this.#mistake(1),
      best: values?.moves.length,
      promote: !current.isMain,
      remove: current.parent,
      putBack: tree.taken.length,
    });
    fill(this.play, playFrom(position));
    this.invitation.hidden = !this.tree.isEmpty;
    for (const element of [this.graph.element, this.accuracy.element, this.ofLine])
      element.hidden = this.tree.isEmpty;
    this.graph.show(judgement, tree.mainLine().length - 1, current.isMain ? current.ply : null);
    if (this.tabs.shown === "compare") this.comparing.show(position, values, this.flipped);
    this.saving.show(tree);
    setText(this.headline, headlineOf(tree, judgement, values));
    setText(this.line, this.note || lineOf(tree, judgement));
  }

  /** A move of the main line as the list has it, such as "move 2 (d5)". */
  #moveName(ply) {
    const node = this.tree.mainLine()[ply];
    return `move ${this.tree.numberOf(node)} (${formatSquare(node.move, node.position.cols)})`;
  }

  /** The move that would have kept the win, before a mistake of the main line. */
  #kept() {
    const { current } = this.tree;
    const next = current.isMain ? this.judge.judgement.at(current.ply + 1) : null;
    return next?.keeps ? [parseSquare(next.keeps, current.position.rows, current.position.cols)] : [];
  }
}
