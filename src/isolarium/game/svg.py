"""Draw a position as a self-contained SVG, in the colours that pages, reports, charts and drawings share.

The drawing has its own frame, so it looks the same on light and dark pages. It uses neither ids nor
style sheets, so a page can contain any number of boards. The colours are read from the pages' tokens.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from isolarium.game.board import COLUMN_LETTERS, Board, Square
from isolarium.game.position import Player, Position
from isolarium.safe_files import own_text

if TYPE_CHECKING:
    from isolarium.game.record import GameRecord

TOKENS: Final = "web/pages/shared/tokens.css"
_VALUE: Final = re.compile(r"--([a-z0-9-]+): (?:light-dark\((#[0-9a-f]+), #[0-9a-f]+\)|(#[0-9a-f]+));")
_THEMES: Final = "\n/* Themes"


def style() -> str:
    """Return the tokens as a style sheet, without the themes of the board."""
    return own_text(TOKENS).partition(_THEMES)[0]


def colour(name: str) -> str:
    """Return a colour; of a pair, the light one."""
    return _colours()[name]


def scale(name: str) -> tuple[str, ...]:
    """Return the colours of a scale, from the least to the most."""
    return tuple(value for key, value in _colours().items() if re.fullmatch(rf"{name}-\d", key))


@cache
def _colours() -> dict[str, str]:
    return {name: pair or one for name, pair, one in _VALUE.findall(style())}


CELL = 44
LABELS = 26  # the frame above and to the left of the board, with the coordinates
MARGIN = 12  # the frame below and to the right of the board
GAP = 1.5

PLAYER_COLOURS = (colour("drawn-first"), colour("drawn-second"))  # blue and orange, distinct in every colour vision
PLAYER_SHAPES = ("blue circle", "orange square")
FRAME_COLOUR = "#e9e6df"
GRID_COLOUR = colour("drawn-grid")
BLANK_COLOUR = colour("heat-0")
BLOCKED_COLOUR = colour("blocked")
LABEL_COLOUR = "#5c574c"
PIECE_COLOUR = "#ffffff"

# A knight's head facing left, about 20 wide and 22 high, centred on (0, 0).
KNIGHT_PATH = (
    "M-6.6 10.4 C-6.2 5.6 -2.2 3.8 -1.4 -0.6 C-3.2 0.9 -4.6 1.2 -5.8 1.4 C-6.4 2.6 -7.4 3 -8.2 2.2 "
    "C-9 1.5 -8.9 0.6 -8.3 -0.4 C-7 -2.4 -6.2 -4 -5.7 -5.6 C-5.1 -7.2 -4.3 -8 -3.2 -8.5 "
    "L-2.9 -10.8 L-0.8 -9 C5 -8.8 8.6 -3.6 8.2 3.4 C8 6.4 7.6 8.4 7.6 10.4 Z"
)


def draw_svg(
    position: Position,
    *,
    last_move: Square | None = None,
    legal: bool = True,
    trail: Sequence[Square] = (),
    tints: Mapping[Square, str] = MappingProxyType({}),
) -> str:
    """Draw a position as SVG.

    Args:
        position: The position to draw.
        last_move: A square to mark with a ring.
        legal: Whether to mark the legal moves with dots in the colour of the player to move.
        trail: The destination squares in order of play, from which each player's path is drawn.
        tints: The colours of some blank squares, such as ``#a9cdf1``.

    Raises:
        InputError: If a square of ``last_move`` or ``trail`` is off the board.
    """
    return "\n".join(_elements(position, last_move, legal, trail, tints))


def draw_game(game: "GameRecord", *, legal: bool = True, tints: Mapping[Square, str] = MappingProxyType({})) -> str:
    """Draw a game's last position as SVG, with each player's path."""
    start = game.start
    before = [square for square in (start.mover, start.other) if square is not None]
    return draw_svg(
        game.position,
        last_move=game.moves[-1] if game.moves else None,
        legal=legal,
        trail=(*before, *game.moves),
        tints=tints,
    )


def describe(position: Position) -> str:
    """Describe a position in words, for readers who cannot see the picture."""
    players = [_describe_player(position, player) for player in Player]
    outcome = position.outcome()
    turn = f"{position.to_move} to {'place' if position.placing else 'move'}"
    end = turn if outcome is None else str(outcome)
    return f"Knight Isolation on {position.board}: {', '.join(players)}; {end}"


def _describe_player(position: Position, player: Player) -> str:
    square = position.square_of(player)
    place = "not placed" if square is None else f"on {square}"
    return f"{player} player ({PLAYER_SHAPES[player]}) {place}"


def _elements(
    position: Position, last_move: Square | None, legal: bool, trail: Sequence[Square], tints: Mapping[Square, str]
) -> Iterator[str]:
    board = position.board
    width, height = LABELS + board.cols * CELL + MARGIN, LABELS + board.rows * CELL + MARGIN
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">'
    )
    yield f"<title>{describe(position)}</title>"
    yield f'<rect width="{width}" height="{height}" rx="10" fill="{FRAME_COLOUR}"/>'
    yield from _labels(board)
    yield from _cells(position, tints)
    yield from _trails(position, trail)
    if legal:
        yield from _dots(position)
    for player in Player:
        square = position.square_of(player)
        if square is not None:
            yield from _piece(player, board, square)
    if last_move is not None:
        yield _ring(board, last_move, position.to_move.other)
    yield "</svg>"


def _centre(board: Board, square: Square) -> tuple[float, float]:
    row, col = divmod(board.index(square), board.cols)  # index() raises for squares off the board
    return LABELS + (col + 0.5) * CELL, LABELS + (row + 0.5) * CELL


def _labels(board: Board) -> Iterator[str]:
    yield (
        f'<g fill="{LABEL_COLOUR}" font-family="system-ui, -apple-system, Segoe UI, Helvetica, '
        'Arial, sans-serif" font-size="13" text-anchor="middle">'
    )
    for col in range(board.cols):
        x = LABELS + (col + 0.5) * CELL
        yield f'<text x="{x:g}" y="{LABELS / 2:g}" dy=".35em">{COLUMN_LETTERS[col]}</text>'
    for row in range(board.rows):
        y = LABELS + (row + 0.5) * CELL
        yield f'<text x="{LABELS / 2:g}" y="{y:g}" dy=".35em">{row + 1}</text>'
    yield "</g>"


def _cells(position: Position, tints: Mapping[Square, str]) -> Iterator[str]:
    board = position.board
    yield (
        f'<rect x="{LABELS}" y="{LABELS}" width="{board.cols * CELL}" '
        f'height="{board.rows * CELL}" fill="{GRID_COLOUR}"/>'
    )
    standing = {position.first, position.second}
    for square in board.squares:
        free = position.is_blank(square) or square in standing
        fill = escape(tints.get(square, BLANK_COLOUR)) if free else BLOCKED_COLOUR
        yield (
            f'<rect x="{LABELS + square.col * CELL + GAP / 2:g}" '
            f'y="{LABELS + square.row * CELL + GAP / 2:g}" '
            f'width="{CELL - GAP:g}" height="{CELL - GAP:g}" '
            f'fill="{fill}"/>'
        )


def _trails(position: Position, trail: Sequence[Square]) -> Iterator[str]:
    board = position.board
    for player in Player:
        # The player not to move made the latest move, and the players alternate.
        latest = len(trail) - 1 if player != position.to_move else len(trail) - 2
        centres = [_centre(board, square) for square in trail[latest % 2 : latest + 1 : 2]]
        if len(centres) < 2:
            continue
        points = " ".join(f"{x:g},{y:g}" for x, y in centres)
        drawn = PLAYER_COLOURS[player]
        yield (
            f'<polyline points="{points}" fill="none" stroke="{drawn}" stroke-width="2" '
            'stroke-linejoin="round" stroke-linecap="round"/>'
        )
        first, *later = centres
        yield _mark(player, first, 4.5, f'fill="{BLOCKED_COLOUR}" stroke="{drawn}" stroke-width="2"')
        for centre in later:
            yield _mark(player, centre, 3.5, f'fill="{drawn}"')


def _mark(player: Player, centre: tuple[float, float], radius: float, look: str) -> str:
    """Return a small mark in the shape of the player's piece: a circle or a square."""
    x, y = centre
    if player is Player.FIRST:
        return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" {look}/>'
    return f'<rect x="{x - radius:g}" y="{y - radius:g}" width="{2 * radius:g}" height="{2 * radius:g}" {look}/>'


def _dots(position: Position) -> Iterator[str]:
    drawn = PLAYER_COLOURS[position.to_move]
    for square in position.legal_moves():
        x, y = _centre(position.board, square)
        yield f'<circle cx="{x:g}" cy="{y:g}" r="5.5" fill="{drawn}"/>'


def _piece(player: Player, board: Board, square: Square) -> Iterator[str]:
    x, y = _centre(board, square)
    yield f'<g transform="translate({x:g} {y:g})">'
    if player is Player.FIRST:
        yield f'<circle r="16.5" fill="{PLAYER_COLOURS[player]}"/>'
    else:
        yield (f'<rect x="-15" y="-15" width="30" height="30" rx="6" fill="{PLAYER_COLOURS[player]}"/>')
    yield f'<path d="{KNIGHT_PATH}" fill="{PIECE_COLOUR}"/>'
    yield "</g>"


def _ring(board: Board, square: Square, player: Player) -> str:
    x, y = _centre(board, square)
    return f'<circle cx="{x:g}" cy="{y:g}" r="20.5" fill="none" stroke="{PLAYER_COLOURS[player]}" stroke-width="2"/>'
