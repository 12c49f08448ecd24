// The share menu of a game: a link to it, the board as a picture, the game as an animation.

import { toPng } from "../board/picture.js";
import { h, setText } from "./dom.js";
import { saveFile } from "./storage.js";

const SHOWN_MS = 2000;

/**
 * A button that copies a text and confirms it.
 * @param {string} words on it.
 * @param {() => string} text what is copied.
 */
export function copyButton(words, text, props = {}) {
  const button = h("button", { type: "button", ...props }, words);
  button.addEventListener("click", async () => {
    await copy(text(), button);
    setText(button, "Copied");
    setTimeout(() => setText(button, words), SHOWN_MS);
  });
  return button;
}

async function copy(text, beside) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages that come over plain HTTP from elsewhere have no other way.
    const field = h("textarea.unseen", { readonly: true }, text);
    beside.after(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    beside.focus();
  }
}

/**
 * The menu, as a group of buttons.
 * @param {import("../board/board.js").BoardView} board the board whose picture is taken.
 * @param {() => object} node the end of the game, of its tree.
 * @param {() => string} address of the link.
 */
export function shareMenu(board, node, address = () => location.href) {
  return h(
    "div.row.take-along",
    { role: "group", "aria-label": "Take it along" },
    copyButton("Copy link", address),
    h("button", { type: "button", onclick: async () => saveFile("board.png", await toPng(board)) }, "PNG"),
    gifButton(node, () => board.state?.flipped),
  );
}

/** A button that makes an animation of a game; the code that draws it is loaded on demand. */
export function gifButton(node, isFlipped = () => false) {
  const button = h("button", { type: "button" }, "GIF");
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const { toGif } = await import("../board/animation.js");
      const onMove = (done, all) => setText(button, `GIF ${done}/${all}`);
      saveFile("game.gif", await toGif(node(), { flipped: isFlipped(), onMove }));
    } finally {
      button.disabled = false;
      setText(button, "GIF");
    }
  });
  return button;
}
