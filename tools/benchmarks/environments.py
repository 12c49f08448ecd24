"""Measure the environments' steps per second, and the cost of exact values.

    python -m tools.benchmarks.environments [ROUNDS]

The figures include drawing actions at random (`sample`), restarting finished games, observations and
masks. The rounds of all lines are interleaved, and each line shows its median and its best rate.
The figures for two cores use two threads, each with its own games. CPU time counts the threads
alone; in wall-clock time, other work on the machine lowers the rates. Exact values are computed for
every move of random games.
"""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from time import perf_counter, thread_time

import numpy as np

from isolarium.env import BatchEnv, isolarium_v0, move_values
from isolarium.solver.solver import ExactValues

BOARDS = ("5x5", "7x7", "9x11", "13x13")
GAMES = 4096
STEPS = 4_000_000
"""The steps of each core in a round."""
SINGLE_STEPS = 2_000
TOLD_GAMES = 20


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    lines: dict[str, Callable[[], float]] = {}
    for board in BOARDS:
        pair = BatchEnv(board, GAMES, seed=1), BatchEnv(board, GAMES, seed=2)
        lines[f"{board:<6} one core, CPU time"] = partial(played, pair[0])
        lines[f"{board:<6} two cores, CPU time"] = partial(on_two_cores, pair)
        lines[f"{board:<6} two cores, by the clock"] = partial(on_two_cores, pair, by_the_clock=True)
    lines["7x7    PettingZoo, one game, CPU time"] = one_game
    rates: dict[str, list[float]] = {line: [] for line in lines}
    for _ in range(rounds):
        for line, measure in lines.items():
            rates[line].append(measure())
    print(
        f"environments · {GAMES:,} games a core · {rounds} rounds · "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    print(f"  {'million steps a second':<40}{'median':>9}{'best':>9}")
    for line, found in rates.items():
        print(f"  {line:<40}{median(found) / 1e6:>9.3g}{max(found) / 1e6:>9.3g}")
    print(f"  {'which moves keep the win, ms':<40}{'median':>9}{'p95':>9}{'most':>9}{'unknown':>9}")
    for board in BOARDS[:2]:
        truth(board)


def played(env: BatchEnv) -> float:
    """Make the steps of a round; return steps a second of CPU time."""
    began = thread_time()
    for _ in range(STEPS // GAMES):
        env.step(env.sample())
    return STEPS / (thread_time() - began)


def on_two_cores(pair: tuple[BatchEnv, BatchEnv], by_the_clock: bool = False) -> float:
    """Return the steps a second of two threads together."""
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda env: env.sample(), pair))  # both threads are there
        began = perf_counter()
        rates = list(threads.map(played, pair))
        return 2 * STEPS / (perf_counter() - began) if by_the_clock else sum(rates)


def one_game() -> float:
    """Return the PettingZoo environment's steps a second of CPU time, with observations and masks."""
    env, random = isolarium_v0.env("7x7"), np.random.default_rng(1)
    env.reset()
    began = thread_time()
    for _ in range(SINGLE_STEPS):
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.reset()
            continue
        env.step(int(random.choice(np.flatnonzero(observation["action_mask"]))))
    return SINGLE_STEPS / (thread_time() - began)


def truth(board: str) -> None:
    """Print the CPU time for the exact values of all moves."""
    env, known = BatchEnv(board, TOLD_GAMES, seed=1), ExactValues()
    times, unknown, going = [], 0, set(range(TOLD_GAMES))
    while going:
        for game in going:
            began = thread_time()
            unknown += move_values(env.position(game), known).wins is None
            times.append(1000 * (thread_time() - began))
        going -= set(np.flatnonzero(env.step(env.sample()).terminations).tolist())
    times.sort()
    line = f"{board:<6} {len(times)} positions"
    print(f"  {line:<40}{median(times):>9.3g}{times[len(times) * 95 // 100]:>9.3g}{times[-1]:>9.3g}{unknown:>9}")


if __name__ == "__main__":
    main()
