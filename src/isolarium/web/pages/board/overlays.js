// What can be laid over a board: each overlay is a Map of marks for a position's squares, and a legend that explains
// it. Colours come with shapes and figures. No DOM.

import { colourName } from "./messages.js";

// Facts about a position, computed from the rules as the heuristics compute them.

/** For every square the number of moves in which a player reaches it through blanks; null if it cannot. */
export function distancesOf(position, player) {
  const distances = Array(position.size).fill(null);
  let edge = position.movesOf(player);
  for (let far = 1; edge.length; far++) {
    for (const square of edge) distances[square] = far;
    edge = [...new Set(edge.flatMap((square) => position.blanksFrom(square)))].filter((to) => distances[to] === null);
  }
  return distances;
}

/**
 * For every square the player who reaches it first, both being placed; null if neither can. Whose turn it is counts, so
 * that no square is left to both.
 */
export function firstAt(position) {
  const owners = Array(position.size).fill(null);
  const order = [position.toMove, 1 - position.toMove];
  const edges = position.squares.map((square) => [square]);
  while (edges.some((edge) => edge.length)) {
    for (const player of order) {
      const reached = new Set(edges[player].flatMap((square) => position.blanksFrom(square)));
      edges[player] = [...reached].filter((square) => owners[square] === null);
      for (const square of edges[player]) owners[square] = player;
    }
  }
  return owners;
}

/** For every blank square how many blanks lead on from it; null for the others. */
export function waysOnFrom(position) {
  return Array.from(position.blank, (isBlank, square) => (isBlank ? position.blanksFrom(square).length : null));
}

/** The player who can take squares that the other needs next: who is to move while both stand on one colour. */
export function stealerOf(position) {
  const [first, second] = position.squares.map((square) => position.isLight(square));
  return first === second ? position.toMove : 1 - position.toMove;
}

const SIDE = ["first", "second"];
const SHAPE = ["●", "■"];
const MOST_WAYS = 8;

const isPlaced = (position) => !position.squares.includes(null);
const count = (list, what) => list.filter((one) => one === what).length;

/** Marks for the squares for which `say` returns one. */
function marksFor(position, say) {
  const marks = new Map();
  for (let square = 0; square < position.size; square++) {
    const isGone = !position.blank[square] && !position.squares.includes(square);
    const mark = isGone ? null : say(square);
    if (mark) marks.set(square, mark);
  }
  return marks;
}

/** The two colours of the squares, which decide who is the stealer. */
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
