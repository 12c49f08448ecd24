// The way from any position to Play, and back to where one came from. No DOM but the link.

import { PERSON, writeAddress } from "./address.js";
import { formatStart } from "../game/notation.js";
import { h } from "./dom.js";

/** The server's usual level, before it has said which there are. */
export const USUAL_AGENT = "mcts@nodes=100";
const BACK = { analyse: "Back to the analysis", watch: "Back to the run", learn: "Back to the lesson" };

/** A link that plays on from a position, as the player to move; null where the game is over. */
export function playFrom(position, text = "Play from here") {
  if (position.winner() !== null) return null;
  const game = `${formatStart(position)}:`;
  const [first, second] = position.toMove === 0 ? [PERSON, USUAL_AGENT] : [USUAL_AGENT, PERSON];
  const here = () => location.pathname + location.search;
  const href = () => `/play${writeAddress({ game, first, second, from: here() })}`;
  const link = h("a.button", { href: href() }, text);
  link.addEventListener("pointerdown", () => (link.href = href())); // the address may have changed since
  return link;
}

/** The link back to the place that an address says one came from; null if that is none of ours. */
export function linkBack(from) {
  const place = /^\/(analyse|watch|learn)(\?|$)/.exec(from ?? "");
  return place && h("a", { href: from }, `‹ ${BACK[place[1]]}`);
}
