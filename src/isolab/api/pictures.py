"""Boards and charts as pictures, which notebooks show and files keep."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from isolab.errors import InputError, check_kind
from isolab.game.board import Square
from isolab.game.notation import parse_start
from isolab.game.position import Position
from isolab.game.record import GameRecord, read_game
from isolab.game.svg import describe, draw_game

ENDINGS = (".svg", ".png")


class Picture:
    """A drawing, which a notebook shows.

    Args:
        svg: the drawing.
        words: what is on it, for those who do not see it.

    Attributes:
        svg: the drawing, as the text of an SVG file.
        words: what is on it.
    """

    def __init__(self, svg: str, words: str) -> None:
        self.svg, self.words = svg, words

    def save(self, path: str | Path) -> Path:
        """Write it to a file that ends in .svg or .png; its path.

        Raises:
            InputError: it ends in something else, or cannot be written.
        """
        path = Path(path)
        if path.suffix.lower() not in ENDINGS:
            raise InputError(f"{path}: expected a file that ends in {' or '.join(ENDINGS)}")
        data = self.svg.encode()
        if path.suffix.lower() == ".png":
            # Inside: what draws takes longer to load than all the rest.
            from isolab.reporting.charts.chart import png

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
        InputError: the text is neither.

    Example:
        >>> isolab.draw("5x5: c3 b1 a4")
        <picture: Knight Isolation on 5x5: first player (blue circle) on a4, ...>
    """
    if isinstance(what, str):
        what = read_game(what) if ":" in what else parse_start(what)
    check_kind("what", what, (Position, GameRecord), "a position or a game")
    game = GameRecord(what) if isinstance(what, Position) else what
    return Picture(draw_game(game, legal=legal, tints=tints), describe(game.position))
