// A whole game as an animated GIF, drawn move by move as the page would show it.

import { GameTree, trailsTo } from "../game/tree.js";
import { BoardView } from "./board.js";
import { encodeGif } from "./gif.js";
import { toCanvas } from "./picture.js";

const MOVE_MS = 800;
const END_MS = 3000;
const WIDTH = 480; // pixels, of boards that are wider than high too

/**
 * @param {object} node the end of the line that is shown.
 * @param {{flipped?: boolean, onMove?: (done: number, all: number) => void}} options
 * @returns {Promise<Blob>} the file.
 */
export async function toGif(node, { flipped = false, onMove = () => {} } = {}) {
  const path = GameTree.pathTo(node);
  const view = new BoardView({ interactive: false });
  view.element.classList.add("filmed"); // drawn, so that it has its colours, and not seen
  document.body.append(view.element);
  try {
    const frames = [];
    let size = null;
    for (const [at, step] of path.entries()) {
      onMove(at + 1, path.length);
      view.show(stateAt(step, flipped));
      const canvas = await toCanvas(view, WIDTH);
      size = [canvas.width, canvas.height];
      frames.push({ pixels: pixelsOf(canvas), ms: step === node ? END_MS : MOVE_MS });
    }
    return new Blob([encodeGif(...size, frames)], { type: "image/gif" });
  } finally {
    view.element.remove();
  }
}

/** The picture on the page's own ground: a GIF has no corners that are half seen through. */
function pixelsOf(canvas) {
  const pen = canvas.getContext("2d");
  pen.globalCompositeOperation = "destination-over";
  pen.fillStyle = getComputedStyle(document.body).backgroundColor;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  return pen.getImageData(0, 0, canvas.width, canvas.height).data;
}

function stateAt(node, flipped) {
  const { position } = node;
  const trapped = position.winner() === null ? null : position.toMove;
  return { position, last: node.move, trails: trailsTo(node), trapped, flipped };
}
