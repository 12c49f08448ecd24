// What this browser remembers between visits. A browser that keeps nothing is no error.

/** Keep a text under a name, or with null nothing; whether the browser does. */
export function remember(name, text) {
  try {
    if (text === null) localStorage.removeItem(`isolab-${name}`);
    else localStorage.setItem(`isolab-${name}`, text);
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
    return localStorage.getItem(`isolab-${name}`);
  } catch {
    return null;
  }
}
