"""What a move of a course agent may take: by the clock, or by the positions that the agent asks for."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from isolarium.compat import raised_after

CLOCK_MS: Final = 150.0
"""What `time_left` begins with where positions are counted: as long as a move of the course."""
PATIENCE: Final = 10
"""How many times the positions that it may ask for an agent may ask for before its search is broken off."""
AGAIN_S: Final = 0.05


class Over(BaseException):
    """The agent's time is over; no `Exception`, so that fewer agents catch it."""


class Clock:
    """Counts what a move takes.

    Args:
        ms: milliseconds that it may take.
        calls: positions that it may ask for.

    Attributes:
        asked: positions asked for.
    """

    def __init__(self, ms: float | None = None, calls: int | None = None) -> None:
        self._ms = ms
        self._calls = calls
        self._most = None if calls is None else PATIENCE * calls
        self._made = self._deepest = 0
        self._started_ns = 0
        self.asked = 0

    def start(self, made: int) -> None:
        """Begin, in a position after so many moves."""
        self._made = self._deepest = made
        self._started_ns = time.perf_counter_ns()

    def on_position(self, made: int) -> None:
        """Count a position that is asked for after so many moves.

        Raises:
            Over: it is more than can be borne.
        """
        self.asked += 1
        if made >= self._deepest:
            self._deepest = made + 1
        if self._most is not None and self.asked > self._most:
            raise Over

    def time_left(self) -> float:
        """Milliseconds that are left, as agents ask for them."""
        by_clock = by_calls = CLOCK_MS
        if self._ms is not None:
            by_clock = self._ms - (time.perf_counter_ns() - self._started_ns) / 1e6
        if self._calls is not None:
            by_calls = CLOCK_MS * (1 - self.asked / self._calls)
        return by_clock if self._calls is None else min(by_clock, by_calls)

    @contextmanager
    def breaking_off(self, made: int) -> Iterator[None]:
        """Begin, and break the block off by `Over` once nothing is left.

        Its time is broken off by an exception, again and again should the agent catch it.
        """
        self._most = self._calls
        self.start(made)
        if self._ms is None:
            yield
            return
        with raised_after(self._ms / 1e3, AGAIN_S, Over):
            yield

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        return self.time_left() < 0

    @property
    def plies(self) -> int:
        """How many moves beyond the position were looked at, at most."""
        return self._deepest - self._made


class Queue:
    """What an agent of the later project puts its choice on, as often as it likes; the last one in time counts.

    Attributes:
        last: that one.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.last: Any = None

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Choose an action.

        Raises:
            Over: the time is over.
        """
        if self._clock.is_over:
            raise Over
        self.last = item

    put_nowait = put
