// A friend by link: a form that opens a game, or the game that the address's fragment leads to.

import { FriendGame } from "./game.js";
import { Opening } from "./opening.js";
import { placeOf } from "./seats.js";

export const title = "Play a friend";

export function open(main, keys) {
  addEventListener("hashchange", ({ oldURL }) => {
    if (placeOf(location.hash)) location.reload(); // another link was followed
    else history.replaceState(null, "", oldURL); // the way to the board was taken
  });
  const place = placeOf(location.hash);
  main.append(place ? new FriendGame(place, keys).element : new Opening().element);
}
