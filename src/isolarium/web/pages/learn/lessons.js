// Five lessons on strategy: an idea, a position where it decides, and the one move that wins there. A test checks the
// positions with the solver. No DOM.

const paragraph = (...lines) => lines.join(" ");

export const LESSONS = [
  {
    title: "Take what your opponent needs",
    overlay: "colours",
    position: "6/Bx1x2/1xxx2/x1xxx1/3Ax1/1xx3 a",
    text: paragraph(
      "A knight changes colour with every move. It is your move and both knights stand on the same colour, so you can take",
      "squares that Orange could move to next. You are the stealer, for the whole game; Orange can never do that to you.",
      "Use this: a square that you take is gone for both players.",
    ),
    task: "Orange has two moves. Take one of those squares.",
    moral: "You took a square that Orange needed, and Orange can never take one of yours.",
  },
  {
    title: "Arrive first",
    overlay: "territory",
    position: "6/2Bxx1/1xxAx1/2xxxx/6/3x2 a",
    text: paragraph(
      "Each square belongs to the player who reaches it in fewer moves; on a tie, to the player to move. The player who reaches",
      "more squares first can usually keep moving for longer. A good move wins squares or takes them from your opponent.",
    ),
    task: "Only one of your moves gives you more squares than Orange. Find it.",
    moral: "See how much of the board is yours now.",
  },
  {
    title: "Look where it leads",
    overlay: "reach",
    position: "6/xx4/1xxx1x/xx1xx1/1BxA2/1x4 a",
    text: paragraph(
      "Blank squares are worth nothing if you cannot reach them. Before you move, look at what you could reach from the new square:",
      "blocked squares cut the board into parts, and a corner can become a part of its own.",
    ),
    task: "Two of your three moves lead into a dead end. Find the other.",
    moral: "Everything you could reach is still within reach.",
  },
  {
    title: "Keep your options open",
    overlay: "mobility",
    position: "6/1x1x2/xxxA2/2xxx1/1x1B2/3x2 a",
    text: paragraph(
      "The number on a square counts the moves from it. Squares at the edge have few moves, and every blocked square takes one away.",
      "On a square with many moves you are hard to trap, so do not leave it to your opponent.",
    ),
    task: "All your moves reach the same squares in the end. Find the one that wins: it leaves the most moves open.",
    moral: "As long as you have a choice, your opponent cannot force your moves.",
  },
  {
    title: "Separate when you have more room",
    overlay: "reach",
    position: "6/1xxA2/1x1xx1/1xxxx1/1x2B1/3x1x a",
    text: paragraph(
      "Once no square is within reach of both players, neither can disturb the other. Then the longer walk wins, and stealing",
      "no longer matters. So separate when you have more room, and stay close when you have less.",
    ),
    task: "Each of your moves separates the knights. Move where you have more room than Orange.",
    moral: "Now you only have to walk without trapping yourself.",
  },
];
