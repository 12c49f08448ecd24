// What the browser stores: small texts between visits, and files that people download.

import { h } from "./dom.js";

const FORMER = "isolab"; // the program's name when earlier versions wrote

/** Keep a text under a name, or with null nothing; whether the browser does. */
export function remember(name, text) {
  try {
    localStorage.removeItem(`${FORMER}-${name}`);
    if (text === null) localStorage.removeItem(`isolarium-${name}`);
    else localStorage.setItem(`isolarium-${name}`, text);
    return true;
  } catch {
    return false; // it is forgotten at the next visit
  }
}

/** Whether this browser keeps anything. */
export function isKeeping() {
  return remember("trial", "kept") && remember("trial", null);
}

export function recall(name) {
  try {
    return localStorage.getItem(`isolarium-${name}`) ?? localStorage.getItem(`${FORMER}-${name}`);
  } catch {
    return null;
  }
}

// Downloads.

/** Let the browser keep a text or a Blob as a file. */
export function saveFile(name, content, type = "text/plain") {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000); // the download may begin late
}
