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
  return { game: mainText(tree), at: isMain ? String(ply) : null, line: isMain ? null : currentText(tree) };
}

/**
 * The tree that these texts hold.
 * @throws {NotationError} they hold none.
 */
export function readTree({ game = "7x7:", line, at = "0" }) {
  const { start, moves } = game.includes(":") ? parseGame(game) : { start: parseStart(game), moves: [] };
  const tree = new GameTree(start, moves);
  tree.current = tree.mainLine()[Number.parseInt(at, 10)] ?? tree.root;
  if (line) follow(tree, line);
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
