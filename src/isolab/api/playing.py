"""Plays in a folder that is given, or in a temporary one, and shows how far it is."""

import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from isolab.api.arguments import whole
from isolab.arena.connecting import connected
from isolab.arena.plan import Plan
from isolab.arena.results import Results, read_results
from isolab.arena.runner import MOST_WORKERS, Progress, play_run
from isolab.arena.runs import begin_run
from isolab.errors import InputError, check_kind
from isolab.reporting.progress import progress_line

if TYPE_CHECKING:
    from isolab.arena.cluster import Cluster

Found = TypeVar("Found")


def play_plan(
    plan: Plan,
    workers: int | None,
    cluster: str | None,
    runs: str | Path | None,
    progress: bool | None,
) -> tuple[Results, Path, Path | None]:
    """Play a plan; what it says, where it is, and, if it is not to stay, what is to be removed."""

    def play(
        folder: Path, line: ProgressLine | None, found: "Cluster | None"
    ) -> tuple[Results, Path]:
        with closing(begin_run(folder, plan)) as record:
            play_run(record, workers, None if line is None else line.show, cluster=found)
            return read_results(record), record.folder

    return play_in(runs, workers, cluster, progress, play)


def play_in(
    runs: str | Path | None,
    workers: int | None,
    cluster: str | None,
    progress: bool | None,
    play: "Callable[[Path, ProgressLine | None, Cluster | None], tuple[Found, Path]]",
) -> tuple[Found, Path, Path | None]:
    """Play something in a folder, or in a temporary one; what it says, where it is, and what is to be removed.

    Raises:
        InputError: what is asked for cannot be.
    """
    if workers is not None and not 1 <= whole("workers", workers) <= MOST_WORKERS:
        raise InputError(f"workers={workers}: expected from 1 to {MOST_WORKERS}")
    for what, value, kind, told in (
        ("cluster", cluster, str, "a text such as tcp://HOST:PORT"),
        ("progress", progress, bool, "True or False"),
        ("runs", runs, (str, Path), "a folder"),
    ):
        if value is not None:
            check_kind(what, value, kind, told)
    shown = _is_watched() if progress is None else progress
    with connected(cluster, workers) as found, ProgressLine() if shown else nullcontext() as line:
        if runs is not None:
            return *play(Path(runs), line, found), None
        temporary = Path(tempfile.mkdtemp(prefix="isolab-run-"))
        try:
            return *play(temporary, line, found), temporary
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


def _is_watched() -> bool:
    """Whether somebody sees stderr: on a terminal or in a notebook."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


class ProgressLine:
    """One line on stderr that is written over again and again, and gone at the end."""

    def __init__(self) -> None:
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.tell("")
        print(end="\r", file=sys.stderr, flush=True)

    def show(self, progress: Progress) -> None:
        """Show how far it is."""
        self.tell(progress_line(progress))

    def tell(self, text: str) -> None:
        """Show words."""
        print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(text)
