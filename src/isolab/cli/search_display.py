"""A long search on the screen while it goes on: a living line on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Callable
from typing import Final

from isolab.limits import Limit

FIRST_S: Final = 0.4
EVERY_S: Final = 0.25
PLAIN_EVERY_S: Final = 10.0


class SearchDisplay:
    """Says on stderr what is being searched and for how long. It is to be asked often whether to stop.

    Args:
        interrupted: whether to stop.
    """

    def __init__(self, interrupted: Callable[[], bool]) -> None:
        self._interrupted = interrupted
        self._living = sys.stderr.isatty()
        self._label = ""
        self._of = ""
        self._started = self._next = 0.0

    def start(self, label: str, limit: Limit) -> None:
        """Begin with another search."""
        self._label = label
        self._of = "" if limit.time_ms is None else f" of {limit.time_ms / 1000:g}"
        self._started = time.monotonic()
        self._next = self._started + (FIRST_S if self._living else PLAIN_EVERY_S)

    def stop(self) -> bool:
        """Show how long it has been; whether to stop."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + (EVERY_S if self._living else PLAIN_EVERY_S)
            self._show(f"{self._label} · {now - self._started:.1f}{self._of} s · Ctrl-C stops it")
        return self._interrupted()

    def end(self) -> None:
        """Leave no trace on a terminal."""
        if self._living and self._next > self._started + FIRST_S:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _show(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}" if self._living else f"{text}\n")
        sys.stderr.flush()
