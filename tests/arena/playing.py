"""Runs that this process plays, and their databases."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from isolarium.arena import checksummed_db, sqlite_file
from isolarium.arena.export import write_json
from isolarium.arena.plan import Plan
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.runner import play_run

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster


def exported(folder: Path) -> str:
    """Everything that does not differ between two equal runs."""
    text = StringIO()
    with closing(Record(folder)) as record:
        write_json(record, text, times=False)
    return text.getvalue()


def play(
    folder: Path, plan: Plan, workers: int = 2, stop: Callable[[], bool] | None = None, cluster: "Cluster | None" = None
) -> str:
    """Begin or resume a run, and return what `exported` does."""
    begun = (folder / FILE_NAME).is_file()
    opened = Record(folder, writes=True) if begun else Record.create(folder, plan)
    with closing(opened) as record:
        play_run(record, workers, stop=stop, cluster=cluster)
    return exported(folder)


def when_played(folder: Path, games: int, action: Callable[[], None]) -> Callable[[], bool]:
    """What never asks a run to stop, but does something once, when so many games are in its record."""
    left = [action]

    def stop() -> bool:
        if left and games_of(folder) >= games:
            left.pop()()
        return False

    return stop


def games_of(folder: Path) -> int:
    """How many games are in a record."""
    with closing(Record(folder)) as record:
        return record.count()


def fill_disk(patch: pytest.MonkeyPatch) -> None:
    """Have every record find the disk full as soon as it grows."""
    guarded = sqlite_file.guarded

    def full(base: sqlite3.Connection) -> sqlite3.Connection:
        guarded(base).execute("PRAGMA max_page_count = 1")
        return base

    patch.setattr(sqlite_file, "guarded", full)
    patch.setattr(checksummed_db, "guarded", full)
