// The seats that this browser has in games with friends.
//
// A seat's token comes in the fragment of a link, which no server and no other page gets to see. Once it is known where
// it leads, the address holds the link of those who watch instead, so that nobody gives a seat away by sharing it; the
// tab, and for later visits the browser, remember the seat.

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
export function linkTo(kind, token) {
  return `${location.origin}/friend#${kind}=${token}`;
}

/** Remember a game that was just opened here, with its friend's link. */
export function keepOpened({ seat, friend, watch }) {
  write({ ...knownGames(), [watch]: { seat, friend, opened: Date.now() } });
}

/** Remember which seat a token is, once the server has said of which game; and hold only the watchers' link. */
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

/** What to remember no longer. */
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
