// The links of a game with a friend, to be copied: the friend's, that of those who watch, and one's own seat.

import { h, setText } from "../shared/dom.js";
import { linkTo } from "./seats.js";

const SHOWN_MS = 2000;

export class Invitation {
  /** @param {{seat: string|null, friend: string|null, watch: string}} tokens those that this browser has. */
  constructor({ seat, friend, watch }) {
    this.element = h(
      "details.card",
      { open: Boolean(friend) },
      h("summary", {}, friend ? "Invite" : "Links"),
      h(
        "div.stack",
        {},
        friend && copied("For your friend", linkTo("seat", friend), "Whoever has this link plays the other side."),
        copied("For those who want to watch", linkTo("watch", watch), "The address of this page, too."),
        seat && copied("For you, on another device", linkTo("seat", seat), "Keep it to yourself: it is your seat."),
      ),
    );
  }

  /** The friend has come: the links step back. */
  close() {
    this.element.open = false;
  }
}

/** A text with a button that copies it. */
function copied(name, text, note) {
  const input = h("input.spec", { type: "text", readonly: true, value: text, "aria-label": name });
  const button = h("button", { type: "button", "aria-label": `Copy the link ${name.toLowerCase()}` }, "Copy");
  button.addEventListener("click", async () => {
    input.select();
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      document.execCommand("copy"); // pages that come over plain HTTP have no other way
    }
    setText(button, "Copied");
    setTimeout(() => setText(button, "Copy"), SHOWN_MS);
  });
  return h(
    "div.copied",
    {},
    h("span.name-of", {}, name),
    h("div.copying", {}, input, button),
    h("p.small.quiet-text", {}, note),
  );
}
