"""Play 100 pairs by the clock between two course agents, and count time losses.

    python -m tools.proofs.course_clock [PAIRS] [MILLISECONDS]

Both agents are from the tests. They stop when `time_left()` runs out, so a loss on time is caused
by the machine or by Isolarium.
"""

import sys
import tempfile
from collections import Counter
from contextlib import closing
from os import getloadavg

import isolarium
from isolarium.arena.game import is_held_up
from isolarium.arena.run_db import Record
from tests.course.test_course_agent import FIRST, SECOND


def main() -> None:
    """Print how the games ended, and how often the machine delayed a move."""
    pairs, ms = (int(text) for text in (sys.argv[1:] + ["100", "150"][len(sys.argv) - 1 :]))
    agents = (f"course:{SECOND}:AlphaBetaPlayer@ms={ms}", f"course:{FIRST}:CustomPlayer@ms={ms}")
    with tempfile.TemporaryDirectory() as folder:
        run = isolarium.match(*agents, pairs=pairs, workers=2, runs=folder, progress=False).folder
        with closing(Record(run)) as record:
            games = list(record.games())
    reasons = Counter(str(game.reason) for game in games)
    moves = [(time_ms, busy_ms) for game in games for time_ms, busy_ms in zip(game.times_ms, game.busy_ms, strict=True)]
    held_up = sum(is_held_up(*move) for move in moves)
    print(
        f"course clock {pairs} pairs at {ms} ms, two workers, load {getloadavg()[0]:.1f} at the end: "
        + ", ".join(f"{count} games ended by {reason}" for reason, count in reasons.items())
        + f"; of {len(moves):,} moves {held_up:,} were held up, "
        f"the longest took {max(time for time, _ in moves):.0f} ms on the clock"
    )


if __name__ == "__main__":
    main()
