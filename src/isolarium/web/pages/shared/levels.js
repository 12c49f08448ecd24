// What agents are called where people play them: a level of play by its name, any other by its spec. No DOM.

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
