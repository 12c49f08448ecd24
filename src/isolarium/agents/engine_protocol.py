"""Engine protocols: UGI, and UCI with Fairy-Stockfish's variant `joust`.

UGI, the Universal Game Interface, generalizes UCI, the protocol of chess engines, to any two-player game
(github.com/kz04px/ugi). Squares and positions use Isolarium's notation; a move is its destination square.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from math import inf, isinf, isnan
from pathlib import Path
from typing import Final, Protocol

from isolarium.errors import InputError, quoted
from isolarium.game.board import COLUMN_LETTERS, Board, Square, parse_square
from isolarium.game.position import Position
from isolarium.limits import per_second
from isolarium.search.protocol import Report


class Dialect(Protocol):
    """The commands of a protocol."""

    new_game: str
    """The command that starts a game."""

    def board_options(self, board: Board, declared: Mapping[str, str]) -> dict[str, str]:
        """Return the options to set for a board.

        Raises:
            InputError: If the engine cannot play on it.
        """

    def position(self, position: Position) -> str:
        """Format a position.

        Raises:
            InputError: If the protocol cannot express it.
        """

    def read_move(self, text: str, position: Position) -> Square:
        """Parse a move.

        Raises:
            InputError: If it is not a legal move.
        """


class Ugi:
    """UGI, with Isolarium's notation."""

    new_game = "uginewgame"

    def board_options(self, board: Board, declared: Mapping[str, str]) -> dict[str, str]:
        """See `Dialect`; the position also names the board."""
        if "board" not in declared:
            return {}
        kind, *words = declared["board"].split() or [""]
        known = [word for before, word in pairwise(words) if before == "var"]
        if kind == "combo" and str(board) not in known:
            raise InputError(f"board {board}: the program plays only on {', '.join(known)}")
        return {"board": str(board)}

    def position(self, position: Position) -> str:
        """See `Dialect`."""
        return f"fen {position}"

    def read_move(self, text: str, position: Position) -> Square:
        """See `Dialect`."""
        square = parse_square(text, position.board)
        why_not = position.why_illegal(square)
        if why_not is not None:
            raise InputError(f"{square}: {why_not}")
        return square


class Uci:
    """UCI, with Fairy-Stockfish's variant joust; see below.

    Args:
        folder: The folder for the variant files that the engine reads.
    """

    new_game = "ucinewgame"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def board_options(self, board: Board, declared: Mapping[str, str]) -> dict[str, str]:
        """See `Dialect`."""
        if VARIANT not in declared.get("uci_variant", "").split():
            raise InputError(f"is a UCI engine without the variant {VARIANT}")
        variant = variant_of(board)
        if variant == VARIANT:
            return {"UCI_Variant": variant}
        if "variantpath" not in declared:
            raise InputError(f"board {board}: expected 8x8, because the program cannot read variant files")
        path = write_variant(board, self._folder)
        return {"VariantPath": str(path), "UCI_Variant": variant}

    def position(self, position: Position) -> str:
        """See `Dialect`."""
        return f"fen {format_fen(position)}"

    def read_move(self, text: str, position: Position) -> Square:
        """See `Dialect`."""
        return read_joust_move(text, position)


# Info lines

CERTAIN_CP: Final = 1_000_000
"""The score in centipoints of a decided game whose length is not known."""
MOST: Final = 10**15
"""The largest number read from an engine; larger ones are ignored."""
NO_MOVE: Final = frozenset({"none", "(none)", "0000", "resign", "null"})
"""The words that engines send if they have no move."""

ReadMove = Callable[[str, Position], Square]
"""Parses a legal move in a position, or raises InputError."""


def format_info(report: Report) -> str:
    """Format a report as an `info` line."""
    fields = [f"info depth {report.depth}"]
    if report.score is not None and not isnan(report.score):
        fields.append(f"score {_format_score(report)}")
    rate = round(per_second(report.nodes, report.time_ms / 1000)) if report.nodes else 0
    fields.append(f"nodes {report.nodes} nps {rate} time {round(report.time_ms)}")
    if report.pv:
        fields.append(f"pv {' '.join(map(str, report.pv))}")
    return " ".join(fields)


def _format_score(report: Report) -> str:
    score = report.score
    assert score is not None
    if report.proven and report.plies is not None:
        return f"mate {report.plies if score > 0 else -report.plies}"
    if isinf(score):
        return f"cp {CERTAIN_CP if score > 0 else -CERTAIN_CP}"
    return f"cp {round(100 * max(-9_999.0, min(9_999.0, score)))}"


NO_REPORT: Final = Report(score=None, depth=0, nodes=0, time_ms=0.0, pv=())


def parse_info(line: str, position: Position, before: Report, read_move: ReadMove) -> Report:
    """Return a report updated by an `info` line of a third-party engine.

    Impossible numbers are ignored, and a principal variation is cut before its first illegal move.
    Of several variations (`multipv`) only the first is read. Nothing is marked as proven, because
    an engine may wrongly claim that a game is decided.
    """
    tokens = line.split()[1:]
    if "multipv" in tokens[:-1] and tokens[tokens.index("multipv") + 1] != "1":
        return before
    rest, report = iter(tokens), before
    for word in rest:
        if word == "string":
            break
        if word == "pv":
            return replace(report, pv=_line(rest, position, read_move))
        if word == "depth":
            report = replace(report, depth=_count(next(rest, ""), report.depth))
        elif word == "nodes":
            report = replace(report, nodes=_count(next(rest, ""), report.nodes))
        elif word == "score":
            score = _score(next(rest, ""), next(rest, ""))
            report = report if score is None else replace(report, score=score)
    return report


def _line(rest: Iterator[str], position: Position, read_move: ReadMove) -> tuple[Square, ...]:
    line = list[Square]()
    for word in rest:
        try:
            line.append(read_move(word, position))
            position = position.play(line[-1])
        except InputError:
            break
    return tuple(line)


def _score(kind: str, text: str) -> float | None:
    number = _number(text)
    if number is None or kind not in ("cp", "mate"):
        return None
    if kind == "mate":
        return inf if number > 0 else -inf  # `mate 0`: the player to move has lost.
    return number / 100 if abs(number) < CERTAIN_CP else inf if number > 0 else -inf


def _count(text: str, otherwise: int) -> int:
    number = _number(text)
    return otherwise if number is None or number < 0 else number


def _number(text: str) -> int | None:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 16):
        return None
    return int(text) if int(digits) <= MOST else None


# Joust: our game as Fairy-Stockfish plays it
#
# The first player is White. Ranks count from the bottom, so our row 1 is the highest rank. Blocked
# squares are walls, `*` in a position. A move names its origin and destination and, after a comma,
# the wall that it leaves: `d4c2,c2d4`. Both knights are on the board from the start, so there are
# no placements. On boards other than 8x8 the engine needs a variant file.

VARIANT: Final = "joust"
MOST_ROWS: Final = 10
MOST_COLS: Final = 12
OWN_BOARD: Final = Board(8, 8)
_MOVE: Final = re.compile(r"([a-l][0-9]{1,2})([a-l][0-9]{1,2})(?:,[a-l][0-9]{1,2}([a-l][0-9]{1,2}))?")


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
        "nMoveRule = 0\n",  # No position is a draw.
        encoding="ascii",
    )
    return path


def format_fen(position: Position) -> str:
    """Format a position as FEN.

    Raises:
        InputError: If a player is not placed yet.
    """
    if position.first is None or position.second is None:
        raise InputError("cannot place its player; start from a position with both players placed")
    rows, side = str(position).split(" ")
    return f"{rows.translate(_PIECES)} {'w' if side == 'a' else 'b'} - - 0 1"


_PIECES: Final = str.maketrans({"x": "*", "A": "N", "B": "n"})


def read_joust_move(text: str, position: Position) -> Square:
    """Return the destination square of a move.

    Raises:
        InputError: If it is not a legal move.
    """
    match = _MOVE.fullmatch(text)
    if match is None:
        raise InputError(f"move {quoted(text)}: expected one such as d4c2,c2d4")
    start, end, wall = (None if name is None else _joust_square(name, position.board) for name in match.groups())
    assert end is not None
    if start != position.mover or wall not in (None, start):
        raise InputError(f"move {quoted(text)}: expected one from {position.mover}, with a wall there")
    why_not = position.why_illegal(end)
    if why_not is not None:
        raise InputError(f"move {quoted(text)}: {end}: {why_not}")
    return end


def _joust_square(name: str, board: Board) -> Square:
    return Square(board.rows - int(name[1:]), COLUMN_LETTERS.index(name[0]))
