"""Play `stealer` against every heuristic of the reports, at equal nodes.

    python -m tools.proofs.stealer [WORKERS]

The opponents meet `stealer` under `alphabeta` at 500 and at 8,000 nodes a move, on 7x7 and on 9x11,
from random openings of two placements and two random moves, each as a pair. Each match is a
sequential test: it ends when it accepts one of two hypotheses, with the differences `ELO` and the
error probability `ERROR`. Each test is then repeated on openings of a seed that was not used for
tuning: `SEEDS`. Results are saved in `docs/evidence/stealer.jsonl` as they come, and recorded ones
are not played again. The table of `docs/research/stealer.md` is written from them.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from isolarium.heuristics.lookup import catalogue

DOCS: Final = Path("docs")
EVIDENCE: Final = DOCS / "evidence" / "stealer.jsonl"
PAGE: Final = DOCS / "research" / "stealer.md"
BEGIN, END = "<!-- python -m tools.proofs.stealer writes from here -->", "<!-- to here -->"
HEURISTIC: Final = "stealer"
BOARDS: Final = ("7x7", "9x11")
NODES: Final = (500, 8000)
SEEDS: Final = {"test": 2, "confirmation": 3}
ELO: Final = (0, 20)
ERROR: Final = 0.01
MOST_PAIRS: Final = 6000
PLIES: Final = 2
SOLVED: Final = ("distance", "improved")
"""The opponents whose games on the smaller board are compared with exact values."""


class Match(Protocol):
    """A match to play."""

    @property
    def command(self) -> list[str]:
        """The command of the match."""


@dataclass(frozen=True)
class Meeting:
    """A match to play: opponent, board, nodes, and whether it is the confirmation."""

    opponent: str
    board: str
    nodes: int
    part: str

    @property
    def command(self) -> list[str]:
        """The command of the match."""
        agents = [f"alphabeta:{name}@nodes={self.nodes}" for name in (HEURISTIC, self.opponent)]
        plan = {
            "board": self.board,
            "plies": PLIES,
            "seed": SEEDS[self.part],
            "test": f"{ELO[0]},{ELO[1]}",
            "alpha": ERROR,
            "beta": ERROR,
            "pairs": MOST_PAIRS,
        }
        options = [word for name, value in plan.items() for word in (f"--{name}", str(value))]
        return ["match", *agents, *options, *([] if self.is_solved else ["--no-accuracy"])]

    @property
    def is_solved(self) -> bool:
        """Return whether a sample of the games is solved, which takes longer than playing them."""
        return self.board == BOARDS[0] and self.opponent in SOLVED and self.part == "test"


def meetings() -> Iterator[Meeting]:
    """Return all matches: tests before confirmations, the likeliest to fail first."""
    reported = [name for name, heuristic in catalogue().items() if heuristic.report]
    opponents = ["distance", *(name for name in reported if name != "distance")]
    for part in SEEDS:
        for board in BOARDS:
            for nodes in NODES:
                for opponent in opponents:
                    yield Meeting(opponent, board, nodes, part)


def play(meeting: Match, workers: str) -> dict[str, Any]:
    """Play a match and return the figures to store."""
    with tempfile.TemporaryDirectory() as runs:
        command = [sys.executable, "-m", "isolarium", *meeting.command, "--json"]
        where = ["--runs", runs, "--workers", workers]
        done = subprocess.run([*command, *where], stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    kept = {name: found[name] for name in ("pairs", "score", "elo", "test")}
    if "accuracy" in found:
        ours, theirs = found["accuracy"]["per_agent"]
        kept["accuracy"] = [ours["accuracy"], theirs["accuracy"]]
        kept["perfect_play_at_least"] = theirs["perfect_play_at_least"]
    return {"command": f"isolarium {' '.join(meeting.command)}", **kept}


def read(evidence: Path = EVIDENCE) -> dict[str, dict[str, Any]]:
    """Read the results so far, by command; commands of earlier versions began with `isolab`."""
    lines = evidence.read_text(encoding="utf-8").splitlines() if evidence.exists() else []
    results = map(json.loads, lines)
    return {result["command"].replace("isolab ", "isolarium ", 1): result for result in results}


def table(known: dict[str, dict[str, Any]]) -> str:
    """Yield a table for each board and budget, with a row for every opponent."""
    parts = []
    for board in BOARDS:
        for nodes in NODES:
            rows = list(_rows(known, board, nodes))
            parts.append(f"### {board}, {nodes:,} nodes a move\n\n" + "\n".join(rows))
    parts.append(f"### Compared with exact values, {BOARDS[0]}\n\n" + "\n".join(_truth(known)))
    return "\n\n".join(parts)


def _rows(known: dict[str, dict[str, Any]], board: str, nodes: int) -> Iterator[str]:
    heads = ["against", "test", "won-split-lost", "score", "confirmed", "won-split-lost", "score"]
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for opponent in dict.fromkeys(one.opponent for one in meetings()):
        row = [opponent]
        for part in SEEDS:
            meeting = Meeting(opponent, board, nodes, part)
            row += cells(known.get(f"isolarium {' '.join(meeting.command)}"))
        yield f"| {' | '.join(row)} |"


def _truth(known: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the rows of accuracy and of the minimum score of perfect play."""
    yield "| against | nodes | score | perfect play, at least | critical-move accuracy | the opponent's |"
    yield "|---|---|---|---|---|---|"
    for meeting in meetings():
        found = known.get(f"isolarium {' '.join(meeting.command)}")
        if found is not None and "accuracy" in found:
            rates = [found["score"], found["perfect_play_at_least"], *found["accuracy"]]
            summary = [percent(rate) if rate else "" for rate in rates]
            yield f"| {meeting.opponent} | {meeting.nodes:,} | {' | '.join(summary)} |"


def cells(found: dict[str, Any] | None) -> list[str]:
    """Return the result of a test, the pairs and the score."""
    if found is None:
        return ["not played", "", ""]
    pairs = "-".join(str(found["pairs"][name]) for name in ("won", "split", "lost"))
    state = {"accepts H1": "ahead", "accepts H0": "not ahead"}.get(found["test"]["state"], "undecided")
    return [state, pairs, percent(found["score"])]


def percent(rate: dict[str, float]) -> str:
    """Return a rate with its interval."""
    low, middle, high = (100 * rate[name] for name in ("low", "rate", "high"))
    return f"{middle:.1f}% ({low:.1f} to {high:.1f})"


def filled(page: str) -> str:
    """Return the page with its tables."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table(read())}\n\n{END}{after}"


def main(workers: str = "1") -> int:
    """Play the missing matches, write the page, and return whether every test and confirmation found it ahead."""
    known = read()
    wanted = list(meetings())
    for number, meeting in enumerate(wanted, 1):
        command = f"isolarium {' '.join(meeting.command)}"
        if command not in known:
            known[command] = play(meeting, workers)
            with EVIDENCE.open("a") as file:
                file.write(json.dumps(known[command]) + "\n")
        found = known[command]
        summary = f"{found['test']['state']}, {percent(found['score'])}"
        print(f"{number} of {len(wanted)}: {command}: {summary}", flush=True)
    PAGE.write_text(filled(PAGE.read_text()))
    ahead = sum(result["test"]["state"] == "accepts H1" for result in known.values())
    print(f"ahead in {ahead} of {len(wanted)}")
    return int(ahead < len(wanted))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
