// The ladder of levels: a visitor's results against each, the badges, the rating with its interval, and the streak, all
// from the stored games. No DOM.
//
// A game counts if it was played from an empty board on which the levels were measured, without a hint, a move taken
// back, or a change of opponent.

const BOARDS = ["7x7", "9x9"];
const WINS = 2; // of GAMES in a row against a level earn its badge
const GAMES = 3;

/** The board of a game that counts, such as 7x7; null for other games. */
function boardOf({ game, helped }) {
  const board = game.slice(0, game.indexOf(":"));
  return !helped && BOARDS.includes(board) ? board : null;
}

const counted = (games) => games.filter(boardOf);

/** The badges that games, newest first, earn: the day of each, by the agent's spec. */
export function earnedBadges(games) {
  const badges = {};
  const recent = {}; // the last results against each agent
  for (const { against, won, day } of counted(games).toReversed()) {
    const last = (recent[against] = [...(recent[against] ?? []), won].slice(-GAMES));
    if (last.filter(Boolean).length >= WINS) badges[against] ??= day;
  }
  return badges;
}

/** The results against an agent, and how many more wins in a row its badge takes at most. */
export function resultsAgainst({ games, badges }, agent) {
  const own = counted(games).filter(({ against }) => against === agent);
  const won = own.filter((game) => game.won).length;
  const next = own.slice(0, GAMES - 1).filter((game) => game.won).length; // of those that the next game joins
  return { won, lost: own.length - won, badge: badges[agent] ?? null, missing: Math.max(1, WINS - next) };
}

/** The number of wins in a row, now and at best. */
export function streakOf({ games }) {
  let [now, best] = [0, 0];
  for (const { won } of counted(games).toReversed()) {
    now = won ? now + 1 : 0;
    best = Math.max(best, now);
  }
  return { now, best };
}

// The rating: Elo above level 1, from the results against levels whose strength is known. The prior, 400 ± 400, spans the
// levels, so a few games give a wide interval, and a visitor who never lost a finite rating.

const PRIOR = { mean: 400, deviation: 400 };
const SPAN = { least: -1000, most: 2200, step: 10 };

/**
 * The rating on a board with its 95% interval, as `{rating, low, high, games}`; null before the first game.
 * @param {{agent: string, elo: object}[]} levels the server's levels of play.
 */
export function ratingOn(board, { games }, levels) {
  const played = counted(games)
    .filter((game) => boardOf(game) === board)
    .map(({ against, won }) => ({ won, elo: levels.find(({ agent }) => agent === against)?.elo[board] }))
    .filter(({ elo }) => elo !== undefined);
  if (!played.length) return null;
  const ratings = Array.from({ length: 1 + (SPAN.most - SPAN.least) / SPAN.step }, (_, at) => SPAN.least + at * SPAN.step);
  const logs = ratings.map((rating) => {
    const prior = -(((rating - PRIOR.mean) / PRIOR.deviation) ** 2) / 2;
    return played.reduce((sum, { won, elo }) => sum - Math.log1p(10 ** ((won ? elo - rating : rating - elo) / 400)), prior);
  });
  const top = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - top));
  const all = weights.reduce((sum, weight) => sum + weight);
  const quantile = (share) => {
    let sum = 0;
    return ratings[weights.findIndex((weight) => (sum += weight) >= share * all)];
  };
  return { rating: quantile(0.5), low: quantile(0.025), high: quantile(0.975), games: played.length };
}
