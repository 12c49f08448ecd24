"""Long work on stderr while it goes on: a living line on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

FIRST_S: Final = 0.4
EVERY_S: Final = 0.25
PLAIN_EVERY_S: Final = 10.0


class LivingLine:
    """Says what is being done. It is to be told often; it shows what it was told when it is time to.

    Attributes:
        elapsed: seconds since it began.
    """

    def __init__(self) -> None:
        self._living = sys.stderr.isatty()
        self._began = time.monotonic()
        self._next = self._began + (FIRST_S if self._living else PLAIN_EVERY_S)
        self._shown = False

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self._began

    def tell(self, text: Callable[[], str]) -> None:
        """Show a text, if it is time to."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + (EVERY_S if self._living else PLAIN_EVERY_S)
            self._shown = True
            sys.stderr.write(f"\r\x1b[K{text()}" if self._living else f"{text()}\n")
            sys.stderr.flush()

    def end(self) -> None:
        """Leave no trace on a terminal."""
        if self._living and self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextmanager
def living_line() -> Iterator[LivingLine]:
    """A line for as long as the block lasts."""
    line = LivingLine()
    try:
        yield line
    finally:
        line.end()
