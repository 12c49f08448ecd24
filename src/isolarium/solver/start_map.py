"""The starts of a board: the colour law's prediction and the actual winner of each.

Almost every start follows the law, so the package stores only the exceptions of a solved board. The data file has one
JSON object per line, as printed by
`isolarium solve --board ROWSxCOLS --all --json`, with the shorter side as the rows. Looking up a start requires neither
the solver nor the compiler.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from isolarium.errors import InputError
from isolarium.game.board import Board, Square, parse_board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry, canonical, is_mirror_within_reach, symmetries
from isolarium.safe_files import MOST_OWN, read_text_file

FILE: Final = Path(__file__).parent / "data" / "boards.jsonl"

Exceptions = Mapping[tuple[Square, Square], bool]
"""The exceptions to the colour law, and whether the mirror theorem explains them."""


def starts(board: Board) -> list[Position]:
    """Return every placement of both players up to symmetry, with the first to move."""
    found: dict[Position, None] = {}
    for first in board.squares:
        once = Position.empty(board).play(first)
        for second in once.legal_moves():
            found.setdefault(canonical(once.play(second))[0])
    return list(found)


def same_colour(one: Square, other: Square) -> bool:
    """Return whether two squares have the same colour on a chessboard."""
    return (one.row + one.col - other.row - other.col) % 2 == 0


def law_says_win(position: Position) -> bool:
    """Return the colour law's prediction: on equal colours, the player to move wins."""
    assert position.mover is not None
    assert position.other is not None
    return same_colour(position.mover, position.other)


def mirror_exception(position: Position, mover_wins: bool) -> bool:
    """Return whether the mirror theorem explains an exception to the colour law.

    The theorem explains a loss if the start is a mirror position, and a win if the player to move can make a move that
    leads to a mirror position. Blanks that neither player can reach are ignored.
    """
    if not mover_wins:
        return is_mirror_within_reach(position)
    return any(is_mirror_within_reach(position.play(move)) for move in position.legal_moves())


@dataclass(frozen=True, slots=True)
class KnownStart:
    """A start with its winner.

    Attributes:
        first: The square of the first player, the next to move.
        second: The square of the second player.
        first_wins: Whether the first player wins with perfect play.
        law_says_first: Whether the colour law predicts a win for the first player, because both players stand on the
            same colour.
        mirror: Whether the start is an exception to the law that the mirror theorem explains.
    """

    first: Square
    second: Square
    first_wins: bool
    law_says_first: bool
    mirror: bool

    @property
    def exception(self) -> bool:
        """Whether the start is an exception to the colour law."""
        return self.first_wins != self.law_says_first


@dataclass(frozen=True)
class StartMap:
    """The winner of every start of a board.

    Attributes:
        board: The board.
        starts: The number of starts up to symmetry.
        wins: The number of starts that the first player wins.
        exceptions: The number of starts that are exceptions to the colour law.
        mirrors: The number of exceptions that the mirror theorem explains.
    """

    board: Board
    starts: int
    wins: int
    exceptions: int
    mirrors: int
    _exceptions: Exceptions

    def start(self, first: Square, second: Square) -> KnownStart:
        """Return the start with the players on these squares and the first to move.

        Raises:
            InputError: If a square is off the board, or if the squares are the same.
        """
        for square in (first, second):
            self.board.index(square)
        if first == second:
            raise InputError(f"{first}: both players stand there; expected two different squares")
        law_says_first = same_colour(first, second)
        mirror = self._exceptions.get((first, second))
        first_wins = law_says_first if mirror is None else not law_says_first
        return KnownStart(first, second, first_wins, law_says_first, bool(mirror))

    def first_wins(self, first: Square, second: Square) -> bool:
        """Return whether the first player wins from a start; raises the errors of `start`."""
        return self.start(first, second).first_wins

    def from_first(self, first: Square) -> dict[Square, bool]:
        """Return whether the first player wins, for each square of the second player."""
        return {second: self.first_wins(first, second) for second in self.board.squares if second != first}

    def answers(self, first: Square) -> tuple[Square, ...]:
        """Return the squares from which the second player wins, in the board's order."""
        return tuple(second for second, lost in self.from_first(first).items() if not lost)

    @cached_property
    def best_first(self) -> tuple[Square, ...]:
        """The first player's squares that leave the second player the fewest answers.

        The result is empty if some square leaves the second player no answer.
        """
        many = {first: len(self.answers(first)) for first in self.board.squares}
        fewest = min(many.values())
        return tuple(first for first in many if many[first] == fewest) if fewest else ()


def start_map(board: Board) -> StartMap | None:
    """Return the start map of a board, or None if the package does not contain it."""
    return _maps().get(board)


def solved_boards() -> tuple[Board, ...]:
    """Return the boards with start maps, smallest first, with both 5x7 and 7x5."""
    return tuple(sorted(_maps(), key=lambda board: (board.size, board.rows)))


def start_wins(position: Position) -> bool | None:
    """Return whether the player to move wins a start, placements included.

    The result is None for other positions and for unsolved boards.
    """
    placed = (position.first is not None) + (position.second is not None)
    is_start = position.blank_count + placed == position.board.size and position.to_move == placed % 2
    found = start_map(position.board) if is_start else None
    if found is None:
        return None
    if position.first is None:
        return not found.best_first
    if position.second is None:
        return bool(found.answers(position.first))
    return found.first_wins(position.first, position.second)


@cache
def _maps() -> dict[Board, StartMap]:
    maps: dict[Board, StartMap] = {}
    for line in read_text_file(FILE, MOST_OWN, follow_links=True).splitlines():
        data = json.loads(line)
        board = parse_board(data["board"])
        for turn in (Symmetry.IDENTITY, Symmetry.DIAGONAL):
            maps[turn.board(board)] = _map(data, turn)
    return maps


def _map(data: dict[str, Any], turn: Symmetry) -> StartMap:
    """Return a board's start map; for a diagonal `turn`, the transposed board's."""
    exceptions: dict[tuple[Square, Square], bool] = {}
    for exception in data["exceptions"]:
        start = parse_position(exception["position"])
        for symmetry in symmetries(start.board):
            image = symmetry.then(turn).position(start)
            assert image.first is not None
            assert image.second is not None
            exceptions[image.first, image.second] = exception["mirror"]
    return StartMap(
        board=turn.board(parse_board(data["board"])),
        starts=data["starts"],
        wins=data["wins"],
        exceptions=len(data["exceptions"]),
        mirrors=sum(exception["mirror"] for exception in data["exceptions"]),
        _exceptions=exceptions,
    )
