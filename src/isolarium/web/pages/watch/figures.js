// The figures of a run as text. No DOM.

const count = new Intl.NumberFormat("en");

export const formatCount = (number) => count.format(number);

/** "1 game", "1,200 games". */
export const counted = (number, noun) => `${formatCount(number)} ${noun}${number === 1 ? "" : "s"}`;

/** The address of a study's report. */
export const studyReport = (study) => `/api/runs/${encodeURIComponent(study)}/report`;

/** A duration as short text. */
function formatSeconds(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** The verdict of a run; for a match with the players' names, and LOS spelled out. */
export function formatVerdict({ format, players, verdict }) {
  if (format !== "match") return verdict;
  const words = verdict.replace(/\bLOS\b/, "likelihood of superiority");
  return `${players[0]} against ${players[1]}: ${words}`;
}

/** The progress of a run in one line. */
export function formatProgress(run) {
  const done = `${formatCount(run.games)} of ${counted(run.games_planned, "game")}`;
  const early = run.state === "finished" && run.games < run.games_planned;
  if (early) return `${counted(run.games, "game")} of at most ${formatCount(run.games_planned)} · finished`;
  if (run.state !== "playing") return `${done} · ${run.state}`;
  if (run.stage === "starting")
    return `${done} · starting (agents are compiled on first use)`;
  const rate = run.rate
    ? ` · ${run.rate >= 10 ? run.rate.toFixed(0) : run.rate.toFixed(1)} games a second`
    : "";
  const left = run.seconds_left ? ` · ${formatSeconds(run.seconds_left)} left` : "";
  return `${done}${rate}${left}`;
}

/** The range of an axis for these shares: with a margin, around 50%, and at least 10 points wide. */
export function shareRange(shares) {
  const ends = shares.flatMap(({ rate, low, high }) => [rate, low, high]);
  const least = Math.min(0.45, ...ends);
  const most = Math.max(0.55, ...ends);
  const room = (most - least) * 0.06;
  return [Math.max(0, least - room), Math.min(1, most + room)];
}

/** Round shares within a range, to label an axis. */
export function ticks([least, most]) {
  const step = [0.05, 0.1, 0.25].find((size) => (most - least) / size <= 6) ?? 0.25;
  const found = [];
  for (let at = Math.ceil(least / step - 1e-9); at * step <= most + 1e-9; at++) found.push(at * step);
  return found;
}
