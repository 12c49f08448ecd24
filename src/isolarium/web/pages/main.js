// The way in: opens the place that the address names.

import { takeToken } from "./shared/api.js";
import { openHeader } from "./shared/header.js";
import { Keys } from "./shared/keys.js";

const PLACES = {
  "/play": () => import("./play/page.js"),
  "/analyse": () => import("./analyse/page.js"),
  "/watch": () => import("./watch/page.js"),
  "/learn": () => import("./learn/page.js"),
  "/friend": () => import("./friend/page.js"),
};

const place = location.pathname in PLACES ? location.pathname : "/play";
const keys = new Keys();
takeToken();
openHeader(place, keys);
const page = await PLACES[place]();
document.title = `${page.title} · Isolarium`;
page.open(document.getElementById("main"), keys);
