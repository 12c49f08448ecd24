"""Taking the time of things that count their nodes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import thread_time_ns

from isolarium.limits import per_second

Run = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure.

    Attributes:
        rounds: how often each thing has its turn; the best counts.
        least_ms: what a turn takes at least: short runs are repeated.
        student_depth: how deep a student's program searches; most of the time goes there.
    """

    rounds: int = 5
    least_ms: float = 60.0
    student_depth: int = 12


THOROUGH = Effort()
QUICK = Effort(rounds=2, least_ms=15.0, student_depth=10)


def speeds(runs: Sequence[Run], effort: Effort) -> list[float]:
    """Nodes a second of each of the runs, which return their number of nodes, measured in turns.

    Each should have run once before, outside the time: it may have to be compiled, and caches warm up.
    """
    best = [0.0] * len(runs)
    for _ in range(effort.rounds):
        for place, run in enumerate(runs):
            best[place] = max(best[place], _speed(run, effort.least_ms))
    return best


def _speed(run: Run, least_ms: float) -> float:
    nodes, began, now = 0, thread_time_ns(), 0
    until = began + int(least_ms * 1e6)
    while now < until:
        nodes += run()
        now = thread_time_ns()
    return per_second(nodes, (now - began) / 1e9)
