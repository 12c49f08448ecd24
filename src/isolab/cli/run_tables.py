"""What a run says, on the screen: in colour on a terminal that has it, as plain text elsewhere."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from isolab.analysis.run_accuracy import RunAccuracy
    from isolab.arena.results import Results
    from isolab.reporting.model import Block, Section
    from isolab.reporting.terminal import Line

STYLES: Final = {"head": "bold", "best": "bold green", "note": "dim", "": ""}
PLAIN_WIDTH: Final = 100
"""How wide tables may be where there is no screen."""


def show_results(
    results: "Results", folder: Path, as_json: bool, accuracy: "RunAccuracy | None" = None
) -> None:
    """Print what a run says, or the same as one JSON object."""
    from isolab.reporting.run_summary import run_json, run_summary, summary_title

    if as_json:
        from json import dumps

        typer.echo(dumps(run_json(results, folder, accuracy)))
    else:
        screen = TableScreen()
        screen.say(summary_title(results), "head")
        screen.show(run_summary(results, screen.width, folder, accuracy))


class TableScreen:
    """The terminal that tables are shown on."""

    def __init__(self, plain_width: int = PLAIN_WIDTH) -> None:
        import sys

        from rich.console import Console

        self._console = Console(highlight=False, markup=False, emoji=False)
        self.has_colour = self._console.color_system is not None and not self._console.no_color
        self.width = self._console.width if sys.stdout.isatty() else plain_width

    def say(self, text: str, style: str = "") -> None:
        """Print a line."""
        from isolab.reporting.terminal import Piece

        self.print([[Piece(text, style)]])

    def show(self, blocks: "Iterable[Block | Section]", width: int | None = None) -> None:
        """Print what is said, as wide as the screen or as asked."""
        from isolab.reporting.terminal import lines_of

        self.print(lines_of(blocks, width or self.width, mark=not self.has_colour))

    def print(self, lines: "Iterable[Line]") -> None:
        """Print lines; they are never broken."""
        from rich.text import Text

        for line in lines:
            text = Text.assemble(*((piece.text, STYLES[piece.style]) for piece in line))
            text.rstrip()
            self._console.print(text, soft_wrap=True)
