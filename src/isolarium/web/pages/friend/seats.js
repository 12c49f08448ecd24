// This browser's seats in games with friends, and the card with their links.
//
// A seat's token comes in the fragment of a link, which no server and no other page can read. Once the game is known,
// the address holds the spectators' link instead, so that sharing the address does not give the seat away. The tab and
// the browser remember the seat.

import { copyButton } from "../shared/controls.js";
import { h } from "../shared/dom.js";
import { recall, remember } from "../shared/storage.js";

const KNOWN = "friend-games";
const MOST = 20;

/** The token in the fragment of an address, as `{token}`; null if there is none. */
export function placeOf(hash) {
  const texts = new URLSearchParams(hash.slice(1));
  const watch = texts.get("watch");
  const token = texts.get("seat") ?? (watch && (inTab(watch) ?? knownGames()[watch]?.seat ?? watch));
  return token ? { token } : null;
}

/** A link to a seat, or for spectators. */
function linkTo(kind, token) {
  return `${location.origin}/friend#${kind}=${token}`;
}

/** Remember a game created here, with the friend's link. */
export function keepOpened({ seat, friend, watch }) {
  write({ ...knownGames(), [watch]: { seat, friend, opened: Date.now() } });
}

/** Remember a token's seat, and keep only the spectators' link in the address. */
export function keepSeat(watch, token) {
  if (token !== watch) {
    try {
      sessionStorage.setItem(`isolarium-seat-${watch}`, token);
    } catch {
      return; // without storage, only the address holds the seat
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

/** This browser's games by the spectators' token: `{seat, friend, opened}`. */
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

// The links of a game: for the friend, for spectators, and for your own seat on another device.

const LOOPBACK = /^(localhost|127\.[0-9.]+|\[::1\])$/;
const ONLY_HERE =
  "This server accepts connections from this machine only, so the links work only here. To invite others, start it with --host.";

export class Invitation {
  /** @param {{seat: string|null, friend: string|null, watch: string}} tokens this browser's tokens. */
  constructor({ seat, friend, watch }) {
    this.element = h(
      "details.card",
      { open: Boolean(friend) },
      h("summary", {}, friend ? "Invite" : "Links"),
      h(
        "div.stack",
        {},
        LOOPBACK.test(location.hostname) && h("p.small", {}, ONLY_HERE),
        friend && copied("For your friend", linkTo("seat", friend), "Anyone with this link can play the other side."),
        copied("For spectators", linkTo("watch", watch), "The address of this page works too."),
        seat && copied("For you, on another device", linkTo("seat", seat), "Keep it private: anyone with this link can play your side."),
      ),
    );
  }

  /** Collapse the card, once the friend is connected. */
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
