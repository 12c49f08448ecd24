// The symmetries of a board: mirror images and turns. No DOM.

/** The maps from squares to squares that leave a board's shape unchanged: 8 if it is square, else 4. */
function mapsOf({ rows, cols }) {
  const found = [];
  for (const swap of rows === cols ? [false, true] : [false])
    for (const flipRows of [false, true])
      for (const flipCols of [false, true])
        found.push((square) => {
          const [row, col] = [Math.floor(square / cols), square % cols];
          const [r, c] = swap ? [col, row] : [row, col];
          return (flipRows ? rows - 1 - r : r) * cols + (flipCols ? cols - 1 - c : c);
        });
  return found;
}

/**
 * A text that all mirror images of a position share.
 * @returns {{text: string, to: (square: number) => number, back: (square: number) => number}} the text, and the map to
 *   the image it describes, and back.
 */
export function canonicalText(position) {
  const squares = [...Array(position.size).keys()];
  const images = mapsOf(position).map((to) => {
    const cells = Array(position.size);
    for (const square of squares) cells[to(square)] = position.blank[square] ? "." : "x";
    const placed = position.squares.map((square) => (square === null ? "-" : to(square)));
    return { text: [...placed, position.toMove, cells.join("")].join(" "), to };
  });
  const least = images.reduce((best, one) => (one.text < best.text ? one : best));
  return { ...least, back: (image) => squares.find((square) => least.to(square) === image) };
}
