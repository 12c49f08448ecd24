"""Puzzles: positions of real games that are won, with one move alone. They need neither solver nor compiler.

The data file has a line for each, from easy to hard: the position, the move that wins, and the plies to the end when
the winner hurries and the loser delays. `isolab book puzzles` makes it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from isolab.game.board import Square
from isolab.game.notation import parse_position, parse_square
from isolab.game.position import Position

FILE: Final = Path(__file__).parent / "data" / "puzzles.txt"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which one move alone wins.

    Attributes:
        number: its place among all puzzles, which go from easy to hard; the first is 1.
        position: the position, in which there are at least three moves.
        move: the one that wins.
        plies: moves to the end when the winner hurries and the loser delays.
    """

    number: int
    position: Position
    move: Square
    plies: int

    @property
    def tempting(self) -> int:
        """How many wrong moves look no worse: they leave the mover as many moves more than the other has."""
        right = _looks(self.position, self.move)
        wrong = (move for move in self.position.legal_moves() if move != self.move)
        return sum(_looks(self.position, move) >= right for move in wrong)

    @property
    def difficulty(self) -> int:
        """How hard it is: how far one has to see, and how many wrong moves look right."""
        return self.plies + 3 * self.tempting


def _looks(position: Position, move: Square) -> int:
    """How good a move looks at a glance: the mover's moves less the other's, after it."""
    after = position.play(move)
    assert after.other is not None
    own = (after.board.knight_mask(after.other) & after.blank).bit_count()
    return own - after.legal_mask.bit_count()


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """The package's puzzles, from easy to hard."""
    return tuple(
        _read(number, line)
        for number, line in enumerate(FILE.read_text(encoding="utf-8").splitlines(), start=1)
    )


def _read(number: int, line: str) -> Puzzle:
    text, move, plies = line.rsplit(" ", 2)
    position = parse_position(text)
    return Puzzle(number, position, parse_square(move, position.board), int(plies))


def puzzle_lines(found: Iterable[Puzzle]) -> str:
    """The text of a data file."""
    return "".join(f"{puzzle.position} {puzzle.move} {puzzle.plies}\n" for puzzle in found)
