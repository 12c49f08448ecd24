// A game with the place in it that is looked at, as texts for an address. No DOM.

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
