// Games as text: a game with the current place in it, as an address holds it, and games as people paste them. No DOM.

import { NotationError, formatGame, formatStart, parseGame, parseStart } from "../game/notation.js";
import { GameTree } from "../game/tree.js";

/** The main line of a tree as one line of text. */
export function mainText(tree) {
  const [, ...nodes] = tree.mainLine();
  return formatGame(
    tree.root.position,
    nodes.map(({ move }) => move),
  );
}

/** The line from the start to the current node as one line of text. */
export function currentText(tree) {
  return formatGame(tree.root.position, GameTree.movesTo(tree.current));
}

/** The texts that hold a tree: its main line, and where we are on it or on which other line. */
export function treeTexts(tree) {
  const { isMain, ply } = tree.current;
  const end = tree.line().at(-1);
  const line = isMain ? null : formatGame(tree.root.position, GameTree.movesTo(end));
  return { game: mainText(tree), at: isMain || end !== tree.current ? String(ply) : null, line };
}

/**
 * The tree that these texts hold.
 * @throws {NotationError} they hold none.
 */
export function readTree({ game = "7x7:", line, at }) {
  const { start, moves } = game.includes(":") ? parseGame(game) : { start: parseStart(game), moves: [] };
  const tree = new GameTree(start, moves);
  tree.toStart();
  if (line) follow(tree, line);
  const ply = Number.parseInt(at ?? (line ? tree.current.ply : 0), 10);
  tree.current = tree.line()[ply] ?? tree.root;
  return tree;
}

function follow(tree, line) {
  const { start, moves } = parseGame(line);
  if (formatStart(start) !== formatStart(tree.root.position)) {
    throw new NotationError(`line '${line}': expected one from the start of the game`);
  }
  tree.toStart();
  for (const move of moves) tree.play(move);
}

// Games as people paste them.

const MOVES = /^[a-m][1-9][0-9]?(\s|$)/; // the first is a square: whatever comes then is meant as one
const USUAL = "7x7";

/**
 * A pasted game as the server reads it: from one of our addresses, with or without move numbers and commas, in
 * capitals, as tuples; what is none of these comes back as it is.
 * @param {string} board of a text that names none.
 */
export function readPasted(text, board = USUAL) {
  const given = fromAddress(text.trim()) ?? text.trim();
  if (/^\[?\s*\(/.test(given)) return `[${given.replace(/^\[|\]$/g, "").replace(/\(/g, "[").replace(/\)/g, "]")}]`;
  if (/^[[{]/.test(given)) return given;
  const colon = given.indexOf(":");
  const moves = given
    .slice(colon + 1)
    .replace(/\b[0-9]+\.+/g, " ")
    .replace(/[,;\s]+/g, " ")
    .trim()
    .toLowerCase();
  if (colon >= 0) return `${given.slice(0, colon)}: ${moves}`.trim();
  return MOVES.test(moves) ? `${board || USUAL}: ${moves}` : given;
}

/** The game that an address of ours holds, the variation on the board before the main line; null if it is none. */
function fromAddress(text) {
  if (!/^(https?:\/\/\S+|\/\S*)?\?\S+$/.test(text)) return null;
  const texts = new URLSearchParams(text.slice(text.indexOf("?")));
  return texts.get("line") ?? texts.get("game");
}
