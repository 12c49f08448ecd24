"""The terminal that a game is shown on, and the few ways of showing a game there."""

import sys
from collections.abc import Mapping
from dataclasses import astuple, replace

from rich.console import Console
from rich.text import Text

from isolarium.cli.console import has_colour
from isolarium.game.outcome import Outcome, Player, Reason
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, format_game
from isolarium.game.text_board import (
    ASCII,
    COLOURED,
    TRAIL_STYLES,
    UNICODE,
    Drawing,
    Glyphs,
    board_height,
    draw_board,
)
from isolarium.search.protocol import Report

LINES_AROUND_BOARD = 5
"""What a turn shows besides the board: who plays, the last move, the prompt, and air."""


class GameScreen:
    """Shows a game on stdout: in colour on a terminal that has it, as plain text elsewhere.

    Args:
        names: What to call the players.
    """

    def __init__(self, names: Mapping[Player, str]) -> None:
        self.names = names
        self._endless = not sys.stdout.isatty()
        self._glyphs = _glyphs()
        self._console = Console(
            highlight=False, markup=False, color_system="auto" if has_colour() else None
        )

    def say(self, *parts: str | Text) -> None:
        """Show a line; it is never broken, so that it can be copied."""
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
        """Show who plays whom, and the details of the game."""
        more = "".join(f" · {detail}" for detail in details)
        self.say(self.name(Player.FIRST), " vs ", self.name(Player.SECOND), more)

    def show_turn(self, position: Position) -> None:
        """Show a position, with the squares to go to numbered from 1."""
        numbers = {square: number for number, square in enumerate(position.legal_moves(), start=1)}
        self._show(Drawing(position, choices=numbers))

    def show_trail(self, record: GameRecord) -> None:
        """Show the last position with the number of the ply in each square that was taken."""
        movers = (record.start.to_move, record.start.to_move.other)
        trail = {square: (ply + 1, movers[ply % 2]) for ply, square in enumerate(record.moves)}
        self._show(Drawing(record.position, trail=trail))

    def show_record(self, record: GameRecord) -> None:
        """Show how the game stands or ended, and the game as one line to paste."""
        plies = "1 ply" if len(record.moves) == 1 else f"{len(record.moves)} plies"
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
        roomy = self._endless or needed <= self._console.size.height
        drawn = draw_board(replace(drawing, glyphs=self._glyphs, roomy=roomy))
        self._console.print(drawn, soft_wrap=True)


def _glyphs() -> Glyphs:
    """Return the best characters that stdout can write."""
    glyphs = COLOURED if has_colour() else UNICODE
    try:
        "".join(astuple(glyphs)).encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return ASCII
    return glyphs


def format_report(report: Report) -> str:
    """What an agent says about its move: the figures that it gave, each after a dot; nothing where it gave none."""
    figures = []
    if report.score is not None and report.proven:
        figures.append("proven win" if report.score > 0 else "proven loss")
    elif report.score is not None:
        figures.append(f"score {report.score:+g}")
    if report.depth:
        figures.append(f"depth {report.depth}")
    if report.nodes:
        nodes = "1 node" if report.nodes == 1 else f"{report.nodes:,} nodes"
        figures.append(f"{nodes} in {report.time_ms:.2f} ms")
    return "".join(f" · {figure}" for figure in figures)
