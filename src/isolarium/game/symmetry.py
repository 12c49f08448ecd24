"""The symmetries of the board, rotations and reflections, and the mirror theorem."""

from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from functools import cache
from operator import itemgetter
from typing import NamedTuple

from isolarium.game.board import Board, Square
from isolarium.game.position import Position


class Symmetry(Enum):
    """A rotation or reflection of a board.

    The value has three flags, applied in order: whether rows and columns are swapped, whether top and bottom are
    swapped, and whether left and right are swapped. The four symmetries that swap rows and columns map a ROWSxCOLS
    board to a COLSxROWS board.
    """

    IDENTITY = (False, False, False)
    HALF_TURN = (False, True, True)
    TOP_BOTTOM = (False, True, False)
    LEFT_RIGHT = (False, False, True)
    DIAGONAL = (True, False, False)
    ANTIDIAGONAL = (True, True, True)
    TURN_LEFT = (True, True, False)
    TURN_RIGHT = (True, False, True)

    @property
    def swaps_sides(self) -> bool:
        """Whether rows and columns are swapped."""
        return self.value[0]

    @property
    def inverse(self) -> "Symmetry":
        """The symmetry that undoes this one."""
        swap, flip_rows, flip_cols = self.value
        return Symmetry((swap, flip_cols, flip_rows) if swap else self.value)

    def then(self, following: "Symmetry") -> "Symmetry":
        """Return the composition that applies this symmetry first, then `following`."""
        swap, flip_rows, flip_cols = self.value
        if following.swaps_sides:
            flip_rows, flip_cols = flip_cols, flip_rows
        also_swap, also_flip_rows, also_flip_cols = following.value
        return Symmetry((swap != also_swap, flip_rows != also_flip_rows, flip_cols != also_flip_cols))

    def board(self, board: Board) -> Board:
        """Return the board to which this symmetry maps a board."""
        return Board(board.cols, board.rows) if self.swaps_sides else board

    def square(self, square: Square, board: Board) -> Square:
        """Return the square to which this symmetry maps a square of ``board``."""
        swap, flip_rows, flip_cols = self.value
        image = self.board(board)
        row, col = (square.col, square.row) if swap else square
        return Square(image.rows - 1 - row if flip_rows else row, image.cols - 1 - col if flip_cols else col)

    def position(self, position: Position) -> Position:
        """Return the position to which this symmetry maps a position."""
        return _mapping(self, position.board).position(position)


class _Mapping:
    """The tables of a symmetry on a board."""

    def __init__(self, symmetry: Symmetry, board: Board) -> None:
        self.symmetry = symmetry
        self.image = symmetry.board(board)
        self.squares = {square: symmetry.square(square, board) for square in board.squares}
        self.order: dict[Square | None, int] = {None: -1}
        for square, image in self.squares.items():
            self.order[square] = self.image.index(image)
        self.permute = self._digit_permutation(board)

    def _digit_permutation(self, board: Board) -> Callable[[str], tuple[str, ...]]:
        """Return a function that permutes the binary digits of a mask.

        The function receives the digits from highest to lowest and returns them in the image's order.
        """
        source = {image: square for square, image in self.squares.items()}
        highest = board.size - 1
        return itemgetter(*(highest - board.index(source[image]) for image in reversed(self.image.squares)))

    def mask(self, mask: int) -> int:
        return int("".join(self.permute(f"{mask:0{self.image.size}b}")), 2)

    def position(self, position: Position) -> Position:
        first, second = position.first, position.second
        return Position.unchecked(
            self.image,
            self.mask(position.blank),
            None if first is None else self.squares[first],
            None if second is None else self.squares[second],
            position.to_move,
        )


@cache
def _mapping(symmetry: Symmetry, board: Board) -> _Mapping:
    return _Mapping(symmetry, board)


@cache
def symmetries(board: Board) -> tuple[Symmetry, ...]:
    """Return a board's symmetries, IDENTITY first: 8 if it is square, else 4."""
    return tuple(symmetry for symmetry in Symmetry if symmetry.board(board) == board)


@cache
def _mappings(board: Board) -> tuple[_Mapping, ...]:
    return tuple(_mapping(symmetry, board) for symmetry in symmetries(board))


def canonical(position: Position) -> tuple[Position, Symmetry]:
    """Return a position's canonical image and the symmetry that maps to it.

    The canonical image is the smallest image by the number of the first player's square, then the number of the second
    player's square, then the mask of blanks; an unplaced player sorts before any square. All images of a position have
    the same canonical image. ``symmetry.square`` maps a move to the image, and ``symmetry.inverse.square`` maps it
    back.
    """
    first, second = position.first, position.second
    mappings = _mappings(position.board)
    orders = [(mapping.order[first], mapping.order[second]) for mapping in mappings]
    least = min(orders)
    candidates = [mapping for mapping, order in zip(mappings, orders, strict=True) if order == least]
    best = candidates[0]
    if len(candidates) > 1:  # Ties are rare once the players are placed, so few masks are permuted.
        best = min(candidates, key=lambda mapping: mapping.mask(position.blank))
    return best.position(position), best.symmetry


# The mirror theorem


class _Mirror(NamedTuple):
    """A symmetry of a board that is its own inverse, as a table."""

    image: dict[Square, Square]
    fixed: int  # The mask of the squares that are their own images

    def keeps(self, position: Position) -> bool:
        """Return whether every blank maps to a different blank."""
        if position.blank & self.fixed:
            return False
        blanks = position.board.squares_in(position.blank)
        return position.board.mask_of(self.image[square] for square in blanks) == position.blank


@cache
def _mirrors(board: Board) -> tuple[_Mirror, ...]:
    found = []
    for symmetry in symmetries(board):
        if symmetry is not Symmetry.IDENTITY and symmetry.inverse is symmetry:
            image = {square: symmetry.square(square, board) for square in board.squares}
            found.append(_Mirror(image, board.mask_of(square for square in image if image[square] == square)))
    return tuple(found)


def is_mirror(position: Position) -> bool:
    """Return whether the mirror theorem applies, so that the player NOT to move wins.

    Take a symmetry of the board that is its own inverse, such as the half turn. Suppose that it maps the set of blank
    squares to itself and swaps the players' squares, and that no blank square is its own image. Then the player NOT to
    move wins by answering every move with its image. The image of a blank square is a different blank square, so it is
    still blank after the move. A symmetry maps knight's moves to knight's moves, and the result is a mirror position
    again. So the player not to move always has a reply.
    """
    first, second = position.first, position.second
    if first is None or second is None:
        return False
    return any(mirror.image[first] == second and mirror.keeps(position) for mirror in _mirrors(position.board))


def is_mirror_within_reach(position: Position) -> bool:
    """Return whether the theorem applies when unreachable blanks are ignored.

    Blanks that neither player can ever reach, such as the middle of a 3x3 board, do not affect the game.
    """
    if position.first is None or position.second is None:
        return False
    reached, waiting = 0, [position.first, position.second]
    while waiting:
        found = position.blank & position.board.knight_mask(waiting.pop()) & ~reached
        reached |= found
        waiting += position.board.squares_in(found)
    return is_mirror(replace(position, blank=reached))
