"""Draw a position in characters, with colours that a plain terminal ignores.

In the roomy form each square is a cell of a grid, three characters wide:

          a   b   c   d
        ┌───┬───┬───┬───┐
      1 │   │(A)│   │ 2 │ 1        (A) and [B]   the players, round and square
        ├───┼───┼───┴───┤          2             a legal move, by its number
      2 │[B]│ 1 │░░░░░░░│ 2        ░░░           blocked; adjacent squares merge
        ├───┼───┼───┬───┤

The compact form omits the lines between rows, for boards taller than the terminal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rich.text import Text

from isolarium.game.board import COLUMN_LETTERS, Board, Square
from isolarium.game.position import Player, Position

PLAYER_STYLES = {
    Player.FIRST: "bold bright_white on color(26)",  # blue
    Player.SECOND: "bold black on color(208)",  # orange
}
TRAIL_STYLES = {Player.FIRST: "color(33)", Player.SECOND: "color(208)"}
CHOICE_STYLE = "bold green"
LINE_STYLE = "bright_black"

UP, RIGHT, DOWN, LEFT = 1, 2, 4, 8


@dataclass(frozen=True)
class Glyphs:
    """The characters used to draw a board.

    Attributes:
        lines: The line-drawing characters, indexed by the sum of their arms.
        gone: Fills a blocked square.
        blank: Marks a blank square in the compact form.
    """

    lines: str
    gone: str
    blank: str


UNICODE = Glyphs(lines=" ╵╶└╷│┌├╴┘─┴┐┤┬┼", gone="░", blank="·")
COLOURED = replace(UNICODE, gone="█")  # Only for the dark colour: bright blocks would dominate.
ASCII = Glyphs(lines=" |-+||++-+-+++++", gone="#", blank=".")


@dataclass(frozen=True)
class Drawing:
    """The contents and style of a drawing.

    Attributes:
        position: The position.
        choices: The squares to choose from, each with its number.
        trail: The squares that the players have left, with the ply and the player of the move to each.
        glyphs: The characters to draw with.
        roomy: Whether to draw lines between the squares.
    """

    position: Position
    choices: Mapping[Square, int] = field(default_factory=dict)
    trail: Mapping[Square, tuple[int, Player]] = field(default_factory=dict)
    glyphs: Glyphs = UNICODE
    roomy: bool = True


def board_height(board: Board, *, roomy: bool) -> int:
    """Return the number of lines in a drawing of the board."""
    return 2 * board.rows + 3 if roomy else board.rows + 2


def draw_board(drawing: Drawing) -> Text:
    """Draw the board with coordinates on all sides, without a final line end."""
    board = drawing.position.board
    columns = "    " + "".join(f"  {letter} " for letter in COLUMN_LETTERS[: board.cols])
    lines = [Text(columns.rstrip())]
    for row in range(board.rows):
        if drawing.roomy:
            lines.append(_line_above(drawing, row))
        lines.append(_row(drawing, row))
    if drawing.roomy:
        lines.append(_line_above(drawing, board.rows))
    lines.append(lines[0])
    return Text("\n").join(lines)


def _row(drawing: Drawing, row: int) -> Text:
    cols = drawing.position.board.cols
    line = Text(f"{row + 1:>3} ")
    for col in range(cols):
        line.append(_upright(drawing, row, col), LINE_STYLE)
        line.append_text(_cell(drawing, Square(row, col)))
    line.append(_upright(drawing, row, cols), LINE_STYLE)
    return line.append(f" {row + 1}")


def _cell(drawing: Drawing, square: Square) -> Text:
    for player in Player:
        if square == drawing.position.square_of(player):
            return Text(player.badge, PLAYER_STYLES[player])
    if square in drawing.choices:
        return Text(f"{drawing.choices[square]:^3}", CHOICE_STYLE)
    if square in drawing.trail:
        ply, player = drawing.trail[square]
        return Text(f"{ply:^3}", TRAIL_STYLES[player])
    if not drawing.position.is_blank(square):
        return Text(3 * drawing.glyphs.gone, LINE_STYLE)
    return Text("   " if drawing.roomy else f" {drawing.glyphs.blank} ", LINE_STYLE)


def _upright(drawing: Drawing, row: int, col: int) -> str:
    """Return the character to the left of a square."""
    if _has_upright(drawing, row, col) and drawing.roomy:
        return drawing.glyphs.lines[UP + DOWN]
    return _filling(drawing, (row, col - 1), (row, col))


def _line_above(drawing: Drawing, row: int) -> Text:
    cols = drawing.position.board.cols
    line = "    "
    for col in range(cols):
        line += _joint(drawing, row, col)
        if _has_level(drawing, row, col):
            line += 3 * drawing.glyphs.lines[LEFT + RIGHT]
        else:
            line += 3 * _filling(drawing, (row - 1, col), (row, col))
    return Text((line + _joint(drawing, row, cols)).rstrip(), LINE_STYLE)


def _joint(drawing: Drawing, row: int, col: int) -> str:
    """Return the character at the upper left corner of a square."""
    arms = (
        UP * _has_upright(drawing, row - 1, col)
        + RIGHT * _has_level(drawing, row, col)
        + DOWN * _has_upright(drawing, row, col)
        + LEFT * _has_level(drawing, row, col - 1)
    )
    if arms:
        return drawing.glyphs.lines[arms]
    return _filling(drawing, (row - 1, col - 1), (row - 1, col), (row, col - 1), (row, col))


def _has_upright(drawing: Drawing, row: int, col: int) -> bool:
    return _is_there(drawing, row, col - 1) or _is_there(drawing, row, col)


def _has_level(drawing: Drawing, row: int, col: int) -> bool:
    return _is_there(drawing, row - 1, col) or _is_there(drawing, row, col)


def _filling(drawing: Drawing, *around: tuple[int, int]) -> str:
    """Return the character that replaces an omitted line, so that blocked squares merge."""
    board = drawing.position.board
    melted = all(Square(*place) in board and not _is_there(drawing, *place) for place in around)
    return drawing.glyphs.gone if melted else " "


def _is_there(drawing: Drawing, row: int, col: int) -> bool:
    """Return whether a square is on the board and not drawn as blocked."""
    position, square = drawing.position, Square(row, col)
    if square not in position.board:
        return False
    taken = square in (position.first, position.second) or square in drawing.trail
    return taken or position.is_blank(square)
