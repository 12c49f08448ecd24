"""What a run says, on the screen or as JSON."""

from json import dumps
from pathlib import Path

import typer

from isolab.arena.plan import Format
from isolab.arena.results import Results
from isolab.cli.console import Screen
from isolab.cli.endings import INTERRUPTED
from isolab.cli.work.truth import accuracy_of_run
from isolab.reporting.run_summary import run_json, run_summary, summary_title


def show_results_and_exit(
    results: Results, folder: Path, workers: int | None, as_json: bool, accuracy: bool
) -> None:
    """Print what a run says, of a finished match with its accuracy if that is wanted.

    One that was interrupted ends the command as an interrupt does.
    """
    is_marked = accuracy and results.finished and results.plan.format is Format.MATCH
    found = accuracy_of_run(folder, workers) if is_marked else None
    if as_json:
        typer.echo(dumps(run_json(results, folder, found)))
    else:
        screen = Screen()
        screen.say(summary_title(results), "head")
        screen.show(run_summary(results, screen.width, folder, found))
    if not results.finished:
        raise typer.Exit(INTERRUPTED)
