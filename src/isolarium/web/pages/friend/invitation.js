// The links of a game with a friend, to be copied: the friend's, that of those who watch, and one's own seat.

import { h } from "../shared/dom.js";
import { copyButton } from "../shared/share_menu.js";
import { linkTo } from "./seats.js";

const LOOPBACK = /^(localhost|127\.[0-9.]+|\[::1\])$/;
const ONLY_HERE =
  "This server is reached from this machine only: the links work in its own browsers. For others it has to be started with --host.";

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
        LOOPBACK.test(location.hostname) && h("p.small", {}, ONLY_HERE),
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
  const button = copyButton("Copy", () => text, { "aria-label": `Copy the link ${name.toLowerCase()}` });
  return h(
    "div.copied",
    {},
    h("span.name-of", {}, name),
    h("div.copying", {}, input, button),
    h("p.small.quiet-text", {}, note),
  );
}
