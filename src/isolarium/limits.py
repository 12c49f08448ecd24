"""Limits of searches, allowances shared by several searches, random seeds, and rates."""

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral
from time import perf_counter_ns
from typing import Any, Final

from isolarium.errors import InputError, check_kind, quoted

Stop = Callable[[], bool]
"""A function that is called repeatedly during work and returns whether to stop."""

CLOCK_STEP_S: Final = 1e-9
"""The smallest difference that clocks measure."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of a search: depth, nodes and time in any combination.

    The search stops as soon as it reaches one of them.

    Attributes:
        depth: Plies to look ahead.
        nodes: Positions entered, including leaves and rollout positions; a search never enters more.
        time_ms: Milliseconds on the clock.
        calls: Positions that a course agent generates; applies only to agents that use our boards.
    """

    depth: int | None = None
    nodes: int | None = None
    time_ms: float | None = None
    calls: int | None = None

    def __post_init__(self) -> None:
        """Check that all given bounds are positive."""
        for name, value in self.bounds.items():
            if not 0 < value <= 10**15:
                raise InputError(f"{name}={quoted(value, 30)}: expected more than 0 and at most 1e15")

    @property
    def bounds(self) -> dict[str, float]:
        """The given bounds, by their names in a spec."""
        named = {"depth": self.depth, "nodes": self.nodes, "calls": self.calls, "ms": self.time_ms}
        return {name: value for name, value in named.items() if value is not None}

    def __str__(self) -> str:
        """Return the limit as written in a spec: `depth=3,nodes=8000,ms=150`."""
        return ",".join(f"{name}={value}".removesuffix(".0") for name, value in self.bounds.items())


NO_LIMIT: Final = Limit()

MOST_SEED: Final = 2**62 - 1
"""The largest seed; the seeds derived from it for each player must fit into 64 bits."""
NUMPY_SEEDS: Final = 2**32
"""The number of seeds that NumPy's and Numba's generators accept."""
_WORD_MASK: Final = 2**64 - 1
MOST_MS: Final = 1e15
"""The maximum time per move, in milliseconds."""


def read_seed(seed: Any) -> int:
    """Check a random seed that a user gave, and return it.

    Different seeds give different games.

    Raises:
        InputError: If it is not an integer from 0 up to `MOST_SEED`.
    """
    check_kind("seed", seed, Integral, "a whole number")
    if not 0 <= seed <= MOST_SEED:
        raise InputError(f"seed={quoted(seed, 30)}: expected a number from 0 to 2**62 - 1")
    return int(seed)


def mixed_seed(seed: int, stream: int) -> int:
    """Return a number below 2**62 that depends on every bit of seed and stream.

    It is computed by SplitMix64 and is the same on every machine and in every process.
    """
    word = (seed + 0x9E3779B97F4A7C15 * (stream + 1)) & _WORD_MASK
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _WORD_MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & _WORD_MASK
    return (word ^ word >> 31) >> 2


@contextmanager
def seeded_generators(seed: int) -> Iterator[None]:
    """Seed the global random generators of Python and NumPy within the block, so that games are reproducible."""
    numpy = sys.modules.get("numpy")
    before = random.getstate()
    before_numpy = None if numpy is None else numpy.random.get_state()
    random.seed(seed)
    if numpy is not None:
        numpy.random.seed(seed % NUMPY_SEEDS)
    try:
        yield
    finally:
        random.setstate(before)
        if numpy is not None:
            numpy.random.set_state(before_numpy)


def check_move_ms(move_ms: float) -> None:
    """Check a time limit per move.

    Raises:
        InputError: If the limit is out of range.
    """
    if not 0 < move_ms <= MOST_MS:
        raise InputError(f"move_ms={move_ms:g}: expected more than 0, at most {MOST_MS:g}")


PATIENCE: Final = 10
LEEWAY_MS: Final = 1000.0


LONGEST_MOVE_S: Final = 60.0
"""The time limit of a move of an agent in Python from a file, if no longer limit is given."""


def longest_ms(move_ms: float) -> float:
    """Return the wall-clock limit of a move whose processor time is limited.

    A sleeping agent uses no processor time, so this limit ends its move. The limit exceeds any delay that the machine
    may cause.

    Args:
        move_ms: The limit on the agent's processor time, in milliseconds.
    """
    return PATIENCE * move_ms + LEEWAY_MS


class Allowance:
    """The remainder of a limit that several searches share.

    Its clock starts when the allowance is created.

    Args:
        limit: The total, by default unlimited. Each search must apply the depth itself.
        stop: A function that returns true to end the allowance at once.

    Attributes:
        limit: The limit.
        stop: The function `stop`.
        spent: The nodes entered so far; each search adds its own nodes.
    """

    def __init__(self, limit: Limit | None = None, stop: Stop | None = None) -> None:
        self.limit = limit or NO_LIMIT
        self.stop = stop
        self.spent = 0
        self._nodes, self._time_ms = self.limit.nodes, self.limit.time_ms
        self._started_ns = perf_counter_ns()

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the allowance was created."""
        return (perf_counter_ns() - self._started_ns) / 1e6

    def is_over(self) -> bool:
        """Return whether the limit is used up or `stop` returns true."""
        return (
            (self._nodes is not None and self.spent >= self._nodes)
            or (self._time_ms is not None and self.elapsed_ms >= self._time_ms)
            or (self.stop is not None and self.stop())
        )

    def nodes_left(self, most: int) -> int:
        """Return the number of nodes left, at most `most`."""
        return most if self._nodes is None else max(0, min(most, self._nodes - self.spent))

    def rest(self, most: Limit | None = None) -> Limit:
        """Return the remaining limit, at most `most`.

        At least one node and a hundredth of a millisecond remain, so that a search that must choose a move can do so
        even when the limit is used up.
        """
        most = most or NO_LIMIT
        nodes = _smaller(most.nodes, self._nodes, self.spent)
        time_ms = _smaller(most.time_ms, self._time_ms, self.elapsed_ms)
        return Limit(
            depth=self.limit.depth,
            nodes=None if nodes is None else max(1, int(nodes)),
            time_ms=None if time_ms is None else max(0.01, time_ms),
        )


def _smaller(most: float | None, whole: float | None, gone: float) -> float | None:
    """Return the smaller of `most` and what remains of `whole`; None is unlimited."""
    left = None if whole is None else whole - gone
    if most is None or left is None:
        return left if most is None else most
    return min(most, left)


def per_second(count: float, seconds: float, step_s: float = CLOCK_STEP_S) -> float:
    """Return a rate; times shorter than the clock's step count as one step."""
    return count / max(seconds, step_s)
