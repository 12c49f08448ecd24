// The overlays of a board: each is a Map of marks for the squares, with a legend. Colours are backed up by shapes and
// numbers. No DOM.

import { colourName } from "./messages.js";

// Facts about a position, computed from the rules as the heuristics compute them.

/** For every square, the number of moves a player needs to reach it; null if it cannot. */
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
 * For every square, the player who reaches it first; null if neither can. The player to move wins ties. Both players
 * must be placed.
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

/** For every blank square, the number of moves from it; null for the others. */
export function movesFromEach(position) {
  return Array.from(position.blank, (isBlank, square) => (isBlank ? position.blanksFrom(square).length : null));
}

/** The player who can take squares that the other needs next: the player to move if both stand on the same colour. */
export function stealerOf(position) {
  const [first, second] = position.squares.map((square) => position.isLight(square));
  return first === second ? position.toMove : 1 - position.toMove;
}

const SIDE = ["first", "second"];
const SHAPE = ["●", "■"];
const MOST_WAYS = 8;

const isPlaced = (position) => !position.squares.includes(null);
const count = (list, what) => list.filter((one) => one === what).length;

/** The marks that `markOf` returns for the squares. */
function marksFor(position, markOf) {
  const marks = new Map();
  for (let square = 0; square < position.size; square++) {
    const isGone = !position.blank[square] && !position.squares.includes(square);
    const mark = isGone ? null : markOf(square);
    if (mark) marks.set(square, mark);
  }
  return marks;
}

/** The colours of the squares, which decide who is the stealer. */
const COLOURS = {
  title: "square colours",
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
    return `Both knights stand on ${same ? "the same colour" : "different colours"} with ${mover} to move: ${stealer} is the stealer for the whole game and can take squares that the other needs.`;
  },
};

/** Who reaches each square first. */
const TERRITORY = {
  title: "who reaches each square first",
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
    if (!isPlaced(position)) return "Once both knights are placed, this shows who reaches each square first.";
    const owners = firstAt(position);
    return `Reached first: ● Blue ${count(owners, 0)}, ■ Orange ${count(owners, 1)}. The number is how many moves it takes.`;
  },
};

/** The squares that each can still reach. */
const REACH = {
  title: "reachable squares",
  marks(position) {
    if (!isPlaced(position)) return new Map();
    const reached = [0, 1].map((player) => distancesOf(position, player));
    return marksFor(position, (square) => {
      if (position.squares.includes(square)) return null;
      const who = [0, 1].filter((player) => reached[player][square] !== null);
      if (!who.length) return { tone: "none", text: "–", words: "unreachable" };
      if (who.length === 2) return { tone: "warm", strength: 0.5, text: "●■", words: "reachable by both" };
      const [player] = who;
      return { tone: SIDE[player], strength: 0.8, text: SHAPE[player], words: `reachable only by ${colourName(player)}` };
    });
  },
  legend(position) {
    if (!isPlaced(position)) return "Once both knights are placed, this shows the squares that each player can reach.";
    const [blue, orange] = [0, 1].map((player) => distancesOf(position, player).filter((far) => far !== null).length);
    return `● Blue only, ■ Orange only, ●■ both, – neither. Blue can reach ${blue} squares, Orange ${orange}.`;
  },
};

/** The number of moves from each square. */
const MOBILITY = {
  title: "moves from each square",
  marks(position) {
    const ways = movesFromEach(position);
    return marksFor(position, (square) => {
      if (ways[square] === null) return null;
      const words = `${ways[square]} ${ways[square] === 1 ? "move" : "moves"} from here`;
      return { tone: "warm", strength: ways[square] / MOST_WAYS, text: String(ways[square]), words };
    });
  },
  legend(position) {
    const has = (player) => `${colourName(player)} has ${position.movesOf(player).length}`;
    const now = isPlaced(position) ? ` ${has(0)} now, ${has(1)}.` : "";
    return `Each number counts the moves from that square.${now}`;
  },
};

export const OVERLAYS = { colours: COLOURS, territory: TERRITORY, reach: REACH, mobility: MOBILITY };
