// The seats that this browser has in games with friends, and the card with their links.
//
// A seat's token comes in the fragment of a link, which no server and no other page can read. Once its game is known,
// the address holds the link for watchers instead, so that sharing the address does not give the seat away; the tab,
// and for later visits the browser, remember the seat.

import { h } from "../shared/dom.js";
import { copyButton } from "../shared/share_menu.js";
import { recall, remember } from "../shared/storage.js";

const KNOWN = "friend-games";
const MOST = 20;

/** What the fragment of an address leads to: `{token}`, or null where it is none of ours. */
export function placeOf(hash) {
  const texts = new URLSearchParams(hash.slice(1));
  const watch = texts.get("watch");
  const token = texts.get("seat") ?? (watch && (inTab(watch) ?? knownGames()[watch]?.seat ?? watch));
  return token ? { token } : null;
}

/** The fragment of a link to a seat, or to where one watches. */
function linkTo(kind, token) {
  return `${location.origin}/friend#${kind}=${token}`;
}

/** Remember a game that was opened here, with its friend's link. */
export function keepOpened({ seat, friend, watch }) {
  write({ ...knownGames(), [watch]: { seat, friend, opened: Date.now() } });
}

/** Remember a token's seat once its game is known, and hold only the link for watchers in the address. */
export function keepSeat(watch, token) {
  if (token !== watch) {
    try {
      sessionStorage.setItem(`isolarium-seat-${watch}`, token);
    } catch {
      return; // the address is all there is
    }
    const known = knownGames();
    if (!known[watch]) write({ ...known, [watch]: { seat: token, opened: Date.now() } });
  }
  history.replaceState(null, "", `/friend#watch=${watch}`);
}

/** Forget a game. */
export function forgetGame(watch) {
  const { [watch]: _, ...others } = knownGames();
  write(others);
}

/** The games that this browser has a seat in, by the token of those who watch: `{seat, friend, opened}`. */
export function knownGames() {
  try {
    return JSON.parse(recall(KNOWN) ?? "{}");
  } catch {
    return {};
  }
}

function write(games) {
  const latest = Object.entries(games).sort(([, one], [, other]) => other.opened - one.opened);
  remember(KNOWN, JSON.stringify(Object.fromEntries(latest.slice(0, MOST))));
}

function inTab(watch) {
  try {
    return sessionStorage.getItem(`isolarium-seat-${watch}`);
  } catch {
    return null;
  }
}

// The links of a game, to be copied: for the friend, for watchers, and for the own seat.

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
