"""A word on stderr when something takes longer than people like to wait without one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer


@contextmanager
def notice_if_slow(message: str, after_s: float = 0.5) -> Iterator[None]:
    """Print `message` on stderr if the block is not over in time."""
    timer = Timer(after_s, print, [message], {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
