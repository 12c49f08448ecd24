"""The notation of Fairy-Stockfish and other engines with its variant `joust`: our game in UCI.

The first player is White. **Ranks count from the bottom**, so our row 1 is the highest rank. Blocked squares are walls,
`*` in a position. A move names the squares from and to, and after a comma the wall that it leaves: `d4c2,c2d4`. Both
knights are on the board from the start; there are no placing moves. On boards other than 8x8 the engine needs a variant
of ours, which it reads from a file.
"""

import re
from pathlib import Path
from typing import Final

from isolarium.errors import InputError, quoted
from isolarium.game.board import COLUMN_LETTERS, Board, Square
from isolarium.game.position import Position

VARIANT: Final = "joust"
MOST_ROWS: Final = 10
MOST_COLS: Final = 12
OWN_BOARD: Final = Board(8, 8)
_MOVE: Final = re.compile(
    r"([a-l][0-9]{1,2})([a-l][0-9]{1,2})(?:,[a-l][0-9]{1,2}([a-l][0-9]{1,2}))?"
)


def variant_of(board: Board) -> str:
    """Return the name of the variant for a board.

    Raises:
        InputError: If the board is too large.
    """
    if board.rows > MOST_ROWS or board.cols > MOST_COLS:
        most = f"at most {MOST_ROWS} rows and {MOST_COLS} columns"
        raise InputError(f"board {board}: expected {most} for {VARIANT}")
    return VARIANT if board == OWN_BOARD else f"isolarium_{board}"


def write_variant(board: Board, folder: Path) -> Path:
    """Write the file with the variant for a board."""
    corners = Position.empty(board).play(board.squares[-1]).play(board.squares[0])
    path = folder / f"{variant_of(board)}.ini"
    path.write_text(
        f"[{variant_of(board)}:{VARIANT}]\n"
        f"maxRank = {board.rows}\n"
        f"maxFile = {COLUMN_LETTERS[board.cols - 1]}\n"
        f"startFen = {format_fen(corners)}\n"
        "nMoveRule = 0\n",  # nothing is a draw
        encoding="ascii",
    )
    return path


def format_fen(position: Position) -> str:
    """Format a position as FEN.

    Raises:
        InputError: If a player is not placed yet.
    """
    if position.first is None or position.second is None:
        raise InputError("cannot place its player; expected games that begin with both placed")
    rows, side = str(position).split(" ")
    return f"{rows.translate(_PIECES)} {'w' if side == 'a' else 'b'} - - 0 1"


_PIECES: Final = str.maketrans({"x": "*", "A": "N", "B": "n"})


def read_move(text: str, position: Position) -> Square:
    """Return the square that a move leads to.

    Raises:
        InputError: If it is not a legal move.
    """
    match = _MOVE.fullmatch(text)
    if match is None:
        raise InputError(f"move {quoted(text)}: expected one such as d4c2,c2d4")
    start, end, wall = (
        None if name is None else _square(name, position.board) for name in match.groups()
    )
    assert end is not None
    if start != position.mover or wall not in (None, start):
        raise InputError(
            f"move {quoted(text)}: expected one from {position.mover}, with a wall there"
        )
    why_not = position.why_illegal(end)
    if why_not is not None:
        raise InputError(f"move {quoted(text)}: {end}: {why_not}")
    return end


def _square(name: str, board: Board) -> Square:
    return Square(board.rows - int(name[1:]), COLUMN_LETTERS.index(name[0]))
