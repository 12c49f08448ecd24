"""Progress on stderr: live lines on a terminal, occasional plain lines elsewhere."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import RLock, Timer
from time import monotonic
from typing import TYPE_CHECKING, Final

from isolarium.game.board import Board
from isolarium.text import printable

if TYPE_CHECKING:
    from rich.live import Live

FIRST_S: Final = 0.4
EVERY_S: Final = 0.25
PLAIN_EVERY_S: Final = 10.0
"""The interval between lines if there is no terminal."""
LINES_AROUND: Final = 3
"""The number of lines of the screen that a live block leaves free."""

COMPILING: Final = "compiling (first time only)..."


class Display:
    """Shows the progress of one piece of work.

    Args:
        label: the start of every text that is shown.
    """

    def __init__(self, label: str = "") -> None:
        self._label = f"{label}: " if label else ""
        self._block = _live_block()
        self._shown = 0
        self._later: Timer | None = None
        self._lock = RLock()
        self._began = monotonic()
        self._due = self._began + (FIRST_S if self._block else PLAIN_EVERY_S)

    @property
    def elapsed(self) -> float:
        """The seconds since the work began."""
        return monotonic() - self._began

    def update(self, text: Callable[[], str], below: Callable[[int], Iterable[str]] | None = None) -> None:
        """Report progress; `text` is called only when an update is due.

        Args:
            text: returns the text to show.
            below: returns the lines to show below it, given the number that fit.
        """
        with self._lock:
            self._cancel_later()
        if monotonic() >= self._due:
            room = self._block.room if self._block else 1
            self._show("\n".join([text(), *(below(room) if below else ())]))

    def announce(self, text: str, after_s: float = 0.0) -> None:
        """Announce work that may not report progress itself.

        The text appears once the work has lasted `after_s` seconds; without a terminal, it appears
        when the next line is due.
        """
        wait_s = after_s if self._block else self._due - monotonic()
        with self._lock:
            self._cancel_later()
            if wait_s <= 0:
                self._show(text)
            else:
                self._later = Timer(wait_s, self._show_late, [text, self._shown])
                self._later.daemon = True
                self._later.start()

    def clear(self) -> None:
        """Remove everything from a terminal."""
        with self._lock:
            self._cancel_later()
            if self._block:
                self._block.clear()

    def _show_late(self, text: str, shown: int) -> None:
        with self._lock:
            if shown == self._shown:
                self._show(text)

    def _show(self, text: str) -> None:
        with self._lock:
            self._due = monotonic() + (EVERY_S if self._block else PLAIN_EVERY_S)
            if self._block:
                self._block.show(f"{self._label}{text}")
            else:
                lines = map(printable, f"{self._label}{text}".split("\n"))
                print("\n".join(lines), file=sys.stderr, flush=True)

    def _cancel_later(self) -> None:
        """Cancel a delayed text that a newer text replaces."""
        self._shown += 1
        if self._later is not None:
            self._later.cancel()
            self._later = None


class LiveBlock:
    """Lines on stderr that are redrawn in place and removed at the end."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, force_terminal=True, highlight=False, markup=False, emoji=False)
        self._live: Live | None = None

    @property
    def room(self) -> int:
        """The number of lines that fit below the first."""
        return self._console.height - LINES_AROUND

    def show(self, text: str) -> None:
        """Replace the shown text."""
        from rich.live import Live
        from rich.text import Text

        if self._live is None:
            # Other output on stderr appears above the block. Stdout is left alone: it may be a
            # pipe.
            self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stdout=False)
            self._live.start()
        lines = map(printable, text.split("\n"))
        self._live.update(Text("\n".join(lines)), refresh=True)

    def clear(self) -> None:
        """Remove the text from the screen; `show` can draw again."""
        if self._live is not None:
            self._live.stop()
            self._live = None


def _live_block() -> LiveBlock | None:
    """Return a live block if stderr can show one."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None
    return LiveBlock()


@contextmanager
def display(label: str = "", first: str = "") -> Iterator[Display]:
    """Show progress while the block runs, starting with the text `first` on a terminal."""
    shown = Display(label)
    try:
        if first:
            shown.announce(first)
        yield shown
    finally:
        shown.clear()


@contextmanager
def notice(text: str, after_s: float = 0.5) -> Iterator[None]:
    """Show a text while the block runs, if it takes longer than `after_s` seconds."""
    with display() as shown:
        shown.announce(text, after_s)
        yield


def compile_for(board: Board, distance: bool, shown: Display) -> None:
    """Load the compiled solver for a board; announce it if it must be compiled.

    Args:
        board: the board.
        distance: whether to compile for the length of games too.
        shown: the display for the announcement.
    """
    # Imported here: most commands do not need the solver.
    from isolarium.solver.solver import is_compiled, load_solver

    if not is_compiled(board, distance):
        shown.announce(COMPILING)
    load_solver(board, distance)
    shown.clear()
