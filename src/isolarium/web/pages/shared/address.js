// Addresses: of the pages, and the texts in the query of one, so that any view can be shared and reloaded.
//
// Browsers allow about 200 changes of the address in 30 s; above `MOST` in that time, only the latest is written, later.

/** The texts of a query such as `?game=7x7:+d4`. */
export function readAddress(query) {
  return Object.fromEntries(new URLSearchParams(query));
}

/** The query that holds these texts; null, undefined and empty ones are left out. */
export function writeAddress(texts) {
  const held = Object.entries(texts).filter(([, text]) => ![null, undefined, ""].includes(text));
  const query = new URLSearchParams(held).toString();
  // RFC 3986 allows these characters unescaped, and people read addresses.
  const plain = query.replace(/%(3A|2F|40|2C|3D|28|29)/g, (code) => decodeURIComponent(code));
  return plain && `?${plain}`;
}

/** Stands for a person where an agent's spec could be. */
export const PERSON = "person";

/** Stands for the ply of the first mistake, or of the end if there is none. */
export const FIRST_MISTAKE = "mistake";

const SPAN_MS = 30_000;
const MOST = 150;
const LATER_MS = 250;

let recent = [];
let waiting = "";
let timer = 0;

/** Replace the query of the address, without a new history entry. */
export function holdAddress(query) {
  waiting = location.pathname + query;
  if (timer || waiting === location.pathname + location.search) return;
  const now = performance.now();
  recent = recent.filter((time) => time > now - SPAN_MS);
  if (recent.length < MOST) write();
  else timer = setTimeout(write, LATER_MS);
}

/** Set the query in a new history entry, so that Back returns to the previous one. */
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

// The pages: routes of a server, or files of a site that has none.

/** Whether the pages are plain files, without a server that answers. */
export const isSite = globalThis.document?.documentElement.dataset.site !== undefined;

/** The address of a page such as "play", with a query such as "?game=7x7:". */
export const addressOf = (place, query = "") => (isSite ? `./${place}.html${query}` : `/${place}${query}`);

/** The page that is open; Play has two addresses. */
export function currentPlace() {
  const name = location.pathname.split("/").at(-1).replace(/\.html$/, "");
  return ["", "index"].includes(name) ? "play" : name;
}
