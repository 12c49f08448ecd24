"""Positions as text; ``board.py`` has the text of squares and boards.

A position is one line, ``7/7/2A4/3x3/4B2/7/7 a``: the rows from the top joined by ``/``, in which a number is a run of
blank squares, ``x`` a blocked square and ``A`` and ``B`` the first and second player; then a space and the side to
move, ``a`` or ``b``.

``format_x`` writes one canonical spelling. ``parse_x`` accepts only this spelling, with optional surrounding spaces and
line ends.
"""

import re

from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import MAX_SIDE, MIN_SIDE, NUMBER, SIDES, Board, Square, board_named
from isolarium.game.position import Player, Position

EXAMPLE = "7/7/2A4/3x3/4B2/7/7 a"

_ROW_TOKEN = re.compile(r"[0-9]+|.", re.DOTALL)
_SIDE_LETTERS = {"a": Player.FIRST, "b": Player.SECOND}


def parse_start(text: str) -> Position:
    """Parse the start of a game: an empty board such as ``7x7``, or a position.

    Raises:
        InputError: If the text is neither.
    """
    check_kind("start", text, str, "text such as 7x7")
    if "/" in text:
        return parse_position(text)
    board = board_named(text)
    if board is None:
        raise InputError(
            f"start {quoted(text)}: expected a board such as 7x7, {SIDES}, or a position such as {EXAMPLE}"
        )
    return Position.empty(board)


def read_start(what: str, start: object) -> Position:
    """Return a start as a position; it may be given as a board or as text.

    Raises:
        InputError: If the start is not a position, a board or valid text. The message starts with ``what``.
    """
    if isinstance(start, Board):
        return Position.empty(start)
    if isinstance(start, str):
        return parse_start(start)
    check_kind(what, start, Position, "a position, or text such as 7x7")
    assert isinstance(start, Position)
    return start


def parse_position(text: str) -> Position:
    """Parse a position such as ``7/7/2A4/3x3/4B2/7/7 a``.

    Raises:
        InputError: If the text is malformed or the position is impossible; the message names the row.
    """
    check_kind("position", text, str, f"text such as {EXAMPLE}")
    try:
        return _read_position(text.strip())
    except InputError as error:
        raise error.at(f"position {quoted(text)}") from None


def _read_position(text: str) -> Position:
    grid, space, side = text.partition(" ")
    if not space:
        raise InputError(f"no side to move; expected rows, a space, then a or b: {EXAMPLE}")
    if side not in _SIDE_LETTERS:
        raise InputError(f"side to move {quoted(side)}; expected a or b after one space")
    rows = grid.split("/")
    if not MIN_SIDE <= len(rows) <= MAX_SIDE:
        raise InputError(f"{len(rows)} rows; expected {MIN_SIDE} to {MAX_SIDE}")
    cells = [_read_row(row, number) for number, row in enumerate(rows, start=1)]
    board = _board_of(cells)
    return Position(
        board,
        board.mask_of(square for square in board.squares if cells[square.row][square.col] == "."),
        _find_player("A", cells),
        _find_player("B", cells),
        _SIDE_LETTERS[side],
    )


def _read_row(text: str, number: int) -> str:
    """Expand a row to one character for each square, with '.' for blank squares."""
    squares = ""
    for token in _ROW_TOKEN.findall(text):
        if token in ("x", "A", "B"):
            squares += token
        elif not token[0].isascii() or not token[0].isdigit():
            raise InputError(f"row {number}: {quoted(token)}; expected numbers, x, A or B")
        elif not re.fullmatch(NUMBER, token) or int(token) > MAX_SIDE:
            raise InputError(f"row {number}: {quoted(token)} blanks; expected a run from 1 to {MAX_SIDE}")
        else:
            squares += "." * int(token)
    return squares


def _board_of(cells: list[str]) -> Board:
    cols = len(cells[0])
    if not MIN_SIDE <= cols <= MAX_SIDE:
        raise InputError(f"row 1: {cols} squares; expected {MIN_SIDE} to {MAX_SIDE}")
    for number, row in enumerate(cells, start=1):
        if len(row) != cols:
            raise InputError(f"row {number}: {len(row)} squares where the board has {cols}")
    return Board(len(cells), cols)


def _find_player(letter: str, cells: list[str]) -> Square | None:
    found = [
        Square(row, col) for row, squares in enumerate(cells) for col, cell in enumerate(squares) if cell == letter
    ]
    if len(found) > 1:
        raise InputError(f"row {found[1].row + 1}: a second {letter} on {found[1]}; expected at most one")
    return found[0] if found else None


def format_position(position: Position) -> str:
    """Format a position as one line that ``parse_position`` can read."""
    check_kind("position", position, Position, "a Position")
    board = position.board
    cells = ["." if position.blank >> index & 1 else "x" for index in range(board.size)]
    for square, letter in ((position.first, "A"), (position.second, "B")):
        if square is not None:
            cells[board.index(square)] = letter
    rows = ("".join(cells[at : at + board.cols]) for at in range(0, board.size, board.cols))
    return f"{'/'.join(map(_format_row, rows))} {'ab'[position.to_move]}"


def _format_row(cells: str) -> str:
    return re.sub(r"\.+", lambda run: str(len(run[0])), cells)
