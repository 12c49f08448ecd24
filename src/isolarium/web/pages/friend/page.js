// Play a friend by link: a form that creates a game, or the game in the address's fragment.

import { NotationError } from "../game/notation.js";
import { ApiError, post } from "../shared/api.js";
import { BoardSize } from "../shared/controls.js";
import { h, setText } from "../shared/dom.js";
import { FriendGame } from "./game.js";
import { formatClock } from "./messages.js";
import { keepOpened, knownGames, placeOf } from "./seats.js";

export const title = "Play a friend";

export function open(main, keys) {
  addEventListener("hashchange", ({ oldURL }) => {
    if (placeOf(location.hash)) location.reload(); // another link was followed
    else history.replaceState(null, "", oldURL); // the skip link was followed
  });
  const place = placeOf(location.hash);
  main.append(place ? new FriendGame(place, keys).element : new NewGameForm().element);
}

// The form that creates a game, and links to this browser's games.

const STARTERS = [
  ["lot", "at random"],
  ["me", "you"],
  ["friend", "your friend"],
];
const CLOCKS = [
  [60, 1],
  [180, 2],
  [300, 5],
  [900, 10],
  [3600, 30],
].map(([start_s, increment_s]) => ({ start_s, increment_s }));
const WHEN = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

class NewGameForm {
  constructor() {
    this.sides = new BoardSize();
    this.starters = STARTERS.map(([value], at) =>
      h("input", { type: "radio", name: "starter", value, checked: at === 0 }),
    );
    this.clock = h(
      "select",
      { id: "clock" },
      h("option", { value: "" }, "no clock"),
      CLOCKS.map((clock, at) => h("option", { value: at }, formatClock(clock))),
    );
    this.problem = h("p.error", { role: "alert" });
    this.button = h("button.main", { type: "submit" }, "Create game");
    this.form = h(
      "form.stack.card",
      { novalidate: true },
      h("fieldset", {}, h("legend", {}, "Board, rows by columns"), this.sides.element),
      h(
        "fieldset",
        {},
        h("legend", {}, "Who starts"),
        h("div.row", {}, STARTERS.map(([, words], at) => h("label.inline", {}, this.starters[at], words))),
      ),
      h("label", { for: "clock" }, h("span.name-of", {}, "Clock, starting once both knights are placed"), this.clock),
      this.problem,
      this.button,
    );
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#create();
    });
    this.element = h(
      "div.stack.opening",
      {},
      h("h1", {}, "Play a friend"),
      h(
        "p.quiet-text",
        {},
        "You get two links: one for your friend and one for spectators. ",
        "Anyone who can reach this server can play, without an account.",
      ),
      this.form,
      this.#known(),
    );
  }

  async #create() {
    this.button.disabled = true;
    try {
      const board = this.sides.read().join("x");
      const first = this.starters.find(({ checked }) => checked).value;
      const clock = CLOCKS[this.clock.value] ?? null;
      const opened = await post("/api/friend", { board, first, clock: this.clock.value ? clock : null });
      keepOpened(opened);
      location.hash = `seat=${opened.seat}`; // the page opens it
    } catch (error) {
      if (!(error instanceof NotationError || error instanceof ApiError)) throw error;
      setText(this.problem, error.message);
      this.button.disabled = false;
    }
  }

  #known() {
    const games = Object.entries(knownGames());
    if (!games.length) return null;
    const item = ([watch, { opened }]) =>
      h("li", {}, h("a", { href: `/friend#watch=${watch}` }, `Created ${WHEN.format(opened)}`));
    return h("section.card", {}, h("h2", {}, "Your games with friends"), h("ul", {}, games.map(item)));
  }
}
