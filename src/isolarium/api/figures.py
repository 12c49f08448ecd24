"""Boards and charts as pictures, which notebooks show and files keep."""

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType

from isolarium.api.arguments import read_path
from isolarium.errors import InputError, check_kind, quoted, shown
from isolarium.game.board import Board, Square
from isolarium.game.notation import parse_start
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, read_game
from isolarium.game.svg import describe, draw_game

ENDINGS = (".svg", ".png")
ROOT = re.compile(r"<svg\b[^>]*>")
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+")


class Picture:
    """A drawing, which a notebook shows.

    Args:
        svg: the drawing.
        words: what is on it, for those who do not see it.

    Attributes:
        svg: the drawing, as the text of an SVG file, which says in its title what is on it.
        words: what is on it.
    """

    def __init__(self, svg: str, words: str) -> None:
        self.svg, self.words = _titled(svg, words), words

    def save(self, path: str | Path) -> Path:
        """Write it to a file that ends in .svg or .png; its path.

        Raises:
            InputError: it ends in something else, or cannot be written.
        """
        path = read_path("path", path, f"a file that ends in {' or '.join(ENDINGS)}")
        if path.suffix.lower() not in ENDINGS:
            told = f"expected a file that ends in {' or '.join(ENDINGS)}"
            raise InputError(f"{shown(str(path))}: {told}")
        data = self.svg.encode()
        if path.suffix.lower() == ".png":
            # Inside: what draws takes longer to load than all the rest.
            from isolarium.reporting.charts.chart import png

            data = png(self.svg)
        try:
            path.write_bytes(data)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}; expected a file to write to") from None
        return path

    def __repr__(self) -> str:
        return f"<picture: {self.words}>"

    def _repr_svg_(self) -> str:
        """Show it in a notebook."""
        return self.svg


def _titled(svg: str, words: str) -> str:
    """A drawing with a title, which is read to those who do not see it; boards have one."""
    root = ROOT.search(svg)
    if root is None or "<title>" in svg:
        return svg
    tag = root[0] if "role=" in root[0] else f'{root[0][:-1]} role="img">'
    return f"{svg[: root.start()]}{tag}<title>{escape(words)}</title>{svg[root.end() :]}"


def draw(
    what: str | Position | GameRecord,
    *,
    legal: bool = True,
    tints: Mapping[Square, str] = MappingProxyType({}),
) -> Picture:
    """Draw a position, or a game where it stands with the ways that the players went.

    Args:
        what: a position or a game, or the text of one.
        legal: whether the squares that the player to move may go to carry a dot.
        tints: colours of blank squares, such as `#a9cdf1`.

    Raises:
        InputError: the text is neither, or a tint is no colour of a square of the board.

    Example:
        >>> isolarium.draw("5x5: c3 b1 a4")
        <picture: Knight Isolation on 5x5: first player (blue circle) on a4, ...>
    """
    if isinstance(what, str):
        what = read_game(what) if ":" in what else parse_start(what)
    check_kind("what", what, (Position, GameRecord), "a position or a game")
    game = GameRecord(what) if isinstance(what, Position) else what
    check_kind("legal", legal, bool, "True or False")
    _check_tints(tints, game.start.board)
    return Picture(draw_game(game, legal=legal, tints=tints), describe(game.position))


def _check_tints(tints: object, board: Board) -> None:
    check_kind("tints", tints, Mapping, "a dict of squares and their colours")
    assert isinstance(tints, Mapping)
    for square, colour in tints.items():
        board.index(square)
        if not (isinstance(colour, str) and COLOUR.fullmatch(colour)):
            raise InputError(
                f"tints: {square} {quoted(colour)}: expected a colour, such as #a9cdf1"
            )
