// Levels of play by name and strength, and links from any position to Play and back.

import { formatStart } from "../game/notation.js";
import { PERSON, writeAddress } from "./address.js";
import { h } from "./dom.js";

/** @param {{level: number, name: string}} level one of the server's levels of play. */
export function levelName({ level, name }) {
  return `Level ${level} · ${name}`;
}

/** The level whose agent this is, if it is one's. */
export function levelOf(spec, levels) {
  return levels.find(({ agent }) => agent === spec);
}

/** The level's name of an agent that is one of the levels, else its spec. */
export function agentName(spec, levels) {
  const level = levelOf(spec, levels);
  return level ? levelName(level) : spec;
}

/** How a level plays, and how strong that is on a board such as 7x7, where it was measured. */
export function levelWords({ level, about, elo }, board) {
  const known = level > 1 && elo[board] !== undefined;
  return known ? `${about}; ${elo[board]} Elo above level 1 on ${board}` : about;
}

// Links from any position to Play, and back.

/** The usual agent, until the server has sent its levels. */
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

/** The link back to the page that the visitor came from; null if it is not one of ours. */
export function linkBack(from) {
  const place = /^\/(analyse|watch|learn)(\?|$)/.exec(from ?? "");
  return place && h("a", { href: from }, `‹ ${BACK[place[1]]}`);
}
