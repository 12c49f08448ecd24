"""Measure perft: the move sequences per second that the compiled rules count.

It counts on an empty 7x7 board, on one core.
"""

from time import thread_time

from isolarium.game import Board, Position
from isolarium.game.perft import perft

DEPTH = 9
ROUNDS = 3


def main() -> None:
    """Print the count, and the best rate of a few rounds."""
    position = Position.empty(Board(7, 7))
    perft(position, 1)  # compiles
    best = 0.0
    for _ in range(ROUNDS):
        began = thread_time()
        count = perft(position, DEPTH)
        best = max(best, count / (thread_time() - began))
    print(
        f"perft       7x7, depth {DEPTH}: {count:,} sequences, {best / 1e6:,.0f} million a second"
    )


if __name__ == "__main__":
    main()
