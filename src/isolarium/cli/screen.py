"""Output on stdout with Rich: tables and lines, and a game in the terminal."""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import astuple, replace
from typing import Final

from rich.console import Console
from rich.text import Text

from isolarium.game.position import Outcome, Player, Position, Reason
from isolarium.game.record import GameRecord, format_game
from isolarium.game.text_board import ASCII, COLOURED, TRAIL_STYLES, UNICODE, Drawing, Glyphs, board_height, draw_board
from isolarium.reporting.model import Block, Section
from isolarium.reporting.terminal import Line, Piece, lines_of
from isolarium.search.protocol import Report
from isolarium.text import counted, printable

STYLES: Final = {"head": "bold", "best": "bold green", "note": "dim", "": ""}
PIPE_WIDTH: Final = 80
"""The width of output that is not a terminal, unless COLUMNS is set."""
ANY_WIDTH: Final = 10_000
"""The width of piped output that is not wrapped, so that lines can be copied."""
IN_ASCII: Final = str.maketrans({"─": "-", "·": "-", "±": "+-", "…": "...", "●": "o"})
"""Replacements for a stdout that can only write ASCII."""
LINES_AROUND_BOARD: Final = 5
"""The number of lines of a turn other than the board's."""


def has_colour() -> bool:
    """Return whether stdout is a terminal and colour is wanted."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stdout.isatty()


class Screen:
    """Prints on stdout, in colour if the terminal supports it.

    Args:
        plain_width: the line width if stdout is not a terminal; by default COLUMNS or 80.
    """

    def __init__(self, plain_width: int | None = None) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False)
        self._has_colour = self._console.color_system is not None and not self._console.no_color
        if self._console.width < 1:  # With COLUMNS=0 Rich would print nothing.
            self._console.width = PIPE_WIDTH
        self.width = self._console.width if sys.stdout.isatty() else plain_width or _pipe_width()

    def say(self, text: str = "", style: str = "") -> None:
        """Print a line."""
        self._print([[Piece(text, style)]])

    def show(self, blocks: Iterable[Block | Section]) -> None:
        """Print facts and tables, as wide as the screen."""
        self._print(lines_of(blocks, self.width, mark=not self._has_colour))

    def _print(self, lines: Iterable[Line]) -> None:
        """Print lines without wrapping them."""
        plain = not _can_print("─·±…●")
        for line in lines:
            pieces = ((_shown(piece.text, plain), piece.style) for piece in line)
            text = Text.assemble(*((piece, STYLES[style]) for piece, style in pieces))
            text.rstrip()
            self._console.print(text, soft_wrap=True)


def _pipe_width() -> int:
    """Return COLUMNS if it is a positive number, otherwise 80."""
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else PIPE_WIDTH


def _shown(text: str, plain: bool) -> str:
    """Return text without the control characters that a terminal would interpret."""
    text = printable(text)
    return text.translate(IN_ASCII) if plain else text


def _can_print(letters: str) -> bool:
    """Return whether stdout's encoding can represent these characters."""
    try:
        letters.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


# A game


class GameScreen:
    """Shows a game on stdout, in colour if the terminal supports it.

    Args:
        names: the players' names.
    """

    def __init__(self, names: Mapping[Player, str]) -> None:
        self.names = names
        self._is_pipe = not sys.stdout.isatty()
        self._glyphs = _glyphs()
        self._console = Console(highlight=False, markup=False, color_system="auto" if has_colour() else None)

    def say(self, *parts: str | Text) -> None:
        """Print a line without wrapping it, so that it can be copied."""
        line = Text.assemble(*parts)
        if self._glyphs is ASCII:
            line.plain = line.plain.replace("·", "-")
        self._console.print(line, soft_wrap=True)

    def name(self, player: Player) -> Text:
        """Return a player's badge and name in the player's colour."""
        return Text(f"{player.badge} {self.names[player]}", TRAIL_STYLES[player])

    @property
    def name_width(self) -> int:
        """The width of the longer of the two names."""
        return max(len(self.name(player)) for player in Player)

    def show_players(self, *details: str) -> None:
        """Print the players and the details of the game."""
        more = "".join(f" · {detail}" for detail in details)
        self.say(self.name(Player.FIRST), " vs ", self.name(Player.SECOND), more)

    def show_turn(self, position: Position) -> None:
        """Draw a position with its legal moves numbered from 1."""
        numbers = {square: number for number, square in enumerate(position.legal_moves(), start=1)}
        self._show(Drawing(position, choices=numbers))

    def show_trail(self, record: GameRecord) -> None:
        """Draw the last position, with the ply at which each square was visited."""
        movers = (record.start.to_move, record.start.to_move.other)
        trail = {square: (ply + 1, movers[ply % 2]) for ply, square in enumerate(record.moves)}
        self._show(Drawing(record.position, trail=trail))

    def show_record(self, record: GameRecord) -> None:
        """Print the result of the game so far, and the game as one line to paste."""
        plies = counted(len(record.moves), "ply", "plies")
        outcome = record.outcome()
        if outcome is None:
            self.say(f"Not finished after {plies}.")
        else:
            self.say(self.name(outcome.winner), " won in ", plies, ": ", *self._why(outcome))
        self.say("Record: ", format_game(record))

    def _why(self, outcome: Outcome) -> tuple[Text, str]:
        why = "has no move left" if outcome.reason is Reason.NO_MOVES else f"lost: {outcome.reason}"
        return self.name(outcome.loser), f" {why}."

    def _show(self, drawing: Drawing) -> None:
        board = drawing.position.board
        needed = board_height(board, roomy=True) + LINES_AROUND_BOARD
        roomy = self._is_pipe or needed <= self._console.size.height
        drawn = draw_board(replace(drawing, glyphs=self._glyphs, roomy=roomy))
        self._console.print(drawn, soft_wrap=True)


def _glyphs() -> Glyphs:
    """Return the best characters that stdout can print."""
    glyphs = COLOURED if has_colour() else UNICODE
    return glyphs if _can_print("".join(astuple(glyphs))) else ASCII


def format_report(report: Report) -> str:
    """Return the figures in an agent's report, each after a dot; empty if none."""
    figures = []
    if report.score is not None and report.proven:
        figures.append("proven win" if report.score > 0 else "proven loss")
    elif report.score is not None:
        figures.append(f"score {report.score:+g}")
    if report.depth:
        figures.append(f"depth {report.depth}")
    if report.nodes:
        figures.append(f"{counted(report.nodes, 'node')} in {report.time_ms:.2f} ms")
    return "".join(f" · {figure}" for figure in figures)
