// What the address holds: named texts in its query, so that any view can be shared and reloaded.

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

/** Who sits where no agent does. */
export const PERSON = "person";

/** Where in a game it is to be looked at first, in place of a ply: the first mistake, or the end if there is none. */
export const FIRST_MISTAKE = "mistake";
