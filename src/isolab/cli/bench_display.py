"""What `isolab bench` is doing, on stderr: one living line on a terminal, a plain line for each part elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.status import Status


class BenchDisplay:
    """Shows which part is measured, and how far it is."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, markup=False)
        self._part = ""
        self._status: Status | None = None

    @contextmanager
    def shown(self, part: str) -> Iterator[None]:
        """Show a part for as long as the block lasts."""
        self._part = part
        if not self._console.is_terminal:
            print(f"measuring {part}...", file=sys.stderr, flush=True)
            yield
            return
        with self._console.status(f"{part}: loading...") as self._status:
            yield
        self._status = None

    def update(self, what: str, done: int, total: int) -> None:
        """Show what is measured next; what was never measured on this machine is compiled first."""
        if self._status is not None:
            self._status.update(f"{self._part}: {done} of {total} · {what}")
