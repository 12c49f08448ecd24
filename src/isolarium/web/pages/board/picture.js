// A board as a picture (SVG or PNG) and a game as an animation (GIF): the drawing as shown, with its computed styles written
// into it. Loaded on first use.

import { GameTree, trailsTo } from "../game/tree.js";
import { BoardView } from "./board.js";

const COPIED = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-linejoin",
  "stroke-linecap",
  "opacity",
  "font-size",
  "font-weight",
  "font-family",
  "text-anchor",
  "dominant-baseline",
  "display",
];
const DROPPED = ["class", "style", "role", "tabindex", "data-square"];
const SCALE = 3; // PNG pixels for each unit of the drawing

/** The drawing of a BoardView as the text of an SVG file. */
export function toSvgText(view) {
  const copy = view.svg.cloneNode(true);
  const originals = view.svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, at) => {
    const style = getComputedStyle(originals[at]);
    for (const name of COPIED) element.setAttribute(name, style.getPropertyValue(name));
    if (style.transform !== "none") element.setAttribute("transform", style.transform);
    for (const name of DROPPED) element.removeAttribute(name);
  });
  const [, , width, height] = copy.getAttribute("viewBox").split(" ");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("role", "img");
  copy.removeAttribute("class");
  return new XMLSerializer().serializeToString(copy);
}

/** The same as a PNG Blob. */
export async function toPng(view) {
  const canvas = await toCanvas(view);
  return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** The same on a canvas, optionally of a given width. */
export async function toCanvas(view, width = null) {
  const address = URL.createObjectURL(new Blob([toSvgText(view)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = width ? width / image.naturalWidth : SCALE;
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.naturalWidth * scale);
    canvas.height = Math.round(image.naturalHeight * scale);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  } finally {
    URL.revokeObjectURL(address);
  }
}

// A game as an animated GIF: drawn move by move, then encoded here.

const MOVE_MS = 800;
const END_MS = 3000;
const WIDTH = 480; // pixels

/**
 * @param {object} node the end of the line.
 * @param {{flipped?: boolean, onMove?: (done: number, all: number) => void}} options
 * @returns {Promise<Blob>} the file.
 */
export async function toGif(node, { flipped = false, onMove = () => {} } = {}) {
  const path = GameTree.pathTo(node);
  const view = new BoardView({ interactive: false });
  view.element.classList.add("filmed"); // rendered for its computed colours, but invisible
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

/** The picture on the page's background: a GIF has no partial transparency. */
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

// The encoder. Each frame after the first holds only the rectangle that changed. All frames share one palette: the most
// frequent colours, with each channel rounded to steps of 8.

const MOST_COLOURS = 256;
const MOST_CODES = 4096;
const BITS = 8; // of a colour's number

/**
 * @param {number} width of every frame, in pixels.
 * @param {number} height
 * @param {{pixels: Uint8ClampedArray, ms: number}[]} frames RGBA pixels and durations.
 * @returns {Uint8Array} the file.
 */
function encodeGif(width, height, frames) {
  const palette = choosePalette(frames);
  const out = [...ascii("GIF89a"), ...short(width), ...short(height), 0xf7, 0, 0];
  for (let at = 0; at < MOST_COLOURS; at++) out.push(...(palette.colours[at] ?? [0, 0, 0]));
  out.push(0x21, 0xff, 11, ...ascii("NETSCAPE2.0"), 3, 1, 0, 0, 0); // loop forever
  const parts = [Uint8Array.from(out)];
  let before = null;
  for (const { pixels, ms } of frames) {
    const numbers = palette.numbersOf(pixels);
    const box = changed(before, numbers, width, height);
    parts.push(Uint8Array.from([0x21, 0xf9, 4, 4, ...short(Math.round(ms / 10)), 0, 0]));
    parts.push(
      Uint8Array.from([0x2c, ...short(box.left), ...short(box.top), ...short(box.width), ...short(box.height), 0]),
    );
    parts.push(compress(cut(numbers, width, box)));
    before = numbers;
  }
  parts.push(Uint8Array.of(0x3b));
  return joined(parts);
}

const ascii = (text) => [...text].map((letter) => letter.charCodeAt(0));
const short = (number) => [number & 255, number >> 8];
const keyOf = (red, green, blue) => ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The most frequent colours, each the mean of its step, and a function from pixels to colour numbers. */
function choosePalette(frames) {
  const counts = new Float64Array(1 << 15);
  const sums = [0, 1, 2].map(() => new Float64Array(1 << 15));
  for (const { pixels } of frames) {
    for (let at = 0; at < pixels.length; at += 4) {
      const key = keyOf(pixels[at], pixels[at + 1], pixels[at + 2]);
      counts[key]++;
      sums.forEach((sum, channel) => (sum[key] += pixels[at + channel]));
    }
  }
  const meanOf = (key) => sums.map((sum) => Math.round(sum[key] / counts[key]));
  const keys = [...counts.keys()]
    .filter((key) => counts[key])
    .sort((one, other) => counts[other] - counts[one])
    .slice(0, MOST_COLOURS);
  const colours = keys.map(meanOf);
  const numbers = new Map(keys.map((key, number) => [key, number]));
  const numberOf = (key) => {
    if (!numbers.has(key)) numbers.set(key, nearest(colours, meanOf(key)));
    return numbers.get(key);
  };
  const numbersOf = (pixels) => {
    const found = new Uint8Array(pixels.length / 4);
    for (let at = 0; at < found.length; at++) {
      found[at] = numberOf(keyOf(pixels[4 * at], pixels[4 * at + 1], pixels[4 * at + 2]));
    }
    return found;
  };
  return { colours, numbersOf };
}

function nearest(colours, [red, green, blue]) {
  let best = 0;
  let least = Infinity;
  colours.forEach(([r, g, b], number) => {
    const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    if (distance < least) [best, least] = [number, distance];
  });
  return best;
}

/** The rectangle that differs from the previous frame; one pixel if nothing differs. */
function changed(before, numbers, width, height) {
  if (!before) return { left: 0, top: 0, width, height };
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let at = 0; at < numbers.length; at++) {
    if (numbers[at] === before[at]) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = y;
  }
  if (right < 0) return { left: 0, top: 0, width: 1, height: 1 };
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}

function cut(numbers, width, { left, top, width: wide, height: high }) {
  const part = new Uint8Array(wide * high);
  for (let row = 0; row < high; row++) {
    const from = (top + row) * width + left;
    part.set(numbers.subarray(from, from + wide), row * wide);
  }
  return part;
}

/** Compress the numbers: LZW with variable-length codes, in blocks of up to 255 bytes. */
function compress(numbers) {
  const clear = 1 << BITS;
  const writer = new BitWriter();
  let codes = new Map();
  let [size, next] = [BITS + 1, clear + 2];
  writer.write(clear, size);
  let prefix = numbers[0];
  for (let at = 1; at < numbers.length; at++) {
    const key = (prefix << BITS) | numbers[at];
    const known = codes.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    writer.write(prefix, size);
    if (next < MOST_CODES) {
      if (next === 1 << size) size++;
      codes.set(key, next++);
    } else {
      writer.write(clear, size);
      codes = new Map();
      [size, next] = [BITS + 1, clear + 2];
    }
    prefix = numbers[at];
  }
  writer.write(prefix, size);
  writer.write(clear + 1, size);
  return inBlocks(writer.end());
}

class BitWriter {
  #bytes = [];
  #held = 0;
  #count = 0;

  write(code, size) {
    this.#held |= code << this.#count;
    this.#count += size;
    while (this.#count >= 8) {
      this.#bytes.push(this.#held & 255);
      this.#held >>= 8;
      this.#count -= 8;
    }
  }

  end() {
    if (this.#count) this.#bytes.push(this.#held & 255);
    return this.#bytes;
  }
}

function inBlocks(bytes) {
  const out = [BITS];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    out.push(block.length, ...block);
  }
  out.push(0);
  return Uint8Array.from(out);
}
