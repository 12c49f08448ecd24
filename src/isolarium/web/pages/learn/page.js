// Learn: the rules, the map of all starts, strategy, puzzles, and the visitor's own mistakes, on one board.

import { BoardView } from "../board/board.js";
import { noSuchSquare } from "../board/messages.js";
import { holdAddress, readAddress, writeAddress } from "../shared/address.js";
import { agentCatalogue } from "../shared/api.js";
import { Explainer, boardSide } from "../shared/board_side.js";
import { Tabs } from "../shared/controls.js";
import { fill, h, setText } from "../shared/dom.js";
import { RulesSheet, StrategySheet } from "./lessons.js";
import { MistakesSheet } from "./mistakes_sheet.js";
import { PuzzlesSheet } from "./puzzles_sheet.js";
import { StartsSheet } from "./starts_sheet.js";

export const title = "Learn";

const HEADLINES = {
  rules: "The rules",
  starts: "Who wins each start",
  strategy: "How to win",
  puzzles: "Only one move wins",
  mistakes: "Your mistakes",
};

export async function open(main, keys) {
  const page = new LearnPage(keys);
  main.append(page.element);
  await page.begin();
}

class LearnPage {
  constructor(keys) {
    const { sheet, board, puzzle, game, player, lesson } = readAddress(location.search);
    const isReview = sheet === "mistakes";
    this.catalogue = agentCatalogue({ onWait: (text) => fill(this.problem, text) });
    this.flipped = false;
    this.board = new BoardView();
    this.why = new Explainer(this.board);
    const isShown = (name) => name === this.tabs.shown; // a hidden sheet draws nothing
    const draw = (name) => () => isShown(name) && this.#draw();
    const refuse = (name) => (words) => isShown(name) && this.#refuse(words);
    this.sheets = {
      rules: new RulesSheet(draw("rules"), refuse("rules"), isReview || sheet === "starts" ? null : (game ?? null)),
      starts: new StartsSheet(draw("starts"), refuse("starts"), board ?? null, sheet === "starts" ? (game ?? null) : null),
      strategy: new StrategySheet(draw("strategy"), refuse("strategy"), lesson, this.catalogue, this.why),
      puzzles: new PuzzlesSheet(draw("puzzles"), refuse("puzzles"), puzzle ?? null, this.catalogue),
      mistakes: new MistakesSheet(
        draw("mistakes"),
        refuse("mistakes"),
        isReview ? { game, player } : {},
        this.catalogue,
      ),
    };
    this.headline = h("h1");
    this.problem = h("p.error", { role: "alert" });
    this.notice = h("p.error", { role: "alert" }); // why the last action was refused
    const { rules, starts, strategy, puzzles, mistakes } = this.sheets;
    this.tabs = new Tabs("Learn", [
      ["rules", "Rules", rules.element],
      ["starts", "Starts", starts.element],
      ["strategy", "Strategy", strategy.element],
      ["puzzles", "Puzzles", puzzles.element],
      ["mistakes", "Mistakes", mistakes.element],
    ]);
    this.element = h(
      "div.table.with-tabs",
      {},
      this.tabs.bar,
      boardSide(this.board),
      h(
        "section.panel",
        { "aria-label": "Lesson" },
        this.headline,
        this.problem,
        this.notice,
        this.tabs.element,
        this.why.element,
      ),
    );
    this.board.addEventListener("choose", ({ detail }) => this.sheet.choose(detail));
    this.#bindKeys(keys);
  }

  #bindKeys(keys) {
    keys.note("← ↑ → ↓", "select a square");
    keys.note("Enter", "choose the square");
    keys.typeSquares(
      () => this.state.position,
      (square) => this.sheet.choose(square),
      (name) => this.#refuse(noSuchSquare(this.state.position, name)),
    );
    keys.bind("u", "take back, or try again", () => this.sheet.takeBack());
    keys.bind("w", "change what the board shows", () => this.why.next());
    keys.bind("f", "flip the board", () => this.#flip());
    keys.bind("h", "hint", () => this.sheet.hint?.());
    keys.bind("n", "next, or start again", () => this.#next());
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"])
      keys.bind(key, "", () => this.board.focus());
  }

  get sheet() {
    return this.sheets[this.tabs.shown];
  }

  async begin() {
    const { sheet, lesson } = readAddress(location.search);
    const isThere = Object.hasOwn(this.sheets, sheet);
    if (isThere) this.tabs.show(sheet);
    this.tabs.element.addEventListener("sheet", () => this.#turn());
    this.#turn();
    if (sheet && !isThere) setText(this.problem, `There is no tab ${sheet} here.`);
    if (sheet === "strategy" && lesson && lesson !== String(this.sheets.strategy.number))
      setText(this.problem, `There is no lesson ${lesson}; this is lesson ${this.sheets.strategy.number}.`);
    try {
      const { boards } = await this.catalogue;
      await this.sheets.starts.begin(boards.solved);
    } catch (error) {
      fill(this.problem, error.message);
    }
  }

  /** Update after a change of tab: a lesson shows its overlay, the map of starts shows none. */
  #turn() {
    const { shown } = this.tabs;
    if (shown === "strategy") this.sheets.strategy.showOverlay();
    else this.why.restore();
    this.why.element.hidden = shown === "starts";
    if (shown === "starts") this.why.show("nothing");
    this.#draw();
  }

  #refuse(words) {
    setText(this.notice, words);
  }

  #flip() {
    this.flipped = !this.flipped;
    this.#draw();
  }

  #next() {
    if (this.tabs.shown === "rules") this.sheets.rules.again();
    else this.sheet.next?.();
  }

  #draw() {
    const { shown } = this.tabs;
    setText(this.notice, "");
    this.state = { ...this.sheet.show(), flipped: this.flipped };
    this.board.show(this.state);
    fill(this.headline, HEADLINES[shown]);
    const query = writeAddress({
      sheet: shown === "rules" ? null : shown,
      ...{ rules: { game: this.sheets.rules.game }, starts: { game: this.sheets.starts.game }, mistakes: this.sheets.mistakes.review }[shown],
      lesson: shown === "strategy" ? this.sheets.strategy.number : null,
      board: shown === "starts" ? this.sheets.starts.wanted : null,
      puzzle: shown === "puzzles" ? this.sheets.puzzles.wanted : null,
    });
    holdAddress(query);
  }
}
