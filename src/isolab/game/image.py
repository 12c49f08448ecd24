"""From true square numbers to those of the image that compiled code works on, and back (see `geometry.py`)."""

from typing import Any

from isolab.game.geometry import IMAGE, INFO
from isolab.native.jit import kernel
from isolab.native.memory import load_constant
from isolab.native.squareset import is_empty, lowest, single, without_lowest


@kernel
def image_of(table: int, squares: Any) -> Any:
    """A set of true square numbers as a set of the image's."""
    image = squares - squares
    while not is_empty(squares):
        image = image | single(image, load_constant(table, IMAGE + lowest(squares)))
        squares = without_lowest(squares)
    return image


@kernel
def image_square(table: int, square: int) -> int:
    """A true square number as the image's; a player not yet placed stays so."""
    size = load_constant(table, 2)
    return load_constant(table, IMAGE + square) if square < size else square


@kernel
def true_square(table: int, square: int) -> int:
    """The image's square number as the true one."""
    return load_constant(table, INFO + square) >> 16
