"""The one progress display: what long work says of itself on stderr, without a trace of it in the end on a terminal."""

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
    from isolarium.cli.console import LivingBlock

FIRST_S: Final = 0.4
EVERY_S: Final = 0.25
PLAIN_EVERY_S: Final = 10.0
"""Where there is no terminal, as in a pipe or a log, in which short work leaves nothing."""

COMPILING: Final = "compiling (first time only)..."


class Display:
    """Shows what is being done: living lines on a terminal, a plain line now and then elsewhere.

    Args:
        label: what everything that is shown begins with.
    """

    def __init__(self, label: str = "") -> None:
        self._label = f"{label}: " if label else ""
        self._block = _living_block()
        self._said = 0
        self._later: Timer | None = None
        self._lock = RLock()
        self._began = monotonic()
        self._due = self._began + (FIRST_S if self._block else PLAIN_EVERY_S)

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return monotonic() - self._began

    def tell(
        self, words: Callable[[], str], below: Callable[[int], Iterable[str]] | None = None
    ) -> None:
        """Say how far it is. To be called often: it asks for the words when it is time to show them.

        Args:
            words: what to show.
            below: the lines below it, at most as many as it is given room for.
        """
        with self._lock:
            self._forget()
        if monotonic() >= self._due:
            room = self._block.room if self._block else 1
            self._show("\n".join([words(), *(below(room) if below else ())]))

    def say(self, words: str, after_s: float = 0.0) -> None:
        """Say what comes next, which may say nothing itself.

        It is shown if it lasts longer than `after_s`; where there is no terminal, until the next line is due.
        """
        wait_s = after_s if self._block else self._due - monotonic()
        with self._lock:
            self._forget()
            if wait_s <= 0:
                self._show(words)
            else:
                self._later = Timer(wait_s, self._show_late, [words, self._said])
                self._later.daemon = True
                self._later.start()

    def clear(self) -> None:
        """Leave no trace on a terminal."""
        with self._lock:
            self._forget()
            if self._block:
                self._block.clear()

    def _show_late(self, words: str, said: int) -> None:
        with self._lock:
            if said == self._said:
                self._show(words)

    def _show(self, words: str) -> None:
        with self._lock:
            self._due = monotonic() + (EVERY_S if self._block else PLAIN_EVERY_S)
            if self._block:
                self._block.show(f"{self._label}{words}")
            else:
                lines = map(printable, f"{self._label}{words}".split("\n"))
                print("\n".join(lines), file=sys.stderr, flush=True)

    def _forget(self) -> None:
        """Do not show what was to be shown later: there is something newer to say, or nothing any more."""
        self._said += 1
        if self._later is not None:
            self._later.cancel()
            self._later = None


def _living_block() -> "LivingBlock | None":
    """Living lines, where they can be shown."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None
    from isolarium.cli.console import (
        LivingBlock,  # only here: in a pipe nobody has to wait for Rich
    )

    return LivingBlock()


@contextmanager
def display(label: str = "", first: str = "") -> Iterator[Display]:
    """A display for as long as the block lasts; a first word is on the terminal from its beginning on."""
    shown = Display(label)
    try:
        if first:
            shown.say(first)
        yield shown
    finally:
        shown.clear()


@contextmanager
def notice(words: str, after_s: float = 0.5) -> Iterator[None]:
    """Show a word about what the block does, if it is not over soon."""
    with display() as shown:
        shown.say(words, after_s)
        yield


def compile_for(board: Board, distance: bool, shown: Display) -> None:
    """Load what solving on a board needs, or compile it and say so.

    Args:
        board: the board.
        distance: whether to find out how long games last, too.
        shown: the display that says so.
    """
    from isolarium.solver.solver import (  # only here: most commands solve nothing
        is_compiled,
        load_solver,
    )

    if not is_compiled(board, distance):
        shown.say(COMPILING)
    load_solver(board, distance)
    shown.clear()
