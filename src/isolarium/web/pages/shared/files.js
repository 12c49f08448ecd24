// Files that people take along.

import { h } from "./dom.js";

/** Let the browser keep a text or a Blob as a file. */
export function saveFile(name, content, type = "text/plain") {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000); // the download may begin late
}
