// What is known of all starts, in words.

const paragraph = (...lines) => lines.join(" ");

export const COLOUR_LAW = paragraph(
  "A knight changes colour with every move. When both knights stand on the same colour, the player to move",
  "can take a square that the other needs next: it is the stealer. When they stand on different colours, the",
  "player to move is the runner, and can never do that. Who is which never changes in a game.",
  "With perfect play the stealer wins. So Blue wins if Orange is placed on its colour, and Orange, placed",
  "second, takes a square of the other colour.",
);

export const MIRROR = paragraph(
  "The law has exceptions. On every board solved so far with both sides at least five they are mirrors: if a",
  "half turn leaves the position as it was, and no blank square is at its centre, the player not to move wins,",
  "since it can answer every move with its image. With both sides even, that is when the two stand opposite",
  "each other. With a square in the middle, it is when Blue stands there and Orange a knight's move away: Blue",
  "goes to the square opposite Orange, and from then on the mirror is Blue's. Smaller boards are too cramped",
  "for the law.",
);

export const CREDIT = paragraph(
  "Gerry Quinn described the advantage of the colours and the strategy of the mirror in the 1990s, for this very game,",
  "which he called Joust. The exact law, its exceptions, and who wins from every start are computed by Isolarium.",
);

export const MIRROR_REASON = paragraph(
  "The reason is a mirror: the winner can answer every move with its image through the centre.",
);
