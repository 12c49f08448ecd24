// A board as an SVG or PNG file: the drawing as shown, with its computed styles written into it.

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
