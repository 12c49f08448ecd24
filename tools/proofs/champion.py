"""Play the champion against `strong:stealer`, at equal nodes and at equal time.

    python -m tools.proofs.champion [WORKERS]

Each match is a sequential test between two hypotheses. At 500 and 8,000 nodes a move on 9x11 and
13x13 the champion should score 60%, which is 70 Elo: the test is between 35 and 105, so accepting
H1 means that the difference is nearer to 105. At 150 ms a move it should score 55%, 35 Elo: between
0 and 70. On 7x7 at 500 nodes it should be ahead: between 0 and 20. Each test is then repeated on
openings of another seed: `SEEDS`. No games from these seeds were used for training or tuning.
Results are saved in `docs/evidence/champion.jsonl` as they come, and recorded ones are not played
again. The table of `docs/explanation/champion.md` is written from them.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools.proofs.stealer import cells, percent, play, read

EVIDENCE: Final = Path("docs/evidence/champion.jsonl")
PAGE: Final = Path("docs/explanation/champion.md")
BEGIN, END = "<!-- python -m tools.proofs.champion writes from here -->", "<!-- to here -->"
SEEDS: Final = {"test": 401, "confirmation": 402}
MOST_PAIRS: Final = 1000
TESTS: Final = {
    ("7x7", "nodes=500"): "0,20",
    ("9x11", "nodes=500"): "35,105",
    ("13x13", "nodes=500"): "35,105",
    ("9x11", "nodes=8000"): "35,105",
    ("13x13", "nodes=8000"): "35,105",
    ("9x11", "ms=150"): "0,70",
    ("13x13", "ms=150"): "0,70",
}


@dataclass(frozen=True)
class Meeting:
    """A match to play."""

    board: str
    limit: str
    part: str

    @property
    def command(self) -> list[str]:
        """The command of the match."""
        agents = [f"{name}@{self.limit}" for name in ("champion", "strong:stealer")]
        plan = {
            "board": self.board,
            "plies": 2,
            "seed": SEEDS[self.part],
            "test": TESTS[self.board, self.limit],
            "pairs": MOST_PAIRS,
        }
        options = [word for name, value in plan.items() for word in (f"--{name}", str(value))]
        return ["match", *agents, *options, "--no-accuracy"]


def meetings() -> Iterator[Meeting]:
    """Return all matches, the tests before their confirmations."""
    for part in SEEDS:
        for board, limit in TESTS:
            yield Meeting(board, limit, part)


def table() -> Iterator[str]:
    """Yield a row for each board and limit."""
    known = read(EVIDENCE)
    yield "| board | a move | between Elo | test | won-split-lost | score | confirmed | won-split-lost | score |"
    yield "|---" * 9 + "|"
    for (board, limit), elo in TESTS.items():
        row = [board, limit.replace("=", " "), elo.replace(",", " and ")]
        for part in SEEDS:
            row += cells(known.get(f"isolarium {' '.join(Meeting(board, limit, part).command)}"))
        yield f"| {' | '.join(row)} |"


def main(workers: str = "2") -> None:
    """Play the missing matches, and write the page after each."""
    for meeting in meetings():
        command = f"isolarium {' '.join(meeting.command)}"
        if command not in read(EVIDENCE):
            found = play(meeting, workers)
            with EVIDENCE.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found) + "\n")
        found = read(EVIDENCE)[command]
        print(f"{command}: {found['test']['state']}, {percent(found['score'])}", flush=True)
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        text = "\n".join(table())
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
