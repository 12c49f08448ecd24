// Data in the browser: small texts stored between visits, and downloads.

import { h } from "./dom.js";

const FORMER = "isolab"; // the program's name in earlier versions

/** Store a text under a name; null removes it. Returns whether the browser stored it. */
export function remember(name, text) {
  try {
    localStorage.removeItem(`${FORMER}-${name}`);
    if (text === null) localStorage.removeItem(`isolarium-${name}`);
    else localStorage.setItem(`isolarium-${name}`, text);
    return true;
  } catch {
    return false; // storage is disabled or full
  }
}

/** Whether the browser can store anything. */
export function canStore() {
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

/** Download a text or a Blob as a file. */
export function saveFile(name, content, type = "text/plain") {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000); // the download may start late
}
