// Sound: a short click when a knight moves, and two notes at the end of a game. Off until the visitor turns it on.

import { recall, remember } from "./storage.js";

const NAME = "sound";
const MOVE = [{ hertz: 330, at: 0, seconds: 0.07 }];
const END = [
  { hertz: 392, at: 0, seconds: 0.14 },
  { hertz: 262, at: 0.15, seconds: 0.25 },
];
const LOUDNESS = 0.12;

let context = null;

export const isSoundOn = () => recall(NAME) === "on";

/** Turn sound on or off; a note confirms that it is on. */
export function turnSound(on) {
  remember(NAME, on ? "on" : null);
  if (on) play(MOVE);
}

function play(notes) {
  context ??= new AudioContext();
  for (const { hertz, at, seconds } of notes) {
    const start = context.currentTime + at;
    const tone = new OscillatorNode(context, { frequency: hertz, type: "triangle" });
    const volume = new GainNode(context, { gain: LOUDNESS });
    volume.gain.setValueAtTime(LOUDNESS, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + seconds);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + seconds);
  }
}

/** Let the moves on a board be heard: whenever it shows one move more than before. */
export function soundMoves(board) {
  let blanks = null;
  board.addEventListener("shown", ({ detail: position }) => {
    const before = blanks;
    blanks = position.blankCount;
    if (before === null || blanks !== before - 1 || !isSoundOn()) return;
    play(position.winner() === null ? MOVE : END);
  });
}
