// The shapes of a board as SVG, and the places of its squares, in the drawing's units.

import { svg } from "../shared/dom.js";

export const CELL = 44;

/** The width of the coordinates above and left of the board, and of the margin on the other two sides. */
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

const SIDE = ["first", "second"];

// A knight's head looking left, drawn around (0, 0) about 20 wide and 22 high.
const KNIGHT =
  "M-6.6 10.4 C-6.2 5.6 -2.2 3.8 -1.4 -0.6 C-3.2 0.9 -4.6 1.2 -5.8 1.4 C-6.4 2.6 -7.4 3 -8.2 2.2 " +
  "C-9 1.5 -8.9 0.6 -8.3 -0.4 C-7 -2.4 -6.2 -4 -5.7 -5.6 C-5.1 -7.2 -4.3 -8 -3.2 -8.5 " +
  "L-2.9 -10.8 L-0.8 -9 C5 -8.8 8.6 -3.6 8.2 3.4 C8 6.4 7.6 8.4 7.6 10.4 Z";

/** A player's knight: the first on a disc, the second on a square. */
export function drawPiece(player) {
  const ground =
    player === 0
      ? svg("circle", { r: 17 })
      : svg("rect", { x: -15.5, y: -15.5, width: 31, height: 31, rx: 6 });
  return svg(`g.piece.${SIDE[player]}`, {}, ground, svg("path.head", { d: KNIGHT }));
}

/** The same as a small icon beside a name. */
export function pieceIcon(player) {
  const icon = svg("svg.icon", { viewBox: "-18 -18 36 36", "aria-hidden": "true" });
  icon.append(drawPiece(player));
  return icon;
}

export function drawDot({ x, y }, player, hollow = false) {
  const name = `dot.${SIDE[player]}${hollow ? ".hollow" : ""}`;
  if (player === 0) return svg(`circle.${name}`, { cx: x, cy: y, r: 5.5 });
  return svg(`rect.${name}`, { x: x - 5, y: y - 5, width: 10, height: 10, rx: 1.5 });
}

export function drawRing({ x, y }, player) {
  const name = `ring.${SIDE[player] ?? "first"}`;
  if (player !== 1) return svg(`circle.${name}`, { cx: x, cy: y, r: 20 });
  return svg(`rect.${name}`, { x: x - 18.7, y: y - 18.7, width: 37.4, height: 37.4, rx: 8.5 });
}

/** A frame around a knight without a move. */
export function drawTrapped({ x, y }, player) {
  return svg(`rect.trapped.${SIDE[player]}`, { x: x - 20, y: y - 20, width: 40, height: 40, rx: 3 });
}

/** A cross on a square that a player needed. */
export function drawCross({ x, y }, player) {
  const d = `M${x - 8} ${y - 8}L${x + 8} ${y + 8}M${x + 8} ${y - 8}L${x - 8} ${y + 8}`;
  return svg(`path.cross.${SIDE[player]}`, { d });
}

/** A player's path as a thin line over the squares it left, optionally with move numbers. */
export function drawTrail(way, player, at, numbers) {
  if (!way.length) return [];
  const side = SIDE[player];
  const points = way.map(({ square }) => at(square));
  const left = way.slice(0, -1);
  const line = svg(`polyline.trail.${side}`, { points: points.map(({ x, y }) => `${x},${y}`).join(" ") });
  return [
    line,
    ...left.map(({ square, ply }) =>
      numbers && ply ? drawNumber(at(square), side, ply) : drawStop(at(square), side),
    ),
  ];
}

function drawStop({ x, y }, side) {
  return svg(`circle.stop.${side}`, { cx: x, cy: y, r: 3.2 });
}

function drawNumber({ x, y }, side, ply) {
  return svg(
    `g.number.${side}`,
    {},
    svg("circle", { cx: x, cy: y, r: 9.5 }),
    svg("text", { x, y: y + 0.5 }, String(ply)),
  );
}

/** An arrow between the middles of two squares; dashed if only a search suggests it. */
export function drawArrow(from, to, { player, strength = 1, bySearch = false }) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const tip = { x: to.x - dx * 7, y: to.y - dy * 7 };
  const neck = { x: tip.x - dx * 10, y: tip.y - dy * 10 };
  const start = { x: from.x + dx * 12, y: from.y + dy * 12 };
  const head = [tip, { x: neck.x - dy * 6, y: neck.y + dx * 6 }, { x: neck.x + dy * 6, y: neck.y - dx * 6 }];
  return svg(
    `g.arrow.${SIDE[player]}${bySearch ? ".by-search" : ""}`,
    { opacity: 0.35 + 0.6 * strength },
    svg("line", { x1: start.x, y1: start.y, x2: neck.x, y2: neck.y }),
    svg("polygon", { points: head.map(({ x, y }) => `${x},${y}`).join(" ") }),
  );
}

/** A square's texts: a large one, or a large one above a small one; none under a knight. */
export function drawMark({ x, y }, { text = "", small = "" }, stands) {
  if (stands) return [];
  if (!small) return [svg("text.large", { x, y: y + 0.5 }, text)];
  return [svg("text.large", { x, y: y - 5 }, text), svg("text.small", { x, y: y + 11 }, small)];
}

/** A short text in a square's lower left corner. */
export function drawCorner({ x, y }, text) {
  return svg("text.corner", { x: x - 19, y: y + 15 }, text);
}

/** A star in a square's upper right or upper left corner. */
export function drawStar({ x, y }, left = false) {
  const middle = left ? x - 13 : x + 13;
  const points = [];
  for (let at = 0; at < 10; at++) {
    const radius = at % 2 ? 2.9 : 6.6;
    const angle = (at * Math.PI) / 5 - Math.PI / 2;
    points.push(
      `${(middle + radius * Math.cos(angle)).toFixed(2)},${(y - 13 + radius * Math.sin(angle)).toFixed(2)}`,
    );
  }
  return svg("polygon.star", { points: points.join(" ") });
}
