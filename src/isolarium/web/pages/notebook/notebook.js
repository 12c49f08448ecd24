// The games, mistakes and badges that a browser stores, as an immutable value and its text, and the ladder of levels that
// follows from the games. Every entry of a text is checked, because it may be damaged or from another program. No DOM.
//
// Mistakes are cards that return at growing intervals until they are known (Leitner's boxes). A day is a text such as
// 2026-11-16, by the local calendar.

import { NotationError, formatGame, formatStart, parseGame, parseSquare, parseStart } from "../game/notation.js";
import { PLAYERS } from "../game/rules.js";

const DAYS = [0, 1, 3, 7, 16, 35]; // until a card of each box returns; past the last box it is known
export const KNOWN = DAYS.length;
const LONGEST_DAYS = DAYS.at(-1);

const pad = (number) => String(number).padStart(2, "0");

/** The local day of a moment. */
export function dayOf(date) {
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** The day some days after another. */
export function daysLater(day, days) {
  const [year, month, date] = day.split("-").map(Number);
  return dayOf(new Date(year, month - 1, date + days));
}

/** Whether a text is a day of the calendar. */
function isDay(text) {
  return /^2\d{3}-\d\d-\d\d$/.test(text) && daysLater(text, 0) === text;
}

/** A card for a new mistake: the position as text, and the square played. */
export function newCard(position, played, day) {
  return { position, played, box: 0, due: day, tries: 0 };
}

export function isKnown({ box }) {
  return box >= KNOWN;
}

export function isDue(card, day) {
  return !isKnown(card) && card.due <= day;
}

/**
 * The card after a try.
 * @param {"right"|"helped"|"missed"} how found without help, with a hint that showed where, or not found.
 */
export function afterTry(card, how, day) {
  const tries = card.tries + 1;
  if (how === "missed") return { ...card, tries, box: 0, due: day };
  if (!isDue(card, day)) return { ...card, tries }; // too early to count as remembered
  const box = how === "helped" ? 1 : card.box + 1;
  return { ...card, tries, box, due: box >= KNOWN ? day : daysLater(day, DAYS[box]) };
}

/** When a card returns, to follow "It returns". */
export function returnsWhen({ due }, day) {
  if (due <= day) return "today";
  if (due === daysLater(day, 1)) return "tomorrow";
  let days = 2;
  while (daysLater(day, days) < due) days++;
  return `in ${days} days`;
}

// The notebook.

export const EMPTY = { games: [], cards: [], badges: {} }; // newest first; the day of each badge, by the agent's spec
const MOST_GAMES = 200;
const MOST_CARDS = 500;
const MOST_BADGES = 100;
const MOST_CHARS = 1_000_000;
const FORMAT = "isolarium notebook";
const FORMER_FORMAT = "isolab notebook"; // the program's name in earlier versions
const VERSION = 1;
const MOST_AGENT = 2000;
const MOST_TRIES = 10_000;

export class NotebookError extends Error {}

export function formatNotebook({ games, cards, badges }) {
  return JSON.stringify({ format: FORMAT, version: VERSION, games, cards, badges });
}

/**
 * Read a notebook from a text. `left` is the number of invalid entries, which are skipped.
 * @throws {NotebookError} if the text is not a notebook.
 */
export function parseNotebook(text, day) {
  if (text.length > MOST_CHARS) throw new NotebookError("it is too large for an Isolarium notebook");
  const content = readJson(text);
  if (content?.format !== FORMAT && content?.format !== FORMER_FORMAT) throw new NotebookError("it is not an Isolarium notebook");
  if (content.version !== VERSION) throw new NotebookError("it was written by another version of Isolarium");
  const [games, cards] = [content.games, content.cards].map((list) => (Array.isArray(list) ? list : []));
  const sound = {
    games: games.map((one) => valid(() => readGame(one, day))).filter(Boolean),
    cards: cards.map((one) => valid(() => readCard(one, day))).filter(Boolean),
    badges: readBadges(content.badges, day), // earlier versions stored none
  };
  const left = games.length + cards.length - sound.games.length - sound.cards.length;
  return { notebook: merge(EMPTY, sound), left };
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotebookError("it is not an Isolarium notebook: not JSON");
  }
}

/** The result of a reader; null if the entry is invalid. */
function valid(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotationError || error instanceof TypeError) return null;
    throw error;
  }
}

function readBadges(badges, today) {
  const entries = Object.entries(badges ?? {}).filter(([agent, day]) => isAgent(agent) && isDay(day) && day <= today);
  return Object.fromEntries(entries.slice(0, MOST_BADGES));
}

function readGame({ game, player, against, seed, won, day, judged, helped = false }, today) {
  const { start, moves } = parseGame(game);
  const isSound = PLAYERS.includes(player) && isAgent(against) && isDay(day) && moves.length;
  if (!isSound || typeof won !== "boolean" || typeof judged !== "boolean") return null;
  const read = { game: formatGame(start, moves), player, against, won, day: day > today ? today : day, judged };
  if (helped === true) read.helped = true;
  return Number.isSafeInteger(seed) ? { ...read, seed } : read; // earlier versions stored no seed
}

const isAgent = (text) => typeof text === "string" && text.length <= MOST_AGENT;

function readCard({ position: text, played, box, due, tries }, day) {
  const position = parseStart(text);
  const isSound = position.isLegal(parseSquare(played, position.rows, position.cols)) && isDay(due);
  const counts = Number.isInteger(box) && box >= 0 && box <= KNOWN && Number.isInteger(tries) && tries >= 0;
  if (!isSound || !counts) return null;
  const latest = daysLater(day, LONGEST_DAYS); // a wrong clock must not hide a card for years
  return { position: formatStart(position), played, box, due: due > latest ? day : due, tries: Math.min(tries, MOST_TRIES) };
}

const keyOfGame = ({ game, player, seed }) => `${player} ${seed ?? ""} ${game}`; // equal games differ in their seed
const keyOfCard = ({ position }) => position;
const isSameGame = (one) => (other) => keyOfGame(other) === keyOfGame(one);
const hasSameMoves = (one) => (other) => other.game === one.game && other.player === one.player;
const isSameCard = (one) => (other) => keyOfCard(other) === keyOfCard(one);

/** Add a game, and the badge it earns; a stored game is unchanged. */
export function withGame(notebook, game) {
  if (notebook.games.some(isSameGame(game))) return notebook;
  const games = [game, ...notebook.games].slice(0, MOST_GAMES);
  return { ...notebook, games, badges: joinedBadges(notebook.badges, earnedBadges(games)) };
}

/** The badges of two notebooks; the earlier day counts. */
function joinedBadges(mine, theirs = {}) {
  const joined = { ...mine };
  for (const [agent, day] of Object.entries(theirs)) {
    const isRoom = agent in joined || Object.keys(joined).length < MOST_BADGES;
    if (isRoom && !(joined[agent] <= day)) joined[agent] = day;
  }
  return joined;
}

/** Mark a game and its equals as judged, and add its new mistakes. */
export function withMistakes(notebook, game, mistakes) {
  const games = notebook.games.map((one) => (hasSameMoves(game)(one) ? { ...one, judged: true } : one));
  const added = mistakes.filter((card) => !notebook.cards.some(isSameCard(card)));
  return { ...notebook, games, cards: fitting([...added, ...notebook.cards], MOST_CARDS) };
}

/** Replace the card of the same position; do nothing if there is none. */
export function withCard(notebook, card) {
  return { ...notebook, cards: notebook.cards.map((one) => (isSameCard(card)(one) ? card : one)) };
}

export function withoutCard(notebook, card) {
  return { ...notebook, cards: notebook.cards.filter((one) => !isSameCard(card)(one)) };
}

export function withoutGame(notebook, game) {
  return { ...notebook, games: notebook.games.filter((one) => !isSameGame(game)(one)) };
}

/** The card of a position, if there is one. */
export function cardOf({ cards }, position) {
  return cards.find((card) => card.position === position);
}

/**
 * Add the entries of another notebook as far as there is room; no own entry is changed or removed. The newest games and
 * the cards that are not known yet are added first.
 */
export function merge(mine, theirs) {
  const room = { games: MOST_GAMES - mine.games.length, cards: MOST_CARDS - mine.cards.length };
  const games = byDay(missingFrom(mine.games, theirs.games, keyOfGame)).slice(0, Math.max(0, room.games));
  const cards = fitting(missingFrom(mine.cards, theirs.cards, keyOfCard), Math.max(0, room.cards));
  return {
    games: byDay([...mine.games, ...games]),
    cards: [...mine.cards, ...cards],
    badges: joinedBadges(mine.badges, theirs.badges),
  };
}

/** The entries of the second list that are not in the first, each once. */
function missingFrom(own, others, keyOf) {
  const seen = new Set(own.map(keyOf));
  return others.filter((one) => !seen.has(keyOf(one)) && seen.add(keyOf(one)));
}

const byDay = (games) => games.toSorted((one, other) => (one.day < other.day ? 1 : one.day > other.day ? -1 : 0));

/** Drop cards that exceed the limit: known ones first, then the oldest. */
function fitting(cards, most) {
  if (cards.length <= most) return cards;
  const order = [...cards.filter((card) => !isKnown(card)), ...cards.filter(isKnown)];
  const kept = new Set(order.slice(0, most));
  return cards.filter((card) => kept.has(card));
}

// The ladder of levels: a visitor's results against each, the badges, the rating with its interval, and the streak, all
// from the stored games.
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
function earnedBadges(games) {
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
