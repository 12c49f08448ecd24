"""The limits of a course agent's move: time, or positions generated."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from isolarium.compat import raised_after

CLOCK_MS: Final = 150.0
"""The initial value of `time_left` when positions are counted.

It is the course's time per move."""
PATIENCE: Final = 10
"""A search is interrupted after this many times the allowed positions."""
FREE_QUESTIONS: Final = 1000
"""The number of free calls of `time_left` between two positions.

Each further call counts as a position, so that a search that generates no positions ends too. A search that generates
positions makes far fewer calls.
"""
REPEAT_S: Final = 0.05
"""The time after which the exception is raised again, in case it was caught."""


class TimeUp(BaseException):  # Not an error
    """Raised in an agent whose time is up.

    It is not an `Exception`, so that fewer agents catch it.
    """


class Clock:
    """Measures the cost of a move.

    Args:
        ms: The time limit in milliseconds.
        calls: The maximum number of positions generated.

    Attributes:
        generated: The number of positions generated so far.
    """

    def __init__(self, ms: float | None = None, calls: int | None = None) -> None:
        self._ms = ms
        self._calls = calls
        self._most = None if calls is None else PATIENCE * calls
        self._made = self._deepest = 0
        self._started_ns = 0
        self._questions = self._charged = 0
        self.generated = 0

    def start(self, made: int) -> None:
        """Start the clock in a position after `made` moves."""
        self._made = self._deepest = made
        self._started_ns = time.perf_counter_ns()

    def on_position(self, made: int) -> None:
        """Count a position generated from a position after `made` moves.

        Raises:
            TimeUp: If far more positions are generated than allowed.
        """
        self.generated += 1
        self._questions = 0
        if made >= self._deepest:
            self._deepest = made + 1
        if self._most is not None and self.generated > self._most:
            raise TimeUp

    def time_left(self) -> float:
        """Return the milliseconds left; if positions are counted, calls count as well."""
        self._questions += 1
        if self._questions > FREE_QUESTIONS:
            self._charged += 1
        by_clock = by_calls = CLOCK_MS
        if self._ms is not None:
            by_clock = self._ms - (time.perf_counter_ns() - self._started_ns) / 1e6
        if self._calls is not None:
            by_calls = CLOCK_MS * (1 - (self.generated + self._charged) / self._calls)
        return by_clock if self._calls is None else min(by_clock, by_calls)

    @contextmanager
    def interrupting(self, made: int) -> Iterator[None]:
        """Start the clock, and raise `TimeUp` in the block once the limit is reached.

        For a time limit it is raised repeatedly, since the agent may catch it.
        """
        self._most = self._calls
        self.start(made)
        if self._ms is None:
            yield
            return
        with raised_after(self._ms / 1e3, REPEAT_S, TimeUp):
            yield

    @property
    def plies(self) -> int:
        """The greatest depth of the positions generated, in plies."""
        return self._deepest - self._made


class Queue:
    """The queue of a later-project agent; the last choice in time counts.

    Attributes:
        last: The last choice in time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.last: Any = None

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Choose an action.

        Raises:
            TimeUp: If time is up.
        """
        if self._clock.time_left() < 0:
            raise TimeUp
        self.last = item

    put_nowait = put
