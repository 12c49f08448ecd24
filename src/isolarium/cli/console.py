"""The terminal: how wide it is, whether it has colour, and lines on it that live or stay. On Rich."""

import os
import sys
from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from isolarium.reporting.model import Block, Section
from isolarium.reporting.terminal import PLAIN_WIDTH, Line, Piece, lines_of
from isolarium.text import printable

STYLES: Final = {"head": "bold", "best": "bold green", "note": "dim", "": ""}
ANY_WIDTH: Final = 10_000
"""For what may be as wide as it needs to be in a pipe: a line there is one piece to copy."""
IN_ASCII: Final = str.maketrans({"─": "-", "·": "-", "±": "+-", "…": "...", "●": "o"})
"""What is written where stdout can only write ASCII."""
LINES_AROUND: Final = 3
"""What a living block leaves free of the screen's height."""


def has_colour() -> bool:
    """Whether stdout is a terminal on which colour is wanted."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stdout.isatty()


class Screen:
    """The stdout that is printed on: in colour on a terminal that has it, as plain text elsewhere.

    Args:
        plain_width: how wide lines may be where there is no terminal.
    """

    def __init__(self, plain_width: int = PLAIN_WIDTH) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False)
        self._has_colour = self._console.color_system is not None and not self._console.no_color
        if self._console.width < 1:  # as COLUMNS may say: Rich would print nothing
            self._console.width = PLAIN_WIDTH
        self.width = self._console.width if sys.stdout.isatty() else plain_width

    def say(self, text: str = "", style: str = "") -> None:
        """Print a line."""
        self._print([[Piece(text, style)]])

    def show(self, blocks: Iterable[Block | Section]) -> None:
        """Print what is said of something, as wide as the screen."""
        self._print(lines_of(blocks, self.width, mark=not self._has_colour))

    def _print(self, lines: Iterable[Line]) -> None:
        """Print lines; they are never broken."""
        plain = not _writes("─·±…●")
        for line in lines:
            pieces = ((_shown(piece.text, plain), piece.style) for piece in line)
            text = Text.assemble(*((piece, STYLES[style]) for piece, style in pieces))
            text.rstrip()
            self._console.print(text, soft_wrap=True)


def _shown(text: str, plain: bool) -> str:
    """Text as it is printed: whatever it comes from, nothing in it tells the terminal what to do."""
    text = printable(text)
    return text.translate(IN_ASCII) if plain else text


def _writes(letters: str) -> bool:
    """Whether stdout can write such letters."""
    try:
        letters.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


class LivingBlock:
    """Lines on stderr that are drawn over again and again, and are gone in the end."""

    def __init__(self) -> None:
        self._console = Console(
            stderr=True, force_terminal=True, highlight=False, markup=False, emoji=False
        )
        self._live: Live | None = None

    @property
    def room(self) -> int:
        """How many lines there may be below the first."""
        return self._console.height - LINES_AROUND

    def show(self, text: str) -> None:
        """Draw a text in place of the one before."""
        if self._live is None:
            # What is printed on stderr meanwhile goes above it. Stdout stays what it is: it may be a pipe.
            self._live = Live(
                console=self._console, auto_refresh=False, transient=True, redirect_stdout=False
            )
            self._live.start()
        lines = map(printable, text.split("\n"))
        self._live.update(Text("\n".join(lines)), refresh=True)

    def clear(self) -> None:
        """Take it off the screen; it can be shown again."""
        if self._live is not None:
            self._live.stop()
            self._live = None
