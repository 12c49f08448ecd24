// The service worker of a site of plain files: it caches all files of one version together and answers from them, so the
// site works offline after the first visit. A new version replaces the old one once no page of the old one is open.

const { version, files } = {}; // `isolarium site` writes the version and the list of files here

const OURS = `isolarium ${self.registration.scope} `; // other folders of the host may hold another site
const CACHE = OURS + version;
const INDEX = "index.html";

self.addEventListener("install", (event) => event.waitUntil(store()));
self.addEventListener("activate", (event) => event.waitUntil(forgetOthers().then(() => self.clients.claim())));
self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(self.registration.scope)) event.respondWith(answer(event.request));
});

async function store() {
  const cache = await caches.open(CACHE);
  await cache.addAll(files.map((name) => new Request(name, { cache: "no-cache" })));
}

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(OURS) && name !== CACHE).map((name) => caches.delete(name)));
}

/** Answer a request from the cache; a page's address has a query, and its folder opens the index. */
async function answer(request) {
  const address = new URL(request.url);
  address.search = "";
  if (address.href === self.registration.scope) address.pathname += INDEX;
  const cache = await caches.open(CACHE);
  return (await cache.match(address.href)) ?? fetch(request);
}
