"""Measure how long a new process takes to finish its first search, with its code in the cache."""

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
    """Print the median and the worst of a few processes, in wall-clock and processor time."""
    run_once()  # fills the cache
    wall, own = map(sorted, zip(*(run_once() for _ in range(RUNS)), strict=True))
    print(
        "first move  alphabeta:improved@nodes=8000 in a new process, warm cache: "
        f"median {median(wall):.2f} s, worst of {RUNS} {wall[-1]:.2f} s (own time: median {median(own):.2f} s)"
    )


def run_once() -> tuple[float, float]:
    """Return the wall-clock and processor seconds of a process with one search."""
    began, own_began = perf_counter(), children_time()
    subprocess.run([sys.executable, "-c", SEARCH], check=True, capture_output=True)
    return perf_counter() - began, children_time() - own_began


def children_time() -> float:
    """Return the processor time of all finished child processes."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
