"""Solving for the commands that show the truth beside what was played: with a word while it lasts, and Ctrl-C."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from isolab.cli.notice import notice_if_slow

if TYPE_CHECKING:
    from isolab.analysis.accuracy import MarkedGame
    from isolab.analysis.run_accuracy import RunAccuracy
    from isolab.game.record import GameRecord


def accuracy_of_run(folder: Path, workers: int | None) -> "RunAccuracy | None":
    """How a run's agents did against the truth; None once somebody has had enough of waiting."""
    import os

    from isolab.analysis.run_accuracy import run_accuracy
    from isolab.arena.record import Record

    cores = workers or len(os.sched_getaffinity(0))
    try:
        with (
            closing(Record(folder)) as record,
            notice_if_slow("solving a sample of the games...", after_s=0.5),
        ):
            return run_accuracy(record, workers=cores)
    except KeyboardInterrupt:
        return None


def truth_of_game(game: "GameRecord") -> "MarkedGame | None":
    """The game with its marks; None once somebody has had enough of waiting."""
    from isolab.analysis.accuracy import Marker

    try:
        with notice_if_slow("solving the game's positions...", after_s=1.0):
            return Marker().mark(game)
    except KeyboardInterrupt:
        return None
