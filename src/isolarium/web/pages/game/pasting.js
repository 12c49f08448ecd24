// Games as people paste them, brought into the notations that are read. No DOM.

const MOVES = /^[a-m][1-9][0-9]?(\s|$)/; // the first is a square: whatever comes then is meant as one
const USUAL = "7x7";

/**
 * A pasted game as the server reads it: from one of our addresses, with or without move numbers and commas, in
 * capitals, as tuples; what is none of these comes back as it is.
 * @param {string} board of a text that names none.
 */
export function readPasted(text, board = USUAL) {
  const given = fromAddress(text.trim()) ?? text.trim();
  if (/^\[?\s*\(/.test(given)) return `[${given.replace(/^\[|\]$/g, "").replace(/\(/g, "[").replace(/\)/g, "]")}]`;
  if (/^[[{]/.test(given)) return given;
  const colon = given.indexOf(":");
  const moves = given
    .slice(colon + 1)
    .replace(/\b[0-9]+\.+/g, " ")
    .replace(/[,;\s]+/g, " ")
    .trim()
    .toLowerCase();
  if (colon >= 0) return `${given.slice(0, colon)}: ${moves}`.trim();
  return MOVES.test(moves) ? `${board || USUAL}: ${moves}` : given;
}

/** The game that an address of ours holds, the variation on the board before the main line; null if it is none. */
function fromAddress(text) {
  if (!/^(https?:\/\/\S+|\/\S*)?\?\S+$/.test(text)) return null;
  const texts = new URLSearchParams(text.slice(text.indexOf("?")));
  return texts.get("line") ?? texts.get("game");
}
