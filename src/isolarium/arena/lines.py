"""Many lines of moves in one array: the openings of a run, or the moves of its games.

A square is its number on the board, `Board.index`: row by row from the top left, from 0. It is also
the square's bit in a mask. No board has more than 169 squares, so a square takes one byte.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isolarium.game.board import Board

Squares = NDArray[np.uint8]
"""Squares by number."""
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines of squares, one after another in a single array.

    Attributes:
        squares: The squares of all lines.
        starts: The place of each line's first square in `squares`, followed by the number of squares. There is one more
            value than lines.
    """

    squares: Squares
    starts: Numbers

    @classmethod
    def of(cls, lines: Iterable[Sequence[int] | Squares]) -> Self:
        """Join lines of square numbers."""
        arrays = [np.asarray(line, dtype=np.uint8) for line in lines]
        squares = np.concatenate(arrays) if arrays else np.empty(0, dtype=np.uint8)
        return cls.of_lengths(squares, np.array([array.size for array in arrays], dtype=np.int64))

    @classmethod
    def of_lengths(cls, squares: Squares, lengths: NDArray[np.integer]) -> Self:
        """Cut an array of squares into lines of the given lengths."""
        starts = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, dtype=np.int64, out=starts[1:])
        return cls(squares, starts)

    @classmethod
    def of_texts(cls, board: Board, lines: Iterable[Sequence[str]]) -> Self:
        """Join lines of squares in text, such as `d4`.

        Raises:
            KeyError: If the board does not have a square.
        """
        numbers = _numbers_of(board)
        return cls.of([[numbers[text] for text in line] for line in lines])

    @classmethod
    def joined(cls, parts: Sequence["Lines"]) -> Self:
        """Join the lines of several objects."""
        squares = np.concatenate([part.squares for part in parts])
        return cls.of_lengths(squares, np.concatenate([part.lengths for part in parts]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[Squares]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> Squares:
        """Return the squares of one line."""
        return self.squares[self.starts[number] : self.starts[number + 1]]

    @property
    def lengths(self) -> Numbers:
        """The number of squares of each line."""
        lengths: Numbers = np.diff(self.starts)
        return lengths

    def places(self, numbers: Numbers) -> Numbers:
        """Return the places in `squares` of the squares of some lines, line by line."""
        lengths = self.lengths[numbers]
        ends = np.cumsum(lengths)
        shifts = self.starts[numbers] - (ends - lengths)
        places: Numbers = np.arange(int(lengths.sum()), dtype=np.int64) + np.repeat(shifts, lengths)
        return places

    def take(self, numbers: Numbers) -> "Lines":
        """Return some lines, in the given order; a line may be taken repeatedly."""
        return Lines.of_lengths(self.squares[self.places(numbers)], self.lengths[numbers])

    def part(self, first: int, end: int) -> "Lines":
        """Return the lines from `first` up to but not including `end`."""
        starts = self.starts[first : end + 1]
        return Lines(self.squares[starts[0] : starts[-1]], starts - starts[0])

    def followed_by(self, others: "Lines") -> "Lines":
        """Return each line followed by the same line of `others`."""
        lengths = self.lengths
        whole = Lines.of_lengths(
            np.empty(self.squares.size + others.squares.size, dtype=np.uint8), lengths + others.lengths
        )
        own = np.arange(self.squares.size) + np.repeat(others.starts[:-1], lengths)
        theirs = np.arange(others.squares.size) + np.repeat(self.starts[1:], others.lengths)
        whole.squares[own], whole.squares[theirs] = self.squares, others.squares
        return whole

    def texts(self, board: Board) -> Iterator[tuple[str, ...]]:
        """Yield every line as text."""
        names = square_names(board)
        squares, starts = [names[square] for square in self.squares.tolist()], self.starts.tolist()
        return (tuple(squares[start:end]) for start, end in pairwise(starts))

    def text(self, number: int, board: Board) -> tuple[str, ...]:
        """Return one line as text, such as `("d4", "b3")`."""
        names = square_names(board)
        return tuple([names[square] for square in self[number].tolist()])


@cache
def square_names(board: Board) -> tuple[str, ...]:
    """Return the name of each square by number, such as `d4`."""
    return tuple(map(str, board.squares))


@cache
def _numbers_of(board: Board) -> dict[str, int]:
    return {name: number for number, name in enumerate(square_names(board))}
