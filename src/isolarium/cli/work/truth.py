"""Solving for the commands that show the truth beside what was played: with a word while it lasts, and Ctrl-C."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from isolarium.analysis.accuracy import GameAccuracy, Marker
from isolarium.analysis.run_accuracy import RunAccuracy, run_accuracy
from isolarium.arena.game import Game
from isolarium.arena.run_db import Record
from isolarium.cli.progress_display import display, notice
from isolarium.game.record import GameRecord
from isolarium.processes.worker import usual_workers
from isolarium.text import duration


def accuracy_of_run(
    folder: Path, workers: int | None, sample: Sequence[Game] = ()
) -> RunAccuracy | None:
    """Compare a sample of a run's games with perfect play; return None on Ctrl-C.

    Args:
        folder: The run's.
        workers: The processes to use.
        sample: The games, if they were read already.
    """
    try:
        with closing(Record(folder)) as record, display() as shown:
            shown.say("solving a sample of the games...", after_s=0.5)
            first: list[tuple[int, float]] = []

            def tell(done: int, games: int) -> None:
                if not first:  # starting the workers, and compiling, came before it
                    first.append((done, shown.elapsed))
                at_first, then_s = first[0]
                shown.tell(lambda: sample_line(done, games, (at_first, shown.elapsed - then_s)))

            return run_accuracy(
                record, workers=workers or usual_workers(), progress=tell, sample=sample
            )
    except KeyboardInterrupt:
        return None


def sample_line(done: int, games: int, since: tuple[int, float]) -> str:
    """`solving a sample: 120 of 200 games, 35 s left`.

    Args:
        done: how many games are solved.
        games: of how many.
        since: how many there were when the first were told, and how many seconds ago that was.
    """
    told = f"solving a sample: {done:,} of {games:,} games"
    at_first, elapsed_s = since
    if done == at_first:
        return told
    return f"{told}, {duration(elapsed_s / (done - at_first) * (games - done))} left"


def truth_of_game(game: GameRecord) -> GameAccuracy | None:
    """The game with its marks; None once somebody has had enough of waiting."""
    try:
        with notice("solving the game's positions...", after_s=1.0):
            return Marker().mark(game)
    except KeyboardInterrupt:
        return None
