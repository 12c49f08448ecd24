"""What a run says, on the screen: in colour on a terminal that has it, as plain text elsewhere."""

from json import dumps
from pathlib import Path
from typing import Any

import typer

from isolab.analysis.accuracy_text import accuracy_json, ceiling_line, match_line, theory_line
from isolab.analysis.run_accuracy import RunAccuracy
from isolab.arena.failures import broken
from isolab.arena.figures import results_json
from isolab.arena.match_text import labelled, match_lines
from isolab.arena.plan import Format
from isolab.arena.results import Results
from isolab.arena.tournament_text import tournament_lines
from isolab.cli.console import TableScreen
from isolab.cli.endings import INTERRUPTED
from isolab.cli.work.truth import accuracy_of_run


def show_results_and_exit(
    results: Results, folder: Path, workers: int | None, as_json: bool, accuracy: bool
) -> None:
    """Print what a run says, of a finished match with its accuracy if that is wanted.

    One that was interrupted ends the command as an interrupt does.
    """
    is_marked = accuracy and results.finished and results.plan.format is Format.MATCH
    _show(results, folder, as_json, accuracy_of_run(folder, workers) if is_marked else None)
    if not results.finished:
        raise typer.Exit(INTERRUPTED)


def _show(results: Results, folder: Path, as_json: bool, accuracy: RunAccuracy | None) -> None:
    """Print the table of a match or a tournament, or the same as one JSON object."""
    if as_json:
        typer.echo(dumps({**results_json(results, folder), **_accuracy_facts(accuracy)}))
    elif results.plan.format is Format.MATCH:
        lines = list(match_lines(results, folder))
        typer.echo("\n".join(_with_accuracy(lines, results, accuracy)))
    else:
        screen = TableScreen()
        screen.show(
            list(tournament_lines(results, folder, screen.width, mark=not screen.has_colour))
        )


def _with_accuracy(lines: list[str], results: Results, accuracy: RunAccuracy | None) -> list[str]:
    """The lines of a match with those about accuracy after the pairs."""
    if accuracy is None or any(broken(results)):
        return lines
    found = {
        "accuracy": match_line(accuracy),
        "theory": theory_line(accuracy),
        "ceiling": ceiling_line(accuracy, results.labels[1]),
    }
    more = [labelled(label, told) for label, told in found.items() if told is not None]
    place = next(number for number, line in enumerate(lines) if line.startswith("plies"))
    return lines[:place] + more + lines[place:]


def _accuracy_facts(accuracy: RunAccuracy | None) -> dict[str, Any]:
    return {} if accuracy is None else {"accuracy": accuracy_json(accuracy)}
