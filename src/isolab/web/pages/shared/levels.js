// What agents are called where people play them: a level of play by its name, any other by its spec. No DOM.

/** @param {{level: number, name: string}} level one of the server's levels of play. */
export function levelName({ level, name }) {
  return `Level ${level} · ${name}`;
}

/** The level's name of an agent that is one of the levels, else its spec. */
export function agentName(spec, levels) {
  const level = levels.find(({ agent }) => agent === spec);
  return level ? levelName(level) : spec;
}
