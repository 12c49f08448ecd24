// What this browser remembers between visits. A browser that keeps nothing is no error.

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
