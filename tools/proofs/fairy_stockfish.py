"""Play matches with a real Fairy-Stockfish, on its own board and on others, and write them to docs/evidence.

    python -m tools.proofs.fairy_stockfish [PROGRAM]

First at equal nodes against `strong:stealer`; then at 100 ms a move against the champion, which should lose no pair of
fifty on 8x8 and 10x10. It takes a quarter of an hour on two otherwise idle cores. Install or build
the program first: one with `joust`, and with LARGEBOARDS for boards beyond 8x8.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

EVIDENCE: Final = Path("docs/evidence/fairy_stockfish.txt")
USUAL: Final = "fairy-stockfish"


class Match(NamedTuple):
    """Return the matches."""

    opponent: str
    limit: str
    board: str
    pairs: int


MATCHES: Final = (
    *(Match("strong:stealer", "nodes=20000", board, 10) for board in ("8x8", "7x7", "9x11")),
    *(Match("champion", "ms=100", board, 50) for board in ("8x8", "10x10")),
)
LEFT_OUT: Final = ("run ", "clock ", " " * 13 + "timed")


def main(program: str = USUAL) -> int:
    """Play on each board; return 1 if a game did not end by the rules."""
    if shutil.which(program) is None:
        problem = "not installed, so no match was played; name one, or put it on PATH"
        print(f"{program}: {problem}", file=sys.stderr)
        return 0
    lines = [name_of(program), *(line for match in MATCHES for line in played(program, match))]
    EVIDENCE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(*lines, sep="\n")
    return int(any(line.endswith("NO") for line in lines))


def name_of(program: str) -> str:
    """Return the program's name."""
    output = subprocess.run([program], input="uci\nquit\n", capture_output=True, text=True, check=True)
    return next(line for line in output.stdout.splitlines() if line.startswith("id name "))


def played(program: str, match: Match) -> Iterator[str]:
    """Play a match and return its result without times."""
    options = ["--board", match.board, "--pairs", str(match.pairs), "--no-accuracy"]
    options += ["--workers", "2"]
    opponent = f"{match.opponent}@{match.limit}"
    with tempfile.TemporaryDirectory() as folder:
        agents = (f"engine:{program}@{match.limit}", opponent)
        command = [sys.executable, "-m", "isolarium", "match", *agents, *options, "--runs", folder]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    yield f"\nisolarium match engine:{USUAL}@{match.limit} {opponent} {' '.join(options)}"
    for line in shown.replace(program, USUAL).splitlines():
        if not line.startswith(LEFT_OUT):
            yield f"  {line}"
    losses = re.search(r"^losses +no moves (\d+) vs (\d+)$", shown, re.MULTILINE)
    by_the_rules = losses is not None and sum(map(int, losses.groups())) == 2 * match.pairs
    yield f"every game ended by the rules: {'yes' if by_the_rules else 'NO'}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
