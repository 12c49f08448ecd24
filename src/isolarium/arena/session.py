"""Sessions begin, resume, play and read runs; no other code does.

`play(plan, listener, runs=folder)` plays a complete run. A `Session` performs the steps separately,
for an existing run or a part of a study.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from isolarium.arena.plan import Plan
from isolarium.arena.results import Results, read_results
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.run_store import name_of, new_folder
from isolarium.arena.runner import Progress, play_run
from isolarium.errors import InputError
from isolarium.removal import remove_tree

if TYPE_CHECKING:  # Starts a relay
    from isolarium.arena.cluster.remote_workers import Cluster


class Listener:
    """A listener that follows runs while they are played.

    Override the methods you need: this class shows nothing and never stops a run.
    """

    def begin(self, label: str, names: Sequence[str] = ()) -> None:
        """Handle the start of a part of a study or of a tuning run.

        Args:
            label: The part's label.
            names: The players' names, if they differ from their specs.
        """

    def show(self, progress: Progress) -> None:
        """Show the progress of a run; called a few times a second."""

    def tell(self, text: str) -> None:
        """Show the progress of other work, such as solving positions."""

    def is_stopped(self) -> bool:
        """Return whether to stop; finished games are kept. Called a few times a second."""
        return False


SILENT: Final = Listener()


class Session:
    """An open run. Leaving its `with` block closes it.

    Args:
        record: The run's database, open for writing unless the run is finished.
    """

    def __init__(self, record: Record) -> None:
        self.record = record

    @classmethod
    def begin(cls, plan: Plan, runs: Path) -> Self:
        """Begin a run in a new folder among the runs.

        If this fails, a folder without a complete database is removed.

        Raises:
            InputError: If the openings cannot be drawn, or the folder cannot be written to.
        """
        folder = new_folder(runs, name_of(plan))
        try:
            return cls(_create(folder, plan))
        except FileNotFoundError:
            problem = "the folder was removed while the run began; try again"
            raise InputError(f"{folder}: {problem}") from None
        except BaseException:
            # Ctrl-C may come at any moment; a run with a database can be resumed and is kept.
            if not (folder / FILE_NAME).exists():
                remove_tree(folder)
            raise

    @classmethod
    def resume(cls, folder: Path) -> Self:
        """Open an existing run.

        Raises:
            InputError: If the run is missing or damaged, or another process is playing it.
        """
        return cls(Record(folder, writes=True))

    @classmethod
    def begin_or_resume(cls, plan: Plan, folder: Path) -> Self:
        """Begin a part of a study or of a tuning run, or open it if it exists.

        Raises:
            InputError: If the part is damaged, or another process is playing it.
        """
        if not (folder / FILE_NAME).is_file():
            return cls(_create(folder, plan))
        record = Record(folder)
        if record.is_finished:
            return cls(record)
        record.close()
        return cls.resume(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.record.close()

    @property
    def plan(self) -> Plan:
        """The run's plan."""
        return self.record.plan

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self.record.folder

    @property
    def is_finished(self) -> bool:
        """Whether every game is played, or a test ended the run."""
        return self.record.is_finished

    def play(self, listener: Listener = SILENT, workers: int | None = None, cluster: "Cluster | None" = None) -> None:
        """Play the missing games until the run is complete or the listener stops it.

        Args:
            listener: Follows the run.
            workers: The number of processes; by default one for each core.
            cluster: A cluster whose workers to use instead of processes.

        Raises:
            InputError: If an agent's files have changed since the run began.
            RunAborted: If the run cannot continue here; finished games are kept.
        """
        if not self.is_finished:
            play_run(self.record, workers, listener.show, listener.is_stopped, cluster)

    def read(self, sample: int = 0) -> Results:
        """Read the results so far.

        Args:
            sample: The maximum number of games to keep in `Results.sample`.
        """
        return read_results(self.record, sample=sample)


def play(
    plan: Plan, listener: Listener = SILENT, *, runs: Path, workers: int | None = None, cluster: "Cluster | None" = None
) -> tuple[Results, Path]:
    """Begin a run, play it until it is complete or stopped, and return its results.

    Args:
        plan: The run's plan.
        listener: Follows the run.
        runs: The folder in which to create the run's folder.
        workers: The number of processes; by default one for each core.
        cluster: A cluster whose workers to use instead of processes.

    Returns:
        The results, and the run's folder.

    Raises:
        InputError: If the run cannot be begun.
        RunAborted: If it cannot continue; finished games are kept.
    """
    with Session.begin(plan, runs) as session:
        session.play(listener, workers, cluster)
        return session.read(), session.folder


def _create(folder: Path, plan: Plan) -> Record:
    return Record.create(folder, plan)
