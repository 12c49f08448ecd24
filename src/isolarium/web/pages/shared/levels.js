// Levels of play with their names and strengths, and links from any position to Play and back.

import { formatStart } from "../game/notation.js";
import { PERSON, writeAddress } from "./address.js";
import { h } from "./dom.js";

/** @param {{level: number, name: string}} level one of the server's levels of play. */
export function levelName({ level, name }) {
  return `Level ${level} · ${name}`;
}

/** The level that uses an agent, if any. */
export function levelOf(spec, levels) {
  return levels.find(({ agent }) => agent === spec);
}

/** The name of an agent's level, or its spec if it is not a level. */
export function agentName(spec, levels) {
  const level = levelOf(spec, levels);
  return level ? levelName(level) : spec;
}

/** How a level plays, and its strength on a board such as 7x7 if it was measured there. */
export function levelWords({ level, about, elo }, board) {
  const known = level > 1 && elo[board] !== undefined;
  return known ? `${about}; ${elo[board]} Elo above level 1 on ${board}` : about;
}

// Links from any position to Play, and back.

/** The default agent, until the server has sent its levels. */
export const USUAL_AGENT = "mcts@nodes=100";
const BACK = { analyse: "Back to the analysis", watch: "Back to the run", learn: "Back to the lesson" };

/** A link to play from a position, as the player to move; null if the game is over. */
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

/** The link back to the page the visitor came from; null if it is not one of Isolarium's. */
export function linkBack(from) {
  const place = /^\/(analyse|watch|learn)(\?|$)/.exec(from ?? "");
  return place && h("a", { href: from }, `‹ ${BACK[place[1]]}`);
}
