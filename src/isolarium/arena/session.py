"""A run from its beginning to its results: the only code that begins, resumes, plays and reads one.

`play(plan, listener, runs=folder)` does all of it. A `Session` does it in steps, for a run that exists already
or is part of a study.
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

if TYPE_CHECKING:  # it starts a relay
    from isolarium.arena.cluster.remote_workers import Cluster


class Listener:
    """Follows runs while they are played. Override what you need; this one shows nothing and stops nothing."""

    def begin(self, label: str, names: Sequence[str] = ()) -> None:
        """Note that a part of a study or of a tuning run begins.

        Args:
            label: what to call it.
            names: the players' names, where they are not called by their specs.
        """

    def show(self, progress: Progress) -> None:
        """Show how far the run is; called a few times a second."""

    def tell(self, text: str) -> None:
        """Show how far other work is, such as solving positions."""

    def is_stopped(self) -> bool:
        """Return whether to stop; everything finished is kept. Called a few times a second."""
        return False


SILENT: Final = Listener()


class Session:
    """A run that is open. Leaving its `with` block closes it.

    Args:
        record: the run's, open for writing unless the run is finished.
    """

    def __init__(self, record: Record) -> None:
        self.record = record

    @classmethod
    def begin(cls, plan: Plan, runs: Path) -> Self:
        """Begin a run in a new folder among the runs; a failure leaves no folder without a whole record.

        Raises:
            InputError: If the openings cannot be drawn, or the folder cannot be written to.
        """
        folder = new_folder(runs, name_of(plan))
        try:
            return cls(_create(folder, plan))
        except FileNotFoundError:
            problem = "removed while the run was begun; expected a folder to keep"
            raise InputError(f"{folder}: {problem}") from None
        except BaseException:
            # Ctrl-C may come at any moment; a record that is there can be resumed, and stays.
            if not (folder / FILE_NAME).exists():
                remove_tree(folder)
            raise

    @classmethod
    def resume(cls, folder: Path) -> Self:
        """Open a run that was begun.

        Raises:
            InputError: If there is none, it is damaged, or it is being played.
        """
        return cls(Record(folder, writes=True))

    @classmethod
    def begin_or_resume(cls, plan: Plan, folder: Path) -> Self:
        """Begin a part of a study or of a tuning run in its folder, or open it if it was begun.

        Raises:
            InputError: If it is damaged, or is being played.
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
        """What is played."""
        return self.record.plan

    @property
    def folder(self) -> Path:
        """Where the run is kept."""
        return self.record.folder

    @property
    def is_finished(self) -> bool:
        """Whether every game is played, or a test ended the run."""
        return self.record.is_finished

    def play(
        self,
        listener: Listener = SILENT,
        workers: int | None = None,
        cluster: "Cluster | None" = None,
    ) -> None:
        """Play what is missing, to the end or until the listener stops it.

        Args:
            listener: follows the run.
            workers: processes; by default one for each core.
            cluster: whose workers to use instead of processes.

        Raises:
            InputError: If an agent is not what it was when the run began.
            RunAborted: If the run cannot continue here; everything finished is kept.
        """
        if not self.is_finished:
            play_run(self.record, workers, listener.show, listener.is_stopped, cluster)

    def read(self, sample: int = 0) -> Results:
        """Read the results so far.

        Args:
            sample: the most games to keep in `Results.sample`.
        """
        return read_results(self.record, sample=sample)


def play(
    plan: Plan,
    listener: Listener = SILENT,
    *,
    runs: Path,
    workers: int | None = None,
    cluster: "Cluster | None" = None,
) -> tuple[Results, Path]:
    """Begin a run, play it to its end or until the listener stops it, and read it.

    Args:
        plan: what to play.
        listener: follows the run.
        runs: the folder in which the run gets a folder of its own.
        workers: processes; by default one for each core.
        cluster: whose workers to use instead of processes.

    Returns:
        The results, and the run's folder.

    Raises:
        InputError: If the run cannot be begun.
        RunAborted: If it cannot continue; everything finished is kept.
    """
    with Session.begin(plan, runs) as session:
        session.play(listener, workers, cluster)
        return session.read(), session.folder


def _create(folder: Path, plan: Plan) -> Record:
    return Record.create(folder, plan, plan.openings_in_order())
