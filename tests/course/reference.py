"""The course's interfaces once more, written straight from what is known of them, slow and plain."""

from dataclasses import dataclass, replace
from math import inf

Square = tuple[int, int]


def is_knight_step(a: Square, b: Square) -> bool:
    return sorted((abs(a[0] - b[0]), abs(a[1] - b[1]))) == [1, 2]


@dataclass(frozen=True)
class Reference:
    """A position: squares stood on, where players 0 and 1 stand, and who is to move."""

    height: int
    width: int
    stood_on: frozenset[Square] = frozenset()
    places: tuple[Square | None, Square | None] = (None, None)
    active: int = 0
    moves_made: int = 0

    def column_by_column(self) -> list[Square]:
        return [(row, col) for col in range(self.width) for row in range(self.height)]

    def blanks(self) -> list[Square]:
        return [square for square in self.column_by_column() if square not in self.stood_on]

    def legal(self, player: int) -> list[Square]:
        place = self.places[player]
        return [s for s in self.blanks() if place is None or is_knight_step(place, s)]

    def play(self, square: Square) -> "Reference":
        first, second = self.places
        places = (square, second) if self.active == 0 else (first, square)
        stood_on = self.stood_on | {square}
        return replace(self, stood_on=stood_on, places=places, active=1 - self.active, moves_made=self.moves_made + 1)

    def utility(self, player: int) -> float:
        if self.legal(self.active):
            return 0.0
        return -inf if player == self.active else inf

    def flat(self) -> list[int | None]:
        """The list that the first interface keeps."""
        squares = self.column_by_column()
        first, second = (None if s is None else squares.index(s) for s in self.places)
        return [*(int(s in self.stood_on) for s in squares), self.active, second, first]

    def cell(self, square: Square) -> int:
        """A square's number in the later interface."""
        return (self.height - 1 - square[0]) * (self.width + 2) + self.width - 1 - square[1]

    def is_terminal(self) -> bool:
        """As the later interface has it: either player is stuck."""
        return not (self.legal(0) and self.legal(1))
