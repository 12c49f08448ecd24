// Where the squares of a drawn board are, in the drawing's own units.

export const CELL = 44;

/** How wide the strip of coordinates above and left of the board is, and the margin on the other two sides. */
export function frameOf({ rows, cols }) {
  const labels = Math.round(CELL * Math.max(rows, cols) * 0.058);
  return { labels, margin: Math.round(labels / 3) };
}

/** The middle of a square. */
export function centre(position, square, flipped = false) {
  const { labels } = frameOf(position);
  const row = Math.floor(square / position.cols);
  const col = square % position.cols;
  const down = flipped ? position.rows - 1 - row : row;
  const right = flipped ? position.cols - 1 - col : col;
  return { x: labels + (right + 0.5) * CELL, y: labels + (down + 0.5) * CELL };
}
