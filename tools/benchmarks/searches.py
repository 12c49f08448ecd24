"""Run `isolarium bench`, count with perft, and compare the plain-Python alpha-beta with ours.

Perft is the number of move sequences per second that the compiled rules count on an empty 7x7 board, on one core. The
comparison prints values and node counts, depth by depth. The student's program is `isolarium.bench`, part of
the package, so that `isolarium bench` works in every installation.
"""

import sys
from time import thread_time

from isolarium.bench import POSITIONS, student_search
from isolarium.cli import main as isolarium
from isolarium.game import Board, Position
from isolarium.game.notation import parse_position
from isolarium.game.perft import perft
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import Limit
from isolarium.search.alphabeta import AlphaBeta

PERFT_DEPTH = 9
ROUNDS = 3
DEPTHS = range(1, 11)


def main() -> int:
    """Print everything, and return the exit status of `isolarium bench`."""
    status = isolarium(["bench"])
    count_sequences()
    compare_with_student()
    return status


def count_sequences() -> None:
    """Print the count of perft, and the best rate of a few rounds."""
    position = Position.empty(Board(7, 7))
    perft(position, 1)  # compiles
    best = 0.0
    for _ in range(ROUNDS):
        began = thread_time()
        count = perft(position, PERFT_DEPTH)
        best = max(best, count / (thread_time() - began))
    rate = f"{best / 1e6:,.0f} million a second"
    print(f"perft       7x7, depth {PERFT_DEPTH}: {count:,} sequences, {rate}")


def compare_with_student() -> None:
    """Print a line for each depth of each position on 7x7."""
    ours = AlphaBeta(parse_heuristic("improved"))
    for line in POSITIONS["7x7"]:
        position = parse_position(line)
        for depth in DEPTHS:
            value, nodes = student_search(position, depth)
            report = ours.choose(position, Limit(depth=depth)).report
            print(
                f"student     {line}   depth {depth:>2}   value {value:+.0f}   {nodes:>9,} nodes   "
                f"isolarium {report.nodes:>9,}"
            )


if __name__ == "__main__":
    sys.exit(main())
