// The entry point of every page: sets up the header, then opens the page that the address names.

import { addressOf, currentPlace, isSite } from "./shared/address.js";
import { engineNotice } from "./shared/answers.js";
import { takeToken } from "./shared/api.js";
import { isSoundOn, turnSound } from "./shared/board_side.js";
import { fill, h } from "./shared/dom.js";
import { Keys } from "./shared/keys.js";
import { recall, remember } from "./shared/storage.js";

// The header: navigation, the theme, and the panel of keys.

const THEMES = [
  [null, "◐", "System"],
  ["light", "○", "Light"],
  ["dark", "●", "Dark"],
];

function openHeader(place, keys) {
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.getAttribute("href") === addressOf(place)) link.setAttribute("aria-current", "page");
  }
  openTheme(document.getElementById("theme"));
  const toggle = openHelp(document.getElementById("help"), document.getElementById("keys"), keys);
  keys.bind("?", "show or hide this panel", toggle);
  keys.bind("Escape", "", () => document.getElementById("keys").hidden || toggle());
}

function openTheme(button) {
  let at = Math.max(
    0,
    THEMES.findIndex(([theme]) => theme === recall("theme")),
  );
  const show = () => {
    const [theme, sign, name] = THEMES[at];
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    fill(button, h("span", { "aria-hidden": "true" }, sign), h("span.wide", {}, ` ${name}`));
    button.setAttribute("aria-label", `Theme: ${name}`);
  };
  button.addEventListener("click", () => {
    at = (at + 1) % THEMES.length;
    remember("theme", THEMES[at][0]);
    show();
  });
  show();
}

// The board's theme and the sound, above the keys, which a phone does not have.

const BOARDS = [
  ["", "Paper"],
  ["wood", "Wood"],
  ["sea", "Sea"],
  ["contrast", "High contrast"],
];

function boardChoice() {
  const choice = h(
    "select",
    { "aria-label": "Board theme" },
    BOARDS.map(([value, name]) => h("option", { value, selected: value === (recall("board") ?? "") }, name)),
  );
  choice.addEventListener("change", () => {
    remember("board", choice.value || null);
    if (choice.value) document.documentElement.dataset.board = choice.value;
    else delete document.documentElement.dataset.board;
  });
  return h("label", {}, h("span.name-of", {}, "Board"), choice);
}

function soundChoice() {
  const box = h("input", { type: "checkbox", checked: isSoundOn() });
  box.addEventListener("change", () => turnSound(box.checked));
  return h("label.inline", {}, box, "sound");
}

function openHelp(button, panel, keys) {
  const toggle = () => {
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
    if (panel.hidden) return;
    fill(
      panel,
      h("h2", {}, "Settings"),
      h("div.stack.choices", {}, boardChoice(), soundChoice()),
      h("h2", {}, "Keys"),
      h(
        "dl",
        {},
        keys.described().map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]),
      ),
      h("button", { type: "button", onclick: toggle }, "Close"),
    );
  };
  button.addEventListener("click", toggle);
  return toggle;
}

const PLACES = {
  play: () => import("./play/page.js"),
  analyse: () => import("./analyse/page.js"),
  watch: () => import("./watch/page.js"),
  learn: () => import("./learn/page.js"),
  write: () => import("./write/page.js"),
  friend: () => import("./friend/page.js"),
};

const THINKING = ["play", "analyse", "learn"];
const place = currentPlace() in PLACES ? currentPlace() : "play";
const keys = new Keys();
takeToken();
openHeader(place, keys);
if (engineNotice && THINKING.includes(place)) {
  document.getElementById("main").prepend(h("p.small.engine-notice", {}, engineNotice));
}
const page = await PLACES[place]();
document.title = `${page.title} · Isolarium`;
page.open(document.getElementById("main"), keys);
if (isSite) navigator.serviceWorker?.register("./service_worker.js"); // the files for the next visit, with or without a network
