"""A progress bar on stderr or in a notebook's cell, removed at the end."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from time import monotonic
from typing import Any, Final

from isolarium.arena.runner import Progress
from isolarium.arena.session import Listener
from isolarium.errors import check_kind
from isolarium.reporting.run_summary import progress_line

LENGTH: Final = 20
EVERY_S: Final = 0.1


@contextmanager
def progress_bar(wanted: bool | None) -> Iterator["ProgressBar | None"]:
    """Show a progress bar for the duration of the block.

    Args:
        wanted: Whether to show the bar; None shows it only on a terminal and in a notebook.

    Raises:
        InputError: If `wanted` is not True, False or None.
    """
    if wanted is not None:
        check_kind("progress", wanted, bool, "True or False")
    shell = _notebook()
    if not (_is_watched(shell) if wanted is None else wanted):
        yield None
        return
    bar = ProgressBar(_Line() if shell is None else _Cell())
    try:
        yield bar
    finally:
        bar.clear()


def _notebook() -> Any:
    """Return the shell of the notebook that this process belongs to, if any."""
    loaded = sys.modules.get("IPython")
    shell = None if loaded is None else loaded.get_ipython()
    return shell if hasattr(shell, "kernel") else None


def _is_watched(shell: Any) -> bool:
    """Return whether a bar is visible: in a notebook, or on a terminal."""
    return shell is not None or (sys.stderr is not None and sys.stderr.isatty())


class ProgressBar(Listener):
    """A text, with a bar if the total is known.

    Args:
        surface: The line or the cell in which to show the bar.
    """

    def __init__(self, surface: "_Line | _Cell") -> None:
        self._surface = surface
        self._due = 0.0

    def show(self, progress: Progress) -> None:
        """Show the progress of a run."""
        self.tell(progress_line(progress), progress.tally.games / max(1, progress.games))

    def count(self, done: int, total: int, things: str) -> None:
        """Show the number of items that are done.

        You may call this often: the display updates only a few times a second.
        """
        if done == total or monotonic() >= self._due:
            self._due = monotonic() + EVERY_S
            self.tell(f"{done:,} of {total:,} {things}", done / max(1, total))

    def tell(self, text: str, share: float | None = None) -> None:
        """Show a text and, if known, the share of the work that is done."""
        self._surface.write(text, share)

    def clear(self) -> None:
        """Remove the bar."""
        self._surface.clear()


class _Line:
    """One line on stderr that is overwritten."""

    def __init__(self) -> None:
        self._width = 0

    def write(self, words: str, share: float | None) -> None:
        if share is not None:
            filled = int(LENGTH * min(1.0, share))
            words = f"[{'#' * filled}{'-' * (LENGTH - filled)}] {words}"
        words = words[: shutil.get_terminal_size().columns - 1]  # a wrapped line could not be removed
        print("\r" + words.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(words)

    def clear(self) -> None:
        self.write("", None)
        print(end="\r", file=sys.stderr, flush=True)


class _Cell:
    """An output below a notebook's cell."""

    def __init__(self) -> None:
        self._place: Any = None

    def write(self, words: str, share: float | None) -> None:
        bar = "" if share is None else f'<progress value="{share:.3f}"></progress> '
        self._show({"text/html": f"{bar}{escape(words)}", "text/plain": words})

    def clear(self) -> None:
        if self._place is not None:
            self._show({"text/html": "", "text/plain": ""})

    def _show(self, forms: dict[str, str]) -> None:
        if self._place is None:
            display = import_module("IPython.display")  # installed, since there is a notebook
            self._place = display.display(forms, raw=True, display_id=True)
        else:
            self._place.update(forms, raw=True)
