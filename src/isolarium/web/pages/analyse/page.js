// Analyse: a game with its exact values, its variations, and the estimates of heuristics.

import { BoardView } from "../board/board.js";
import { colourName, refusal } from "../board/messages.js";
import { NotationError, formatSquare, parseSquare } from "../game/notation.js";
import { GameTree, trailsTo } from "../game/tree.js";
import { FIRST_MISTAKE, beginAddress, holdAddress, readAddress, writeAddress } from "../shared/address.js";
import { agentCatalogue } from "../shared/api.js";
import { Explainer, MoveList, PlayerStrip, boardSide, numbersToggle } from "../shared/board_side.js";
import { Tabs } from "../shared/controls.js";
import { fill, h, setText } from "../shared/dom.js";
import { playFrom } from "../shared/levels.js";
import { Editor } from "./editor.js";
import { EngineAnalysis } from "./engine.js";
import { PositionValues, TreeJudge } from "./game_judge.js";
import { Accuracy, EvaluationGraph } from "./game_review.js";
import { currentText, headlineOf, lineOf, openingOf, placingsOf, readTree, treeTexts } from "./game_text.js";
import { ColourChoice, HeuristicComparison } from "./heuristic_values.js";
import { GameExport, GameImport } from "./import_export.js";
import { marksOf } from "./move_colours.js";
import { Tools } from "./tools.js";

export const title = "Analyse";

const SIGNS = "? gave the win away (step between these with ‹ ? and ? ›). ✓ kept it when another move would not. ★ keeps it.";
const HEURISTICS = ["improved", "distance"]; // compared by default

export function open(main, keys) {
  const page = new AnalysePage(keys);
  main.append(page.element);
  page.begin();
}

class AnalysePage {
  constructor(keys) {
    const texts = readAddress(location.search);
    this.flipped = texts.flip === "1";
    this.seeking = texts.at === FIRST_MISTAKE; // until it is found or the visitor moves elsewhere
    this.note = ""; // shown instead of the last move
    const onProblem = (text) => fill(this.problem, text);
    this.judge = new TreeJudge(() => this.#judged(), onProblem);
    this.values = new PositionValues(() => this.#updated(), onProblem);
    this.ahead = new EngineAnalysis(
      () => this.#searched(),
      onProblem,
      (squares) => this.tools.playLine(squares, squares.length),
    );
    this.editor = new Editor(
      () => this.#drawAll(),
      (position) => this.#begin(new GameTree(position)),
    );
    this.board = new BoardView();
    this.strip = new PlayerStrip();
    this.why = new Explainer(this.board);
    this.graph = new EvaluationGraph((ply) => this.goTo(this.tree.line()[ply]));
    this.headline = h("h1");
    this.line = h("p.line");
    this.notice = h("p.error", { role: "alert" }); // errors in the address or a loaded game
    this.problem = h("p.error", { role: "alert" }); // errors from the server
    this.moves = new MoveList((node) => this.goTo(node));
    this.accuracy = new Accuracy();
    const heuristics = [texts.one ?? HEURISTICS[0], texts.other ?? HEURISTICS[1]];
    this.comparing = new HeuristicComparison(heuristics, () => this.#draw());
    this.saving = new GameExport(this.board);
    this.loading = new GameImport((game, seeks) => this.#load(game, seeks));
    this.colouring = new ColourChoice(texts, () => this.#draw());
    this.tools = new Tools(this);
    this.play = h("div.row");
    this.ofLine = h("div.stack", {}, this.tools.line.element, this.play);
    this.invitation = h(
      "div.row",
      {},
      h("button.main", { type: "button", onclick: () => this.loading.example() }, "Try an example"),
      h("button", { type: "button", onclick: () => this.tabs.show("load") }, "Paste a game"),
      h("button", { type: "button", onclick: () => this.tabs.show("edit") }, "Set up a position"),
    );
    this.tabs = this.#buildTabs();
    this.element = this.#build();
    this.board.addEventListener("choose", ({ detail }) => this.choose(detail));
    this.tools.bindKeys(keys);
  }

  #buildTabs() {
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
          this.colouring.element,
        ),
      ],
      ["compare", "Compare", this.comparing.element],
      ["load", "Load", this.loading.element],
      ["edit", "Edit", this.editor.element],
      ["save", "Share", this.saving.element],
    ]);
  }

  #build() {
    return h(
      "div.table.with-graph",
      {},
      boardSide(this.board, [this.strip.element], [this.graph.element, this.tools.steps]),
      h(
        "section.panel",
        { "aria-label": "Analysis" },
        h(
          "div.status",
          {},
          this.headline,
          this.line,
          this.ahead.card.element,
          this.invitation,
          this.notice,
          this.problem,
        ),
        this.tabs.element,
      ),
    );
  }

  async begin() {
    this.#readAddress();
    this.tabs.element.addEventListener("sheet", ({ detail }) => {
      if (detail === "edit") this.editor.begin(this.tree.position);
      this.#draw();
    });
    addEventListener("popstate", () => {
      this.#readAddress();
      this.#draw();
    });
    this.#draw();
    const { heuristics } = await agentCatalogue({ onWait: (text) => fill(this.notice, text) }).catch((error) => {
      fill(this.notice, error.message);
      return { heuristics: [] };
    });
    this.comparing.offer(heuristics);
  }

  #readAddress() {
    fill(this.notice);
    try {
      this.tree = readTree(readAddress(location.search));
      if (this.seeking) this.tree.toEnd();
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      this.tree = readTree({});
      fill(this.notice, `The address does not contain a valid game: ${error.message}`);
    }
  }

  get isEditing() {
    return this.tabs.shown === "edit";
  }

  /** The position on the board. */
  get shown() {
    return this.isEditing ? this.editor.position : this.tree.position;
  }

  /** Play the chosen square, along a known line or as a new variation. */
  choose(square) {
    if (this.isEditing) return void this.editor.choose(square);
    const { position } = this.tree;
    if (position.winner() !== null) return;
    if (!position.isLegal(square)) return void this.say(refusal(position, square));
    this.tree.play(square);
    this.moved();
  }

  /** Show a note instead of the last move, until something changes. */
  say(words) {
    this.note = words;
    this.#drawAll();
    this.board.say(words);
  }

  /** Update after a result about the game. */
  #judged() {
    const line = this.tree.mainLine();
    const [mistake] = this.judge.of(line).mistakes; // they come in order
    if (this.seeking && mistake) this.goTo(line[mistake]);
    else this.#updated();
  }

  /** Update after a result about a position: the engine may have another one to search. */
  #updated() {
    this.#search();
    this.#drawAll();
  }

  /** Update after an engine result. This happens many times a second, so clickable elements are kept. */
  #searched() {
    this.#search();
    this.#drawPosition();
  }

  #search() {
    if (this.isEditing) this.ahead.pause();
    else this.ahead.search(this.tree, this.known, this.judge);
  }

  goTo(node) {
    if (this.isEditing) this.tabs.show("moves");
    this.tree.current = node;
    this.moved();
  }

  flip() {
    this.flipped = !this.flipped;
    this.#draw();
  }

  #load({ start, moves }, seeks) {
    this.#begin(new GameTree(start, moves));
    this.seeking = seeks;
  }

  /** Open another game or position, with a new history entry. */
  #begin(tree) {
    tree.toStart();
    this.tree = tree;
    beginAddress(this.#query());
    fill(this.notice);
    this.tabs.show("moves");
    this.moved();
  }

  /** Redraw after a step in the tree or a change to it. */
  moved() {
    this.seeking = false;
    this.#draw();
    this.board.say([this.headline.textContent, this.line.textContent].join(". "));
  }

  /** After any change: update the address, redraw, and request missing results. */
  #draw() {
    this.note = "";
    this.#keepAddress();
    this.judge.judge(this.tree, this.comparing.heuristics[0] || null);
    this.#updated();
    if (!this.tree.isEmpty) this.values.ask(this.#request());
  }

  #keepAddress() {
    holdAddress(this.#query());
  }

  /** The query for the address. */
  #query() {
    const [one, other] = this.comparing.heuristics;
    return writeAddress({
      ...treeTexts(this.tree),
      ...this.colouring.texts,
      one: one === HEURISTICS[0] ? null : one,
      other: other === HEURISTICS[1] ? null : other,
      flip: this.flipped ? "1" : null,
    });
  }

  /** The values of the position on the board, or null until they arrive. */
  get known() {
    return this.values.of(this.#request());
  }

  /** The request for the values of the position on the board. */
  #request() {
    const heuristics = this.comparing.heuristics.filter(Boolean);
    return { game: currentText(this.tree), heuristics, searches: this.colouring.searches };
  }

  #drawAll() {
    const { tree, isEditing } = this;
    this.moves.show(tree, (node) => this.judge.of([node]).mark(node.ply));
    this.#drawGame();
    fill(this.play, playFrom(tree.position));
    this.invitation.hidden = !tree.isEmpty || isEditing;
    this.ofLine.hidden = tree.isEmpty || isEditing;
    for (const element of [this.graph.element, this.accuracy.element])
      element.hidden = !tree.root.children.length || isEditing;
    if (this.tabs.shown === "compare")
      this.comparing.show(tree.position, this.known, this.flipped);
    this.saving.show(tree);
    this.#drawPosition();
  }

  /** Show the position, its values and its line. */
  #drawPosition() {
    const { tree, isEditing } = this;
    const { current } = tree;
    const line = tree.line();
    const judgement = this.judge.of(line);
    const values = this.known;
    if (isEditing) this.#drawEdited();
    else this.#drawBoard(values);
    this.tools.show(values);
    const words = this.note || lineOf(tree, judgement);
    this.graph.show(judgement, line.length - 1, current.ply, words, (ply) => this.ahead.opinionOf(line[ply]));
    const [marker] = this.colouring.by === "search" ? this.colouring.searches : this.comparing.heuristics;
    this.ahead.show(current, isEditing ? null : values, marker ?? "");
    const headline = headlineOf(tree, judgement, this.ahead.proof(current, values) ?? values);
    setText(this.headline, isEditing ? "Edit the position" : headline);
    setText(this.line, isEditing ? "The game changes only when you analyse this position." : words);
  }

  #drawBoard(values) {
    const { position, current } = this.tree;
    const [best] = this.ahead.expected(current, values);
    this.board.show({
      position,
      last: current.move,
      trails: trailsTo(current),
      dots: !values && !position.placing,
      marks: values ? marksOf(position, values, this.colouring.by) : new Map(),
      arrows: best === undefined ? [] : [{ from: position.mover, to: best, player: position.toMove, bySearch: true }],
      stars: this.#kept(),
      flipped: this.flipped,
    });
    this.strip.show([0, 1].map(colourName), position, position.winner() !== null);
  }

  #drawEdited() {
    const { position } = this.editor;
    this.board.show({ position, fixed: true, flipped: this.flipped, label: "Editor" });
    this.strip.show([0, 1].map(colourName), position, false);
  }

  /** The summary of the whole game. */
  #drawGame() {
    const judgement = this.judge.of(this.tree.mainLine());
    this.accuracy.show(judgement.summary, {
      words: openingOf(this.tree, judgement),
      isWhole: judgement.isWhole(placingsOf(this.tree)),
      nameOf: (ply) => this.#moveName(ply),
    });
  }

  /** The name of a move of the main line, such as "move 2 (d5)". */
  #moveName(ply) {
    const node = this.tree.mainLine()[ply];
    return `move ${this.tree.numberOf(node)} (${formatSquare(node.move, node.position.cols)})`;
  }

  /** The move that keeps the win, shown before a mistake and right after it. */
  #kept() {
    const { current, position } = this.tree;
    const { rows, cols } = position;
    const [next] = current.children;
    const keeps = (next && this.judge.at(next)?.keeps) || this.judge.at(current)?.keeps;
    return keeps ? [parseSquare(keeps, rows, cols)] : [];
  }
}
