// The address of the page, kept up to date. Browsers allow about 200 changes in half a minute; beyond a share of that
// the latest is written a little later.

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
