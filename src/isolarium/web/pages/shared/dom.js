// Elements made in one call. Every text becomes a text node, so nothing that came from elsewhere is read as markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element.
 * @param {string} tag the element's name, with classes after dots: "p.quiet".
 * @param {object} props attributes; names that begin with "on" are listeners; false, null and undefined are left out.
 */
export function h(tag, props = {}, ...children) {
  return make((name) => document.createElement(name), tag, props, children);
}

/** An SVG element, made the same way. */
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

/** Put new children in place of the old. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** A text such as an agent's spec, that may be broken after its punctuation. */
export function breakable(text) {
  return text
    .split(/(?<=[:@,(])|(?=@)/)
    .flatMap((part, at) => (at ? [document.createElement("wbr"), part] : [part]));
}

/** Set a text only when it changed, so that nothing is announced twice. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
