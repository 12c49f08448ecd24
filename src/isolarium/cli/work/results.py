"""What a run says, on the screen or as JSON."""

from json import dumps
from pathlib import Path

import typer

from isolarium.arena.plan import Format
from isolarium.arena.results import Results
from isolarium.cli.console import Screen
from isolarium.cli.exits import INTERRUPTED
from isolarium.cli.work.truth import accuracy_of_run
from isolarium.reporting.run_summary import run_json, run_summary, summary_title


def show_results_and_exit(
    results: Results, folder: Path, workers: int | None, as_json: bool, accuracy: bool
) -> None:
    """Print what a run says, of a finished match with its accuracy if that is wanted.

    One that was interrupted ends the command as an interrupt does.
    """
    is_marked = accuracy and results.finished and results.plan.format is Format.MATCH
    found = accuracy_of_run(folder, workers, results.sample) if is_marked else None
    if as_json:
        typer.echo(dumps(run_json(results, folder, found)))
    else:
        screen = Screen()
        screen.say(summary_title(results), "head")
        screen.show(run_summary(results, screen.width, folder, found))
    if not results.finished:
        raise typer.Exit(INTERRUPTED)
