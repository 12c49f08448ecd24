// The addresses of the pages: routes of a server, or files of a site that has none.

/** Whether the pages are plain files, without a server that answers. */
export const isSite = globalThis.document?.documentElement.dataset.site !== undefined;

/** The address of a page such as "play", with a query such as "?game=7x7:". */
export const addressOf = (place, query = "") => (isSite ? `./${place}.html${query}` : `/${place}${query}`);

/** The page that is open; Play has two addresses. */
export function currentPlace() {
  const name = location.pathname.split("/").at(-1).replace(/\.html$/, "");
  return ["", "index"].includes(name) ? "play" : name;
}
