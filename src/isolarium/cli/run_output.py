"""The output of commands about runs: progress, results, and why a run cannot continue."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from isolarium.arena.game import Game
from isolarium.arena.plan import Format, Plan
from isolarium.arena.provenance import sign, untrusted_files
from isolarium.arena.results import MOST_SAMPLED, Results
from isolarium.arena.run_db import Record
from isolarium.arena.run_store import find_run, folders_called
from isolarium.arena.runner import Progress
from isolarium.arena.session import Listener, Session
from isolarium.cli.app import FAILED, INTERRUPTED, interruptible
from isolarium.cli.options import connected
from isolarium.cli.progress_display import Display, display
from isolarium.cli.screen import Screen
from isolarium.errors import AgentKeepsFailing, InputError, RunAborted, shown
from isolarium.processes.worker import default_workers
from isolarium.reporting.run_summary import progress_line, standings_lines
from isolarium.text import duration, listed, printable

if TYPE_CHECKING:
    from isolarium.analysis.run_accuracy import RunAccuracy
    from isolarium.arena.cluster.remote_workers import Cluster

MOST_STANDINGS: Final = 12
ACCURACY: Final = "accuracy"
NOT_WANTED: Final = "not wanted"
"""The value of the fact `accuracy` in a run started with --no-accuracy."""


class RunDisplay(Listener):
    """Shows the progress of runs on stderr, with the standings below if they fit.

    Attributes:
        shown: the current display.
        pressed: one entry for each Ctrl-C since the games began; the first stops the games.
    """

    def __init__(self) -> None:
        self.shown = Display()
        self.pressed: Sequence[int] = ()
        self._names: Sequence[str] = ()

    def begin(self, label: str, names: Sequence[str] = ()) -> None:
        """Start a display with a new label."""
        self.shown.clear()
        self.shown, self._names = Display(label), names
        self.shown.announce("starting...")

    def show(self, progress: Progress) -> None:
        """Show the progress of a run."""
        self.shown.update(
            lambda: progress_line(progress),
            lambda room: standings_lines(progress.tally, min(MOST_STANDINGS, room), self._names),
        )

    def tell(self, text: str) -> None:
        """Show the progress of other work."""
        self.shown.update(lambda: text)

    def is_stopped(self) -> bool:
        """Return whether Ctrl-C was pressed."""
        return bool(self.pressed)


@contextmanager
def run_display(label: str = "") -> Iterator[RunDisplay]:
    """Show the progress of the runs in the block; a label appears immediately."""
    found = RunDisplay()
    try:
        if label:
            found.begin(label)
        yield found
    finally:
        found.shown.clear()


@contextmanager
def resumable(folder: Path, listener: RunDisplay) -> Iterator[None]:
    """Let Ctrl-C stop the games in the block.

    If a run cannot continue, print the reason and exit with status 1.
    """
    try:
        with interruptible() as listener.pressed:
            yield
    except RunAborted as error:
        listener.shown.clear()
        advice = f"; isolarium resume {folder} continues" if folder.is_dir() else ""
        if isinstance(error, AgentKeepsFailing) and error.files:
            advice = f"; correct {listed(error.files)} and run the command again"
        typer.echo(f"isolarium: {printable(str(error))}{advice}", err=True)
        raise typer.Exit(FAILED) from None


def play_and_show(
    plan: Callable[[], Plan],
    label: str,
    runs: Path,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
    *,
    accuracy: bool | None = False,
    details: bool = False,
) -> None:
    """Play a new run and print its results.

    Args:
        plan: makes the plan; called once the display is shown.
        label: the label of the display.
        runs: the folder of runs.
        workers: the number of processes; by default one per core.
        cluster: the address of a cluster to play on instead.
        as_json: whether to print JSON.
        accuracy: whether to compare a sample of a match's games with perfect play; None compares if
            details or JSON are printed.
        details: whether to print all facts about a match.
    """
    with run_display(label) as listener:
        planned = plan()
        with connected(cluster, workers) as found, Session.begin(planned, runs) as session:
            if accuracy is False and planned.format is Format.MATCH:
                session.record.set_fact(ACCURACY, NOT_WANTED)
            is_solved = _is_solved(accuracy, details, as_json)
            results = _play(session, listener, workers, found, is_solved)
    show_results_and_exit(results, session.folder, workers, as_json, accuracy=is_solved, details=details)


def show_choice(name: str, runs: Path, folder: Path) -> None:
    """Print which run a name means, if several runs have it."""
    called = folders_called(name, runs)
    if len(called) > 1 and folder in called:
        print(f"isolarium: {len(called)} runs are named {shown(name)}: using {folder.name}", file=sys.stderr)


def resume_and_show(
    run: str,
    runs: Path,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
    *,
    accuracy: bool | None,
    details: bool = False,
    trust: bool,
) -> None:
    """Play the rest of a run and print its results.

    Args:
        run: its name or folder.
        runs: the folder of runs.
        workers: the number of processes; by default one per core.
        cluster: the address of a cluster to play on instead.
        as_json: whether to print JSON.
        accuracy: whether to compare a sample of a match's games with perfect play; None compares if
            details or JSON are printed, unless the original command disabled it.
        details: whether to print all facts about a match.
        trust: whether to load the agent files of a run made elsewhere.
    """
    folder = find_run(run, runs, resumes=True)
    show_choice(run, runs, folder)
    with Session.resume(folder) as session:
        files = untrusted_files(session.record)
        check_trusted(run, files, trust)
        if files:  # Ask only once: from now on the run counts as made here.
            sign(session.record)
        if accuracy is None and session.record.fact(ACCURACY) == NOT_WANTED:
            accuracy = False
        is_solved = _is_solved(accuracy, details, as_json)
        label = session.plan.title or str(session.plan.format)
        with run_display(label) as listener, connected(cluster, workers) as found:
            results = _play(session, listener, workers, found, is_solved)
    show_results_and_exit(results, session.folder, workers, as_json, accuracy=is_solved, details=details)


def _is_solved(accuracy: bool | None, details: bool, as_json: bool) -> bool:
    """Return whether to compare a match with perfect play."""
    return details or as_json if accuracy is None else accuracy


def _play(
    session: Session, listener: RunDisplay, workers: int | None, cluster: "Cluster | None", accuracy: bool
) -> Results:
    with resumable(session.folder, listener):
        session.play(listener, workers, cluster)
    is_marked = accuracy and session.plan.format is Format.MATCH
    return session.read(MOST_SAMPLED if is_marked else 0)


def check_trusted(run: str, files: list[str], trust: bool) -> None:
    """Check that the user agrees to load the agent files of a run made elsewhere.

    On a terminal, the user is asked.

    Raises:
        InputError: If the user does not agree.
    """
    if not files or trust:
        return
    names = ", ".join(shown(file, 200) for file in files)
    question = f"{run}: this run was made elsewhere, and resuming it runs {names}"
    if sys.stdin.isatty() and typer.confirm(f"{question}. Run them?", err=True):
        return
    raise InputError(f"{question}; read these files first, then use --trust")


def show_results_and_exit(
    results: Results, folder: Path, workers: int | None, as_json: bool, *, accuracy: bool, details: bool
) -> None:
    """Print the results of a run.

    The verdict is printed first, before any game is solved. For an interrupted run, exit with
    status 130.

    Args:
        results: the results.
        folder: the folder of the run.
        workers: the number of processes that solve; by default one per core.
        as_json: whether to print JSON.
        accuracy: whether to compare a sample of a finished match's games with perfect play.
        details: whether to print all facts about a match.
    """
    # Imported here because it loads the solver, which would delay the start of the games.
    from isolarium.reporting.run_summary import (
        accuracy_summary,
        match_answer,
        match_details,
        run_json,
        run_summary,
        summary_title,
    )

    is_match = results.plan.format is Format.MATCH
    screen = Screen()
    if not as_json:
        screen.say(summary_title(results), "head")
        blocks = match_answer(results, folder) if is_match else run_summary(results, screen.width, folder)
        screen.show(blocks)
        sys.stdout.flush()
    found = None
    if accuracy and is_match and results.finished:
        found = accuracy_of_run(folder, workers, results.sample)
    if as_json:
        typer.echo(dumps(run_json(results, folder, found)))
    elif is_match and details:
        screen.show(match_details(results, found))
    elif found is not None:
        screen.show(accuracy_summary(results, found))
    if not results.finished:
        raise typer.Exit(INTERRUPTED)


def accuracy_of_run(folder: Path, workers: int | None, sample: Sequence[Game] = ()) -> "RunAccuracy | None":
    """Compare a sample of a run's games with perfect play; return None on Ctrl-C.

    Args:
        folder: the folder of the run.
        workers: the number of processes; by default one per core.
        sample: the games, if they were already read.
    """
    from isolarium.analysis.run_accuracy import run_accuracy  # Imported here because it loads the solver

    try:
        with closing(Record(folder)) as record, display() as shown:
            shown.announce("solving a sample of the games...", after_s=0.5)
            first: list[tuple[int, float]] = []

            def tell(done: int, games: int) -> None:
                if not first:  # The rate excludes starting the workers and compiling.
                    first.append((done, shown.elapsed))
                at_first, then_s = first[0]
                shown.update(lambda: sample_line(done, games, (at_first, shown.elapsed - then_s)))

            return run_accuracy(record, workers=workers or default_workers(), progress=tell, sample=sample)
    except KeyboardInterrupt:
        return None


def sample_line(done: int, games: int, since: tuple[int, float]) -> str:
    """Return a line such as `solving a sample: 120 of 200 games, 35 s left`.

    Args:
        done: the number of games solved so far.
        games: the number of games.
        since: the number solved at the first report, and the seconds since then.
    """
    line = f"solving a sample: {done:,} of {games:,} games"
    at_first, elapsed_s = since
    if done == at_first:
        return line
    return f"{line}, {duration(elapsed_s / (done - at_first) * (games - done))} left"


def open_record(folder: Path) -> Record:
    """Open the results database of a run for reading; warn if it has no checksums.

    Raises:
        InputError: If there is no database, or it is damaged.
    """
    record = Record(folder)
    if not record.has_checksums:
        warning = "no checksums: damage would go unnoticed; isolarium resume adds them"
        typer.echo(f"isolarium: {folder}: {warning}", err=True)
    return record
