"""How long a new process takes to the end of its first search, once its code is in the cache of compiled code."""

import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter

SEARCH = """
from isolarium.agents import parse_agent
from isolarium.game import Board, Position
print(parse_agent("alphabeta:improved@nodes=8000").choose(Position.empty(Board(7, 7))).move)
"""
RUNS = 7


def main() -> None:
    """Print the median and the worst of a few processes, by the clock on the wall and by their own time."""
    run_once()  # fills the cache
    wall, own = map(sorted, zip(*(run_once() for _ in range(RUNS)), strict=True))
    print(
        "first move  alphabeta:improved@nodes=8000 in a new process, warm cache: "
        f"median {median(wall):.2f} s, worst of {RUNS} {wall[-1]:.2f} s (own time: median {median(own):.2f} s)"
    )


def run_once() -> tuple[float, float]:
    """The seconds from starting a process to its end, one search later, and those it was at work."""
    began, own_began = perf_counter(), children_time()
    subprocess.run([sys.executable, "-c", SEARCH], check=True, capture_output=True)
    return perf_counter() - began, children_time() - own_began


def children_time() -> float:
    """The processor time of all processes that were started here and have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
