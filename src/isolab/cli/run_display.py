"""A run on the screen while it goes on: a few living lines on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

if TYPE_CHECKING:
    from isolab.arena.runner import Progress

PLAIN_EVERY_S: Final = 10.0
MOST_STANDINGS: Final = 12


class RunDisplay:
    """Shows what a run is doing, how far it is, and how it stands so far. It writes to stderr."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._live: Live | None = None
        self._printed = float("-inf")

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show it for as long as the block lasts, on a terminal from its beginning on."""
        if not self._console.is_terminal:
            yield
            return
        first = Text(f"{self._label}: starting...")
        with Live(first, console=self._console, transient=True, refresh_per_second=4) as live:
            self._live = live
            try:
                yield
            finally:
                self._live = None

    def update(self, progress: "Progress") -> None:
        """Show how far it is."""
        from isolab.reporting.progress import progress_line, standings_lines

        line = f"{self._label}: {progress_line(progress)}"
        if self._live is not None:
            room = min(MOST_STANDINGS, self._console.height - 3)
            self._live.update(Text("\n".join([line, *standings_lines(progress.tally, room)])))
        elif time.monotonic() - self._printed > PLAIN_EVERY_S:
            self._printed = time.monotonic()
            print(
                "\n".join([line, *standings_lines(progress.tally, 1)]), file=sys.stderr, flush=True
            )
