"""Plays a plan, or goes on with one, showing progress and then the result."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from isolab.analysis.run_accuracy import RunAccuracy
    from isolab.arena.plan import Plan
    from isolab.arena.record import Record
    from isolab.arena.results import Results
    from isolab.cli.run_display import RunDisplay

RunsOption = Annotated[
    Path, typer.Option("--runs", metavar="DIR", help="The folder that runs are kept in.")
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, max=256, help="Processes. [default: one a core]"),
]
DEFAULT_RUNS = Path("runs")
ABORTED = 1
INTERRUPTED = 130


def play_and_show(
    make_plan: "Callable[[], Plan]",
    label: str,
    runs: Path,
    workers: int | None,
    as_json: bool,
    *,
    accuracy: bool = False,
) -> None:
    """Play a new run, and print what it says, of a match with its accuracy if that is wanted.

    Something is on the screen before the plan is made.
    """
    from isolab.cli.run_display import RunDisplay

    display = RunDisplay(label)
    with display.shown():
        folder, results = _start(make_plan(), runs, workers, display)
    found = match_accuracy(results, folder, workers) if accuracy else None
    show_and_exit(results, folder, as_json, found)


def match_accuracy(results: "Results", folder: Path, workers: int | None) -> "RunAccuracy | None":
    """How the two agents of a finished match did against the truth."""
    from isolab.arena.plan import Format
    from isolab.cli.truth import accuracy_of_run

    if not results.finished or results.plan.format is not Format.MATCH:
        return None
    return accuracy_of_run(folder, workers)


def show_and_exit(
    results: "Results", folder: Path, as_json: bool, accuracy: "RunAccuracy | None" = None
) -> None:
    """Print what a run says; one that was interrupted ends the command as an interrupt does."""
    from isolab.cli.run_tables import show_results

    show_results(results, folder, as_json, accuracy)
    if not results.finished:
        raise typer.Exit(INTERRUPTED)


def start_run(plan: "Plan", runs: Path, workers: int | None) -> "tuple[Path, Results]":
    """Play a new run to its end; where it is kept, and what it says."""
    from isolab.cli.run_display import RunDisplay

    display = RunDisplay(plan.title or str(plan.format))
    with display.shown():
        return _start(plan, runs, workers, display)


def _start(
    plan: "Plan", runs: Path, workers: int | None, display: "RunDisplay"
) -> "tuple[Path, Results]":
    from isolab.arena.runs import begin_run

    with closing(begin_run(runs, plan)) as record:
        return record.folder, _play(record, workers, display)


def resume_run(folder: Path, workers: int | None) -> "Results":
    """Play what is missing of a run."""
    from isolab.arena.record import Record
    from isolab.cli.run_display import RunDisplay

    with closing(Record(folder, writes=True)) as record:
        display = RunDisplay(record.plan.title or str(record.plan.format))
        with display.shown():
            return _play(record, workers, display)


def _play(record: "Record", workers: int | None, display: "RunDisplay") -> "Results":
    from isolab.arena.results import read_results
    from isolab.arena.runner import RunAborted, play_run
    from isolab.cli.interruption import interruptible

    try:
        with interruptible() as interrupted, _warnings_in_a_line():
            play_run(record, workers, display.update, lambda: bool(interrupted))
    except RunAborted as error:
        typer.echo(f"isolab: {error}; isolab resume {record.folder} goes on", err=True)
        raise typer.Exit(ABORTED) from None
    return read_results(record)


@contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *rest: typer.echo(f"isolab: {message}", err=True)
        yield


def find_run(name: str, runs: Path) -> Path:
    """The folder of a run, given by its name or its path; `last` is the one begun last.

    Raises:
        InputError: there is no such run.
    """
    from isolab.arena.runs import find_run as find

    return find(name, runs)
