// The address of a page: named texts in its query, so that any view can be shared and reloaded.
//
// Browsers allow about 200 changes of the address in half a minute; beyond a share of that the latest is written later.

/** The texts of a query such as `?game=7x7:+d4`. */
export function readAddress(query) {
  return Object.fromEntries(new URLSearchParams(query));
}

/** The query that holds these texts; those that are null, undefined or empty are left out. */
export function writeAddress(texts) {
  const held = Object.entries(texts).filter(([, text]) => ![null, undefined, ""].includes(text));
  const query = new URLSearchParams(held).toString();
  // A text may hold these characters as they are (RFC 3986), and people read addresses.
  const plain = query.replace(/%(3A|2F|40|2C|3D|28|29)/g, (code) => decodeURIComponent(code));
  return plain && `?${plain}`;
}

/** The name of a person, in place of an agent's spec. */
export const PERSON = "person";

/** A place in a game, in place of a ply: the first mistake, or the end if there is none. */
export const FIRST_MISTAKE = "mistake";

const SPAN_MS = 30_000;
const MOST = 150;
const LATER_MS = 250;

let recent = [];
let waiting = "";
let timer = 0;

/** Let the address hold a query, without a new entry in the history. */
export function holdAddress(query) {
  waiting = location.pathname + query;
  if (timer || waiting === location.pathname + location.search) return;
  const now = performance.now();
  recent = recent.filter((time) => time > now - SPAN_MS);
  if (recent.length < MOST) write();
  else timer = setTimeout(write, LATER_MS);
}

/** Begin a new entry in the history, so that the way back leads to what the address held before. */
export function beginAddress(query) {
  clearTimeout(timer);
  timer = 0;
  history.pushState(null, "", location.pathname + query);
}

function write() {
  timer = 0;
  recent.push(performance.now());
  history.replaceState(null, "", waiting);
}
