// The share menu of a game: copy a link, or download the board as a picture or the game as an animation.

import { toPng } from "../board/picture.js";
import { h, setText } from "./dom.js";
import { saveFile } from "./storage.js";

const SHOWN_MS = 2000;

/**
 * A button that copies a text and confirms it.
 * @param {string} label
 * @param {() => string} text the text to copy.
 */
export function copyButton(label, text, props = {}) {
  const button = h("button", { type: "button", ...props }, label);
  button.addEventListener("click", async () => {
    await copy(text(), button);
    setText(button, "Copied");
    setTimeout(() => setText(button, label), SHOWN_MS);
  });
  return button;
}

async function copy(text, beside) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The clipboard API is missing on pages served over plain HTTP from another machine.
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
 * @param {import("../board/board.js").BoardView} board the board to draw.
 * @param {() => object} node the tree node at the end of the game.
 * @param {() => string} address the link to copy.
 */
export function shareMenu(board, node, address = () => location.href) {
  return h(
    "div.row.share-menu",
    { role: "group", "aria-label": "Share" },
    copyButton("Copy link", address),
    h("button", { type: "button", onclick: async () => saveFile("board.png", await toPng(board)) }, "Download PNG"),
    gifButton("Download GIF", node, () => board.state?.flipped),
  );
}

/** A button that downloads a game as an animation; the code that draws it is loaded on demand. */
export function gifButton(label, node, isFlipped = () => false) {
  const button = h("button", { type: "button" }, label);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const { toGif } = await import("../board/animation.js");
      const onMove = (done, all) => setText(button, `GIF ${done}/${all}`);
      saveFile("game.gif", await toGif(node(), { flipped: isFlipped(), onMove }));
    } finally {
      button.disabled = false;
      setText(button, label);
    }
  });
  return button;
}
