// Five lessons of strategy: what to look at, a position in which it decides, and one move that wins there. A test asks
// the solver whether it does. No DOM.

const paragraph = (...lines) => lines.join(" ");

export const LESSONS = [
  {
    title: "Take what the other needs",
    overlay: "colours",
    position: "6/Bx1x2/1xxx2/x1xxx1/3Ax1/1xx3 a",
    text: paragraph(
      "A knight changes colour with every move. You are to move and both stand on squares of one colour, so whatever you can",
      "reach, Orange may be able to reach too: you are the stealer, and stay it for the whole game. Orange can never do that to you.",
      "Use it: a square that you take is gone for both.",
    ),
    task: "Orange has two squares to go to. Take one of them.",
    moral: "You took a square that Orange needed, and Orange can never take one of yours.",
  },
  {
    title: "Be there first",
    overlay: "territory",
    position: "6/2Bxx1/1xxAx1/2xxxx/6/3x2 a",
    text: paragraph(
      "Every square belongs to who gets there in fewer moves, and the player to move counts as nearer. Who is first at more squares",
      "can usually go on for longer. A good move makes squares yours, or takes them from the other.",
    ),
    task: "One move alone leaves you first at more squares than Orange. Find it.",
    moral: "Look how much of the board is yours now.",
  },
  {
    title: "Mind where it leads",
    overlay: "reach",
    position: "6/xx4/1xxx1x/xx1xx1/1BxA2/1x4 a",
    text: paragraph(
      "Blank squares are worth nothing if you cannot get to them. Before you go somewhere, look at what can be reached from there:",
      "blocked squares cut the board into parts, and a corner may be a part of its own.",
    ),
    task: "Two of your three moves lead into a dead end. Find the other.",
    moral: "Everything that could be reached is still in reach.",
  },
  {
    title: "Keep ways open",
    overlay: "mobility",
    position: "6/1x1x2/xxxA2/2xxx1/1x1B2/3x2 a",
    text: paragraph(
      "The figure of a square says how many ways lead on from it. Squares at the edge have few, and each that is blocked takes one away.",
      "A square with many is hard to be trapped on, and bad to leave to the other.",
    ),
    task: "All your moves reach the same squares in the end. Find the one that wins: it keeps the most ways open.",
    moral: "With ways to choose from, you cannot be forced.",
  },
  {
    title: "Part from the other with more",
    overlay: "reach",
    position: "6/1xxA2/1x1xx1/1xxxx1/1x2B1/3x1x a",
    text: paragraph(
      "Once no square can be reached by both, nobody can disturb the other any more. Then the longer walk wins, whoever is the stealer.",
      "So when you have more room, part from the other; when you have less, stay close.",
    ),
    task: "Each of your moves parts the two. Go where you have more room than Orange.",
    moral: "Now you only have to walk, without locking yourself in.",
  },
];
