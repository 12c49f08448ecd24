// A game with its variations: a tree of moves in which the first child of a node continues the main line.

class Node {
  constructor(position, move, parent) {
    this.position = position;
    this.move = move; // the square played; null at the start
    this.parent = parent;
    this.children = [];
    this.ply = parent ? parent.ply + 1 : 0; // moves played before this position, placements included
  }

  /** Whether this lies on the main line. */
  get isMain() {
    return !this.parent || (this.parent.children[0] === this && this.parent.isMain);
  }
}

export class GameTree {
  /** @param {import("./rules.js").Position} start */
  constructor(start, moves = []) {
    this.root = new Node(start, null, null);
    this.current = this.root;
    this.taken = []; // deleted nodes that can be restored, as {node, at} with the index among the siblings
    for (const move of moves) this.play(move);
  }

  get position() {
    return this.current.position;
  }

  /** Whether the board is empty and no move was played. */
  get isEmpty() {
    const { children, position } = this.root;
    return !children.length && position.blankCount === position.size;
  }

  /** Play a square from the current node, along an existing line or as a new variation. */
  play(square) {
    const known = this.current.children.find((child) => child.move === square);
    if (known) return (this.current = known);
    const node = new Node(this.position.play(square), square, this.current);
    this.current.children.push(node);
    this.taken = [];
    return (this.current = node);
  }

  /** Delete the current node and all after it, and go to its parent. Returns false at the start. */
  takeBack() {
    const { current } = this;
    if (!current.parent) return false;
    this.taken.push({ node: current, at: current.parent.children.indexOf(current) });
    current.parent.children = current.parent.children.filter((child) => child !== current);
    this.current = current.parent;
    return true;
  }

  /** Restore the last deleted node and go there, unless a new move was played since. Returns false if there is none. */
  putBack() {
    const taken = this.taken.pop();
    if (!taken) return false;
    taken.node.parent.children.splice(taken.at, 0, taken.node);
    this.current = taken.node;
    return true;
  }

  back() {
    this.current = this.current.parent ?? this.current;
  }

  forward() {
    this.current = this.current.children[0] ?? this.current;
  }

  toStart() {
    this.current = this.root;
  }

  /** Go to the end of the line from the current node. */
  toEnd() {
    while (this.current.children.length) this.forward();
  }

  /** Step to the previous or next variation beside the current node. */
  beside(step) {
    const siblings = this.current.parent?.children ?? [];
    this.current = siblings[siblings.indexOf(this.current) + step] ?? this.current;
  }

  /** Make the line through the current node the main line. */
  promote() {
    for (let node = this.current; node.parent; node = node.parent) {
      const { children } = node.parent;
      node.parent.children = [node, ...children.filter((child) => child !== node)];
    }
  }

  /** The nodes from the start to a node, both included. */
  static pathTo(node) {
    const path = [];
    for (let at = node; at; at = at.parent) path.unshift(at);
    return path;
  }

  /** The number of a node's move: each player's first is 1. */
  numberOf(node) {
    const offset = this.root.position.toMove; // the second player may begin
    return Math.floor((node.ply - 1 + offset) / 2) + 1;
  }

  /** The nodes of the main line, the start first. */
  mainLine() {
    const line = [this.root];
    while (line.at(-1).children.length) line.push(line.at(-1).children[0]);
    return line;
  }

  /** The nodes of the line through the current node, from the start to the line's end. */
  line() {
    const line = GameTree.pathTo(this.current);
    while (line.at(-1).children.length) line.push(line.at(-1).children[0]);
    return line;
  }

  /** The ends of all lines, that of the main line first. */
  ends() {
    const found = [];
    const walk = (node) => (node.children.length ? node.children.forEach(walk) : found.push(node));
    walk(this.root);
    return found;
  }

  /** The squares played from the start to a node. */
  static movesTo(node) {
    return GameTree.pathTo(node)
      .slice(1)
      .map((step) => step.move);
  }
}

/** Each player's path to a node as `{square, ply}` in order, starting from its first square. */
export function trailsTo(node) {
  const path = GameTree.pathTo(node);
  const trails = path[0].position.squares.map((square) => (square === null ? [] : [{ square, ply: 0 }]));
  for (const step of path.slice(1)) {
    trails[step.parent.position.toMove].push({ square: step.move, ply: step.ply });
  }
  return trails;
}
