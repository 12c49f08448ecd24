"""Measure the nodes per millisecond of the champion's search, and the speed-up of two threads.

    python -m tools.benchmarks.champion

Nodes per millisecond are by processor time, for several searches on the same positions after random moves, after a
warm-up round. Threads are measured by the clock, so the machine must be otherwise idle.
"""

import random
import time
from collections import Counter
from typing import Final

from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import Limit
from isolarium.search.alphabeta import Strong
from isolarium.search.champion import Champion
from isolarium.search.protocol import Search

BLANKS: Final = (("9x11", 75, 90), ("9x11", 55, 70), ("13x13", 110, 150))
POSITIONS: Final = 12
NODES: Final = 60_000
MS: Final = 400


def position(board: Board, blanks: int, lot: random.Random) -> Position:
    """Return a random position with a number of blank squares and a legal move."""
    while True:
        found = Position.empty(board)
        while found.blank_count > blanks and found.legal_moves():
            found = found.play(lot.choice(found.legal_moves()))
        if found.blank_count == blanks and found.legal_moves():
            return found


def searches() -> dict[str, Search]:
    """Return the searches to compare."""
    stealer, learned = map(parse_heuristic, ("stealer", "learned"))
    return {"strong:stealer": Strong(stealer), "champion:stealer": Champion(stealer), "champion": Champion(learned)}


def main() -> None:
    """Print a line for each search and stage, then one for each board with threads."""
    lot = random.Random(7)
    for text, least, most in BLANKS:
        board = Board(*map(int, text.split("x")))
        chosen = [position(board, lot.randint(least, most), lot) for _ in range(POSITIONS)]
        for name, search in searches().items():
            nodes, spent = 0, 0.0
            for counts in (False, True):
                for one in chosen:
                    search.start(one, Limit(nodes=NODES), 1)
                    before = time.process_time()
                    search.advance()
                    spent += (time.process_time() - before) * counts
                    nodes += search.best().report.nodes * counts
            print(f"{text}, {least} to {most} blanks: {name} {nodes / spent / 1000:,.0f} nodes a ms")
    for text in ("9x11", "13x13"):
        board = Board(*map(int, text.split("x")))
        learned = parse_heuristic("learned")
        entered = Counter[int]()
        for _ in range(8):
            one = position(board, board.size - 8, lot)
            for threads in (1, 2):
                search = Champion(learned, threads)
                search.start(one, Limit(time_ms=MS), 1)
                search.advance()
                entered[threads] += search.best().report.nodes
        print(f"{text}: two threads enter {entered[2] / entered[1]:.2f} times the nodes of one")


if __name__ == "__main__":
    main()
