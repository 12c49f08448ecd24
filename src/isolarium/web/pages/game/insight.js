// What there is to see in a position beside its moves: how far each player has to every square, who is first there, and
// how many ways lead on. Computed from the rules alone, as the heuristics do it. No DOM.

/** For every square the moves a player needs to get there through blanks; null where it never gets. */
export function distancesOf(position, player) {
  const distances = Array(position.size).fill(null);
  let edge = position.movesOf(player);
  for (let far = 1; edge.length; far++) {
    for (const square of edge) distances[square] = far;
    edge = [...new Set(edge.flatMap((square) => position.blanksFrom(square)))].filter((to) => distances[to] === null);
  }
  return distances;
}

/**
 * For every square the player who gets there first, both being placed; null where nobody gets. Whose turn it is counts, so
 * that no square is left to both.
 */
export function firstAt(position) {
  const owners = Array(position.size).fill(null);
  const order = [position.toMove, 1 - position.toMove];
  const edges = position.squares.map((square) => [square]);
  while (edges.some((edge) => edge.length)) {
    for (const player of order) {
      const reached = new Set(edges[player].flatMap((square) => position.blanksFrom(square)));
      edges[player] = [...reached].filter((square) => owners[square] === null);
      for (const square of edges[player]) owners[square] = player;
    }
  }
  return owners;
}

/** For every blank square how many blanks lead on from it; null for the others. */
export function waysOnFrom(position) {
  return Array.from(position.blank, (isBlank, square) => (isBlank ? position.blanksFrom(square).length : null));
}

/** The player who can take squares that the other needs next: who is to move while both stand on one colour. */
export function stealerOf(position) {
  const [first, second] = position.squares.map((square) => position.isLight(square));
  return first === second ? position.toMove : 1 - position.toMove;
}
