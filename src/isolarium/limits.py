"""One limit for every budget, and one account of what is left of it while work goes on."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from time import perf_counter_ns
from typing import Any, Final

from isolarium.errors import InputError, check_kind, quoted

Stop = Callable[[], bool]
"""Asked again and again, while work goes on, whether to give up."""


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search must stop, by depth, nodes and time in any combination; it stops at whichever is reached first.

    Attributes:
        depth: plies to look ahead.
        nodes: positions entered, leaves and rollout positions included: never more than these.
        time_ms: milliseconds on the clock.
        calls: positions that somebody's program asks for; only programs whose positions are ours are limited so.
    """

    depth: int | None = None
    nodes: int | None = None
    time_ms: float | None = None
    calls: int | None = None

    def __post_init__(self) -> None:
        """Check that every limit given is positive."""
        for name, value in self.bounds.items():
            if not 0 < value <= 10**15:
                raise InputError(
                    f"{name}={quoted(value, 30)}: expected more than 0 and at most 1e15"
                )

    @property
    def bounds(self) -> dict[str, float]:
        """What is bounded, as a spec calls it, and by how much."""
        named = {
            "depth": self.depth,
            "nodes": self.nodes,
            "calls": self.calls,
            "ms": self.time_ms,
        }
        return {name: value for name, value in named.items() if value is not None}

    def __str__(self) -> str:
        """Return it as in an agent's spec: `depth=3,nodes=8000,ms=150`."""
        return ",".join(f"{name}={value}".removesuffix(".0") for name, value in self.bounds.items())


NO_LIMIT: Final = Limit()

MOST_SEED: Final = 2**62 - 1
"""Of the seeds that people give; what is made of one for each player must fit into 64 bits."""
MOST_MS: Final = 1e15
"""Of the time for a move."""


def read_seed(seed: Any) -> int:
    """A seed that somebody gave, wherever one is asked for: no two of them stand for the same games.

    Raises:
        InputError: it is none.
    """
    check_kind("seed", seed, Integral, "a whole number")
    if not 0 <= seed <= MOST_SEED:
        raise InputError(f"seed={quoted(seed, 30)}: expected a number from 0 on, below 2**62")
    return int(seed)


def check_move_ms(move_ms: float) -> None:
    """See that there can be such a time for a move.

    Raises:
        InputError: there cannot.
    """
    if not 0 < move_ms <= MOST_MS:
        raise InputError(f"move_ms={move_ms:g}: expected more than 0, at most {MOST_MS:g}")


PATIENCE: Final = 10
LEEWAY_MS: Final = 1000.0


def longest_ms(move_ms: float) -> float:
    """What a move may take on the clock where the agent's own work is what counts: ten times as much, and a second.

    An agent that is not at work, as one that sleeps, has to be given up some time; what the machine takes is less.
    """
    return PATIENCE * move_ms + LEEWAY_MS


class Allowance:
    """What is left of a limit, whatever searches it is spent on. The clock starts when it is made.

    Args:
        limit: what may be spent, all told; without one, anything. Its depth is for whoever searches.
        stop: ends it at once.

    Attributes:
        limit: the limit.
        stop: as given.
        spent: nodes entered so far; whoever enters them adds them.
    """

    def __init__(self, limit: Limit | None = None, stop: Stop | None = None) -> None:
        self.limit = limit or NO_LIMIT
        self.stop = stop
        self.spent = 0
        self._nodes, self._time_ms = self.limit.nodes, self.limit.time_ms
        self._started_ns = perf_counter_ns()

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since it was made."""
        return (perf_counter_ns() - self._started_ns) / 1e6

    def is_over(self) -> bool:
        """Whether it is time to give up."""
        return (
            (self._nodes is not None and self.spent >= self._nodes)
            or (self._time_ms is not None and self.elapsed_ms >= self._time_ms)
            or (self.stop is not None and self.stop())
        )

    def nodes_left(self, most: int) -> int:
        """How many nodes may still be entered, up to `most`."""
        return most if self._nodes is None else max(0, min(most, self._nodes - self.spent))

    def rest(self, most: Limit | None = None) -> Limit:
        """What is left, as a limit, and no more than `most`: at least one node and a hundredth of a millisecond.

        So whoever has to answer even though it is over can still do so.
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
    """The smaller of `most` and what is left of the whole."""
    left = None if whole is None else whole - gone
    if most is None or left is None:
        return left if most is None else most
    return min(most, left)
