"""What a run says, on the screen: in colour on a terminal that has it, as plain text elsewhere."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from isolab.analysis.run_accuracy import RunAccuracy
    from isolab.arena.results import Results
    from isolab.arena.table import Line

STYLES: Final = {"head": "bold", "best": "bold green", "note": "dim", "": ""}
PLAIN_WIDTH: Final = 100
"""How wide tables may be where there is no screen."""


def show_results(
    results: "Results", folder: Path, as_json: bool, accuracy: "RunAccuracy | None" = None
) -> None:
    """Print the table of a match or a tournament, or the same as one JSON object."""
    from isolab.arena.figures import results_json
    from isolab.arena.match_text import match_lines
    from isolab.arena.plan import Format
    from isolab.arena.tournament_text import tournament_lines

    if as_json:
        from json import dumps

        typer.echo(dumps({**results_json(results, folder), **_accuracy_facts(accuracy)}))
    elif results.plan.format is Format.MATCH:
        lines = list(match_lines(results, folder))
        typer.echo("\n".join(_with_accuracy(lines, results, accuracy)))
    else:
        screen = TableScreen()
        screen.show(
            list(tournament_lines(results, folder, screen.width, mark=not screen.has_colour))
        )


def _with_accuracy(
    lines: list[str], results: "Results", accuracy: "RunAccuracy | None"
) -> list[str]:
    """The lines of a match with those about accuracy after the pairs."""
    from isolab.analysis.accuracy_text import ceiling_line, match_line, theory_line
    from isolab.arena.failures import broken
    from isolab.arena.match_text import labelled

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


def _accuracy_facts(accuracy: "RunAccuracy | None") -> "dict[str, Any]":
    if accuracy is None:
        return {}
    from isolab.analysis.accuracy_text import accuracy_json

    return {"accuracy": accuracy_json(accuracy)}


class TableScreen:
    """The terminal that tables are shown on."""

    def __init__(self) -> None:
        import sys

        from rich.console import Console

        self._console = Console(highlight=False, markup=False, emoji=False)
        self.has_colour = self._console.color_system is not None and not self._console.no_color
        self.width = self._console.width if sys.stdout.isatty() else PLAIN_WIDTH

    def show(self, lines: "list[Line]") -> None:
        """Print lines; they are never broken."""
        from rich.text import Text

        for line in lines:
            text = Text.assemble(*((piece.text, STYLES[piece.style]) for piece in line))
            text.rstrip()
            self._console.print(text, soft_wrap=True)
