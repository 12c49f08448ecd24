"""Runs on the command line: played, resumed, shown, and listed."""

import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from isolarium.arena.aborting import RunAborted
from isolarium.arena.plan import Format, Plan
from isolarium.arena.provenance import files_of_strangers, sign
from isolarium.arena.results import MOST_SAMPLED, Results, read_results
from isolarium.arena.run_db import Record
from isolarium.arena.run_store import RunFacts, begin_run, find_run, list_runs
from isolarium.arena.runner import Progress, play_run
from isolarium.cli.cluster import connected
from isolarium.cli.console import ANY_WIDTH, Screen
from isolarium.cli.exits import FAILED, interruptible
from isolarium.cli.progress_display import Display, display
from isolarium.errors import InputError, shown
from isolarium.reporting.model import Column, Table, rows_of
from isolarium.reporting.run_progress import progress_line, standings_lines
from isolarium.text import printable

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

MOST_STANDINGS: Final = 12
ACCURACY: Final = "accuracy"
NOT_WANTED: Final = "not wanted"
"""The fact about a run whose games are not to be solved."""


def play_and_show(
    make_plan: Callable[[], Plan],
    label: str,
    runs: Path,
    workers: int | None,
    as_json: bool,
    cluster: str | None = None,
    *,
    accuracy: bool = False,
) -> None:
    """Play a new run, and print what it says, of a match with its accuracy if that is wanted.

    Something is on the screen before the plan is made.
    """
    with display(label, "starting...") as shown:
        plan = make_plan()
        with connected(cluster, workers) as found, closing(begin_run(runs, plan)) as record:
            if not accuracy and record.plan.format is Format.MATCH:
                record.set_fact(ACCURACY, NOT_WANTED)
            results = _play(record, workers, shown, found, accuracy)
    _show(results, record.folder, workers, as_json, accuracy)


def resume_and_show(
    run: str,
    runs: Path,
    workers: int | None,
    as_json: bool,
    cluster: str | None = None,
    *,
    accuracy: bool | None,
    trust: bool,
) -> None:
    """Play what is missing of a run, and print what it says, with its accuracy as it was begun or as is wanted now.

    With `trust`, also a run that somebody else has made.
    """
    with closing(Record(find_run(run, runs), writes=True)) as record:
        files = files_of_strangers(record)
        check_trusted(run, files, trust)
        if files:  # from now on it is ours: it is asked about once
            sign(record)
        if accuracy is None:
            accuracy = record.fact(ACCURACY) != NOT_WANTED
        label = record.plan.title or str(record.plan.format)
        with display(label, "starting...") as shown, connected(cluster, workers) as found:
            results = _play(record, workers, shown, found, accuracy)
    _show(results, record.folder, workers, as_json, accuracy)


def check_trusted(run: str, files: list[str], trust: bool) -> None:
    """See that somebody wants these files to be loaded, those of a run that was not made here; ask who can answer.

    Raises:
        InputError: nobody does.
    """
    if not files or trust:
        return
    told = f"{run}: not made here; to go on with it runs {', '.join(shown(file, 200) for file in files)}"
    if sys.stdin.isatty() and typer.confirm(f"{told}. Run that?", err=True):
        return
    raise InputError(f"{told}; expected --trust if you have looked at that")


def _play(
    record: Record,
    workers: int | None,
    shown: Display,
    cluster: "Cluster | None",
    accuracy: bool,
) -> Results:
    try:
        with interruptible() as interrupted:
            play_run(
                record,
                workers,
                lambda progress: tell_of_run(progress, shown),
                lambda: bool(interrupted),
                cluster,
            )
    except RunAborted as error:
        shown.clear()
        complain_of_abort(error, record.folder)
        raise typer.Exit(FAILED) from None
    is_marked = accuracy and record.plan.format is Format.MATCH
    return read_results(record, sample=MOST_SAMPLED if is_marked else 0)


def complain_of_abort(error: RunAborted, folder: Path) -> None:
    """Say why a run or a study cannot go on here, and what goes on with what is left of it."""
    advice = f"; isolarium resume {folder} goes on" if folder.is_dir() else ""
    typer.echo(f"isolarium: {printable(str(error))}{advice}", err=True)


def _show(
    results: Results, folder: Path, workers: int | None, as_json: bool, accuracy: bool
) -> None:
    # Loaded now: before the games the solver would only keep the workers waiting.
    from isolarium.cli.work.results import show_results_and_exit

    show_results_and_exit(results, folder, workers, as_json, accuracy)


def tell_of_run(progress: Progress, shown: Display, names: Sequence[str] = ()) -> None:
    """Say how far a run is, with the standings below where there is room.

    Args:
        progress: how far it is.
        shown: where to say it.
        names: the players', where they have names of their own.
    """
    shown.tell(
        lambda: progress_line(progress),
        lambda room: standings_lines(progress.tally, min(MOST_STANDINGS, room), names),
    )


def show_runs(runs: Path, as_json: bool) -> None:
    """List the runs of a folder."""
    found = list_runs(runs)
    if as_json:
        typer.echo(dumps([_facts(run) for run in found]))
    elif not found:
        typer.echo(f"no runs in {runs} yet; isolarium match makes one")
    else:
        _list(found)


def _facts(run: RunFacts) -> dict[str, object]:
    return {
        "name": run.name,
        "folder": str(run.folder),
        "title": run.title,
        "played": run.played,
        "started": run.started,
        "games": run.games,
        "games_planned": run.games_planned,
        "state": run.state,
    }


def _list(found: list[RunFacts]) -> None:
    columns = (
        Column("name", "run", "<", repeats=True),
        Column("state", "state", "<"),
        Column("games", "games"),
        Column("title", "what was played", "<", shrinks=True),
    )
    watched = sys.stdout.isatty()
    rows = [(run.name, run.state, _games(run), _title(run, watched)) for run in found]
    Screen(plain_width=ANY_WIDTH).show([Table("runs", "", columns, rows_of(columns, rows))])


def _title(run: RunFacts, short: bool) -> str:
    """What it is called, with who played."""
    title = run.short_title if short else run.title
    return f"{title}: {run.played}" if run.played else title


def _games(run: RunFacts) -> str:
    if not run.is_whole:
        return ""
    if run.state == "finished":
        return f"{run.games:,}"
    return f"{run.games:,} of {run.games_planned:,}"
