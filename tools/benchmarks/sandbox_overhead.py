"""Measure the cost of the sandbox: third-party code that does not think, out of process.

    python -m tools.benchmarks.sandbox_overhead
    python -m tools.benchmarks.sandbox_overhead --before OLD/.venv/bin/python --after NEW/.venv/bin/python

With one installation, this one by default, it prints the medians. With two it measures both in turn, round by round, so
that other work on the machine slows down both; the ratio is the median of the ratios of the rounds. Times are by the
wall clock. Each round is a separate process, which runs this file with the Python of the installation, after a warm-up
round.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, time_ns
from typing import Any

from isolarium.agents import make_agent, parse_spec
from isolarium.game import Board, Position

AGENT = """
class Player:
    def get_move(self, game, time_left):
        return game.get_legal_moves()[0]
"""
HEURISTIC = """
from isolarium.heuristics import heuristic

@heuristic
def constant(view, own, opp):
    return {value}
"""

ROUNDS = 10
STARTS = 4
GAMES = 20
WITHOUT_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""Without it, one installation might use compiled modules and the other none."""
Times = dict[str, list[float]]
"""Milliseconds by measurement."""


def main() -> None:
    """Measure one or two installations, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--before", metavar="PYTHON", help="an installation to compare with")
    parser.add_argument("--after", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--rounds", metavar="N", type=int, default=ROUNDS)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        json.dump(round_of_measurements(), sys.stdout)
        return
    pythons = [given.after] if given.before is None else [given.before, given.after]
    for python in pythons:  # has modules and the known heuristic compiled
        measured_by(python)
    rounds: list[list[Times]] = [[] for _ in pythons]
    for number in range(given.rounds):
        order = range(len(pythons))
        for which in order if number % 2 == 0 else reversed(order):  # neither is always first
            rounds[which].append(measured_by(pythons[which]))
    print_table(rounds)


def measured_by(python: str) -> Times:
    """Measure a round with an installation."""
    command = [python, "-P", str(Path(__file__).resolve()), "--measure"]
    kept = {name: value for name, value in os.environ.items() if name != WITHOUT_BYTECODE}
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env=kept)
    found: Times = json.loads(done.stdout)
    return found


def print_table(rounds: list[list[Times]]) -> None:
    """Print the medians of each installation, and compare the second with the first."""
    names = list(rounds[0][0])
    heads = ["median", "99%"] if len(rounds) == 1 else ["before", "after", "ratio"]
    print(f"sandbox overhead, ms{'':<24}" + "".join(f"{head:>10}" for head in heads))
    for name in names:
        all_times = [[ms for one in of_one for ms in one[name]] for of_one in rounds]
        middles = [median(times) for times in all_times]
        if len(rounds) == 1:
            cells = [middles[0], quantiles(all_times[0], n=100, method="inclusive")[98]]
        else:
            pairs = zip(*rounds, strict=True)
            cells = [*middles, median(median(b[name]) / median(a[name]) for a, b in pairs)]
        print(f"{name:<44}" + "".join(f"{cell:>10.2f}" for cell in cells))
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    counts = ", ".join(f"{sum(len(one[name]) for one in rounds[0]):,}" for name in names)
    print(f"{len(rounds[0])} rounds; {counts} of each in turn; load {load}")


def round_of_measurements() -> Times:
    """Measure everything once with the current installation."""
    with tempfile.TemporaryDirectory() as folder:
        return {**agent_times(Path(folder)), **heuristic_times(Path(folder))}


def agent_times(folder: Path) -> Times:
    """Return the times of a course agent's process: of its start, of games' starts and of moves."""
    (folder / "game_agent.py").write_text(AGENT)
    spec = f"course:{folder}/game_agent.py:Player@ms=150"
    first, *later = [started(spec, lambda agent: agent.new_game(1)) for _ in range(1 + STARTS)]
    moves, games = played(spec)
    return {
        "course agent: first process of a command": [first],
        "course agent: further process": later,
        "course agent: start of a game": games,
        "course agent: move": moves,
    }


def heuristic_times(folder: Path) -> Times:
    """Return the times of a heuristic file's process: of its start, compiling or not, and of moves."""

    def spec_of(name: str, value: float) -> str:
        (folder / name).write_text(HEURISTIC.format(value=value))
        return f"greedy:{folder}/{name}:constant"

    start, known = Position.empty(Board(7, 7)), spec_of("known.py", 0.0)
    new = [spec_of(f"new_{number}.py", float(time_ns())) for number in range(2)]
    first, *later = [started(spec, lambda agent: agent.prepare(start)) for spec in [known] * (1 + STARTS)]
    moves, games = played(known)
    return {
        "heuristic file: first process of a command": [first],
        "heuristic file: further process": later,
        "heuristic file: process, not yet compiled": [
            started(spec, lambda agent: agent.prepare(start)) for spec in new
        ],
        "heuristic file: start of a game": games,
        "heuristic file: move": moves,
    }


def started(spec: str, ready: Callable[[Any], object]) -> float:
    """Return the milliseconds until a new process is ready."""
    with closing(make_agent(parse_spec(spec))) as agent:
        return timed(lambda: ready(agent))


def played(spec: str) -> tuple[list[float], list[float]]:
    """Return the milliseconds of each move and of each start of a game, in games against itself."""
    moves, games = list[float](), list[float]()
    with closing(make_agent(parse_spec(spec))) as agent:
        agent.new_game(0)
        agent.choose(Position.empty(Board(7, 7)))  # the first move may include preparation
        for number in range(GAMES):
            games.append(timed(partial(agent.new_game, number)))
            position = Position.empty(Board(7, 7))
            while position.legal_moves():
                began = perf_counter()
                move = agent.choose(position).move
                moves.append((perf_counter() - began) * 1e3)
                position = position.play(move)
    return moves, games


def timed(action: Callable[[], object]) -> float:
    """Return the milliseconds of an action."""
    began = perf_counter()
    action()
    return (perf_counter() - began) * 1e3


if __name__ == "__main__":
    main()
