"""What a server writes to stderr: little, however much goes wrong."""

import logging
from collections.abc import Callable
from time import monotonic
from typing import Final

EVERY_S: Final = 60.0
"""The same is said once within this."""
MOST_LINES: Final = 20
"""So many different things are said within it."""


class Seldom(logging.Filter):
    """Lets each message through once in a while, with how often it was held back since.

    Args:
        clock: the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._since = clock()
        self._counts: dict[str, int] = {}
        self._held_back: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to say it; messages are the same that differ only in what is filled in."""
        now = self._clock()
        if now - self._since >= EVERY_S:
            self._since = now
            self._held_back = {what: times - 1 for what, times in self._counts.items() if times > 1}
            self._counts = {}
        what = str(record.msg)[:200]
        if what == "%s":  # nothing but what is filled in; tracebacks differ at their ends
            what = record.getMessage()[-200:]
        if what not in self._counts and len(self._counts) >= MOST_LINES:
            return False
        self._counts[what] = self._counts.get(what, 0) + 1
        if self._counts[what] > 1:
            return False
        if more := self._held_back.pop(what, 0):
            record.msg = f"{record.getMessage().strip()} (and {more:,} more like it before)"
            record.args = None
        return True


def install() -> None:
    """Have everything that libraries and we warn of said so, on stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    handler.addFilter(Seldom())
    logging.getLogger().addHandler(handler)
