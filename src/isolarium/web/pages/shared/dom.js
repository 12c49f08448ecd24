// Create elements in one call. Every text becomes a text node, so outside data is never parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Create an HTML element.
 * @param {string} tag the element's name, with classes after dots: "p.quiet".
 * @param {object} props attributes; names starting with "on" are listeners; false, null and undefined are left out.
 */
export function h(tag, props = {}, ...children) {
  return make((name) => document.createElement(name), tag, props, children);
}

/** Create an SVG element the same way. */
export function svg(tag, props = {}, ...children) {
  return make((name) => document.createElementNS(SVG, name), tag, props, children);
}

function make(create, tag, props, children) {
  const [name, ...classes] = tag.split(".");
  const element = create(name);
  if (classes.length) element.classList.add(...classes);
  for (const [key, value] of Object.entries(props)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Replace all children. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** A text such as an agent's spec, with line breaks allowed after punctuation. */
export function breakable(text) {
  return text
    .split(/(?<=[:@,(])|(?=@)/)
    .flatMap((part, at) => (at ? [document.createElement("wbr"), part] : [part]));
}

/** Set a text only if it changed, so that screen readers do not announce it twice. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
