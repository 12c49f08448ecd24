"""Measure the first search of a process, overruns of a time limit, and the reaction to Ctrl-C.

Wall-clock figures include the time that a process waits for a core, so the machine should be idle.
The processor time of the process or thread, printed beside them, is the search's share.
"""

import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median, quantiles
from time import perf_counter, thread_time
from typing import Final

import pexpect

from isolarium.agents import parse_agent
from isolarium.game import Board, Position

FIRST_SEARCH: Final = """
from isolarium.agents import parse_agent
from isolarium.game import Board, Position
print(parse_agent("alphabeta:improved@nodes=8000").choose(Position.empty(Board(7, 7))).move)
"""
PROCESSES: Final = 7

LIMITED: Final = ("alphabeta:improved@ms=20", "alphabeta:distance@ms=20")
LIMIT_MS: Final = 20.0
MOVES: Final = 1000

COMMAND: Final = str(Path(sys.executable).with_name("isolarium"))
LONG: Final = {
    "alphabeta": "alphabeta:improved@ms=600000",
    "strong": "strong:improved@ms=600000",
    "mcts": "mcts@ms=600000",
    "in a process of its own": f"alphabeta:{Path('examples') / 'my_heuristic.py'}:freer@ms=600000",
}
INTERRUPTS: Final = 10


def main() -> None:
    """Print a table of each."""
    print_first_searches()
    print_overruns()
    print_reactions()


def print_first_searches() -> None:
    """Print the median and the worst of a few processes, with their code in the cache."""
    first_search()  # fills the cache
    wall, own = map(sorted, zip(*(first_search() for _ in range(PROCESSES)), strict=True))
    print(
        "first move  alphabeta:improved@nodes=8000 in a new process, warm cache: "
        f"median {median(wall):.2f} s, worst of {PROCESSES} {wall[-1]:.2f} s (own time: median {median(own):.2f} s)"
    )


def first_search() -> tuple[float, float]:
    """Return the wall-clock and processor seconds of a process with one search."""
    began, own_began = perf_counter(), children_time()
    subprocess.run([sys.executable, "-c", FIRST_SEARCH], check=True, capture_output=True)
    return perf_counter() - began, children_time() - own_began


def children_time() -> float:
    """Return the processor time of all finished child processes."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def print_overruns() -> None:
    """Print the median, the 99th percentile and the worst overrun of 20 ms a move."""
    for spec in LIMITED:
        wall, own = overruns(spec)
        print(
            f"overrun     {spec}, {MOVES:,} moves: median {median(wall):.2f} ms, "
            f"99th percentile {quantiles(wall, n=100)[98]:.2f} ms, worst {max(wall):.2f} ms "
            f"(own time: 99th percentile {quantiles(own, n=100)[98]:.2f} ms)"
        )


def overruns(spec: str) -> tuple[list[float], list[float]]:
    """Return the overrun of each move of self-play in milliseconds, in wall-clock and thread time."""
    agent = parse_agent(spec)
    wall: list[float] = []
    own: list[float] = []
    game = 0
    position = Position.empty(Board(7, 7))
    agent.choose(position)  # compiles
    while len(wall) < MOVES:
        if not position.legal_moves():
            game += 1
            agent.new_game(game)
            position = Position.empty(Board(7, 7))
        began, own_began = perf_counter(), thread_time()
        choice = agent.choose(position)
        took_ms, own_ms = (perf_counter() - began) * 1e3, (thread_time() - own_began) * 1e3
        if not choice.report.proven:  # a proof ends a search before its limit
            wall.append(took_ms - LIMIT_MS)
            own.append(own_ms - LIMIT_MS)
        position = position.play(choice.move)
    return wall, own


def print_reactions() -> None:
    """Print the median and the longest time from Ctrl-C to the best move, for each kind of search."""
    print(f"From Ctrl-C to the best move so far, {INTERRUPTS} times each, ms")
    print(f"{'':<26} median   longest")
    for name, agent in LONG.items():
        times = [reaction_ms(agent) for _ in range(INTERRUPTS)]
        print(f"{name:<26} {median(times):6.1f}   {max(times):7.1f}", flush=True)


def reaction_ms(agent: str) -> float:
    """Return the time from Ctrl-C in `isolarium analyze` to the answer."""
    terminal = pexpect.spawn(COMMAND, ["analyze", "9x11", "--agent", agent], encoding="utf-8", timeout=120)
    terminal.delaybeforesend = None
    terminal.expect("Ctrl-C stops it")
    pressed = perf_counter()
    terminal.sendcontrol("c")
    terminal.expect("interrupted: best move so far")
    took = perf_counter() - pressed
    terminal.expect(pexpect.EOF)
    terminal.close()
    return took * 1000


if __name__ == "__main__":
    main()
