// What can be laid over a board so that one sees why: each a Map of marks for a position's squares, and a legend that tells
// what it means here. Colours come with shapes and figures. No DOM.

import { distancesOf, firstAt, stealerOf, waysOnFrom } from "../game/insight.js";
import { colourName } from "./messages.js";

const SIDE = ["first", "second"];
const SHAPE = ["●", "■"];
const MOST_WAYS = 8;

const isPlaced = (position) => !position.squares.includes(null);
const count = (list, what) => list.filter((one) => one === what).length;

/** Marks for the squares of which `say` says something. */
function marksFor(position, say) {
  const marks = new Map();
  for (let square = 0; square < position.size; square++) {
    const isGone = !position.blank[square] && !position.squares.includes(square);
    const mark = isGone ? null : say(square);
    if (mark) marks.set(square, mark);
  }
  return marks;
}

/** The two colours of the squares, which say who is the stealer. */
const COLOURS = {
  title: "the squares' colours",
  marks: (position) =>
    marksFor(position, (square) =>
      position.isLight(square)
        ? { tone: "none", words: "light" }
        : { tone: "warm", strength: 0.75, text: "◆", words: "dark" },
    ),
  legend(position) {
    if (!isPlaced(position)) return "◆ marks the squares of one colour. A knight changes colour with every move.";
    const stealer = colourName(stealerOf(position));
    const same = position.isLight(position.squares[0]) === position.isLight(position.squares[1]);
    const mover = colourName(position.toMove);
    return `${mover} is to move with both on ${same ? "one colour" : "different colours"}: ${stealer} is the stealer, for the whole game, and can take squares that the other needs.`;
  },
};

/** Who gets to each square first. */
const TERRITORY = {
  title: "who is first at each square",
  marks(position) {
    if (!isPlaced(position)) return new Map();
    const owners = firstAt(position);
    const distances = [0, 1].map((player) => distancesOf(position, player));
    return marksFor(position, (square) => {
      const owner = owners[square];
      if (owner === null) return null;
      const far = distances[owner][square];
      const words = `${colourName(owner)} is first, in ${far}`;
      return { tone: SIDE[owner], strength: 0.8, text: `${SHAPE[owner]}${far}`, words };
    });
  },
  legend(position) {
    if (!isPlaced(position)) return "Once both are placed, every square belongs to who gets there first.";
    const owners = firstAt(position);
    return `First at: ● Blue ${count(owners, 0)}, ■ Orange ${count(owners, 1)}; the figure says in how many moves.`;
  },
};

/** Where each can still go, however long it takes. */
const REACH = {
  title: "where each can still go",
  marks(position) {
    if (!isPlaced(position)) return new Map();
    const reached = [0, 1].map((player) => distancesOf(position, player));
    return marksFor(position, (square) => {
      if (position.squares.includes(square)) return null;
      const who = [0, 1].filter((player) => reached[player][square] !== null);
      if (!who.length) return { tone: "none", text: "–", words: "nobody gets there" };
      if (who.length === 2) return { tone: "warm", strength: 0.5, text: "●■", words: "both can get there" };
      const [player] = who;
      return { tone: SIDE[player], strength: 0.8, text: SHAPE[player], words: `only ${colourName(player)} can get there` };
    });
  },
  legend(position) {
    if (!isPlaced(position)) return "Once both are placed, this shows the squares that each can get to.";
    const [blue, orange] = [0, 1].map((player) => distancesOf(position, player).filter((far) => far !== null).length);
    return `● only Blue gets there, ■ only Orange, ●■ both, – nobody. Blue can get to ${blue} squares, Orange to ${orange}.`;
  },
};

/** How many ways lead on from each square. */
const MOBILITY = {
  title: "how many ways lead on",
  marks(position) {
    const ways = waysOnFrom(position);
    return marksFor(position, (square) => {
      if (ways[square] === null) return null;
      const words = `${ways[square]} ${ways[square] === 1 ? "way leads" : "ways lead"} on`;
      return { tone: "warm", strength: ways[square] / MOST_WAYS, text: String(ways[square]), words };
    });
  },
  legend(position) {
    const has = (player) => `${colourName(player)} has ${position.movesOf(player).length}`;
    const now = isPlaced(position) ? ` Now ${has(0)}, ${has(1)}.` : "";
    return `Each figure says to how many blank squares one could go on from there.${now}`;
  },
};

export const OVERLAYS = { colours: COLOURS, territory: TERRITORY, reach: REACH, mobility: MOBILITY };
