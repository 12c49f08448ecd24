"""Solving for the commands that show the truth beside what was played: with a word while it lasts, and Ctrl-C."""

from contextlib import closing
from pathlib import Path

from isolab.analysis.accuracy import MarkedGame, Marker
from isolab.analysis.run_accuracy import RunAccuracy, run_accuracy
from isolab.arena.record import Record
from isolab.cli.options import cores
from isolab.cli.progress import display, notice
from isolab.game.record import GameRecord
from isolab.text import duration


def accuracy_of_run(folder: Path, workers: int | None) -> RunAccuracy | None:
    """How a run's agents did against the truth; None once somebody has had enough of waiting."""
    try:
        with closing(Record(folder)) as record, display() as shown:
            shown.say("solving a sample of the games...", after_s=0.5)
            return run_accuracy(
                record,
                workers=workers or cores(),
                progress=lambda done, games: shown.tell(
                    lambda: sample_line(done, games, shown.elapsed)
                ),
            )
    except KeyboardInterrupt:
        return None


def sample_line(done: int, games: int, elapsed_s: float) -> str:
    """`solving a sample: 120 of 200 games, 35 s left`."""
    left = duration(elapsed_s / done * (games - done))
    return f"solving a sample: {done:,} of {games:,} games, {left} left"


def truth_of_game(game: GameRecord) -> MarkedGame | None:
    """The game with its marks; None once somebody has had enough of waiting."""
    try:
        with notice("solving the game's positions...", after_s=1.0):
            return Marker().mark(game)
    except KeyboardInterrupt:
        return None
