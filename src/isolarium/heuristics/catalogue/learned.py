"""A learned evaluation of who reaches each square first, and how soon.

The weights are trained on positions with exact values and on games; docs/how-to/train.md describes the training. A
weights file is NumPy's `.npz` without pickles. Its name contains the SHA-256 of its bytes, so altered files are
detected. Each feature of a position has two rows of 32 whole numbers, one for each role of the player to move: the
runner's row first, then the stealer's (see `stealer` for the roles).

    squares   int8 [2, 972, 32]      knights   int8 [2, 162, 32]
    offsets   int8 [2, 169, 32]      sizes     int8 [2, 96, 32]
    opinions  int16 [2, 31]          how much each sum but the first contributes to the value
"""

from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from isolarium.errors import InputError
from isolarium.game.tables import SETS
from isolarium.game.view import View, spread_both, weight
from isolarium.heuristics import PlainView, Squares, col, helper, heuristic, just, legal_moves, row
from isolarium.heuristics.definition import MARK, Weights, heuristic_of
from isolarium.native.jit import compiled_twin, kernel
from isolarium.native.memory import load_constant
from isolarium.native.simd_rows import (
    CHANNELS,
    ROW_WORDS,
    WEIGHING_WORDS,
    WORD_SQUARES,
    add_rows,
    first_of,
    load_number,
    load_row,
    lowest_bit,
    more_where,
    no_numbers,
    room_for_numbers,
    store_numbers,
    weighed_squares,
)
from isolarium.native.squareset import load_table_set, shift, shift_down, word_of
from isolarium.safe_files import read_small

FOLDER: Final = Path(str(files("isolarium.heuristics"))) / "data"
SHIPPED: Final = "shipped"
FILES: Final = {SHIPPED: "learned-0706fc96f740cdd08d7e5de7b6619c4543f0539026a11223f37615884d0a7f4b.npz"}
"""The weights files that come with Isolarium, by name.

A JSON file beside each weights file describes its training."""

ROWS: Final = {"squares": 972, "knights": 162, "offsets": 169, "sizes": 96}
MOST_OPINION: Final = 2047
ROLE_WORDS: Final = sum(ROWS.values()) * ROW_WORDS + WEIGHING_WORDS
MOST_BYTES: Final = 500_000

# Where each kind of row starts within a role. A square's row depends on its part and its kind.
# There are 12 parts: squares reached first by the waiting player, then by the moving player, each
# at distance 1, 2, 3, 4, a larger odd distance and a larger even distance. There are 81 kinds: nine
# times the number of neighbours that the waiting player reaches first, plus the number that the
# moving player reaches first.
PARTS: Final = 12
KINDS: Final = 81
KNIGHTS: Final = PARTS * KINDS  # the squares the two players stand on, by kind
OFFSETS: Final = KNIGHTS + 2 * KINDS  # the distance between the players in rows and columns
SIZES: Final = OFFSETS + 13 * 13  # the squares each reaches first, by colour, in steps of 4
MOST_SIZES: Final = 24
OPINIONS: Final = SIZES + 4 * MOST_SIZES

ONE: Final = 64
"""The integer that represents 1; sums are clipped to it."""
UNIT: Final = 1 / ONE**3

Areas = tuple[Squares, Squares, Squares, Squares, Squares, Squares]
"""The squares that a player reaches first: one set for each distance group of `PARTS`."""
Row = tuple[int, ...]


# Weights files


def read_weights(path: Path) -> list[int]:
    """Read a weights file into words.

    Each role's rows are followed by its opinions; the opinion of the first sum is 0.

    Raises:
        InputError: If the file is not a weights file or its SHA-256 does not match its name.
    """
    try:
        content = read_small(path, MOST_BYTES)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a weights file") from None
    if not path.stem.endswith(sha256(content).hexdigest()):
        raise InputError(f"{path}: file name does not end with the SHA-256 of the contents")
    try:
        with np.load(BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in (*ROWS, "opinions")}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise InputError(f"{path}: {error}; expected arrays of weights") from None
    for name, array in arrays.items():
        shape = (2, ROWS[name], CHANNELS) if name in ROWS else (2, CHANNELS - 1)
        dtype = np.int8 if name in ROWS else np.int16
        if array.shape != shape or array.dtype != dtype:
            raise InputError(f"{path}: {name}: expected {dtype.__name__} {list(shape)}")
    if np.abs(arrays["opinions"]).max() > MOST_OPINION:
        raise InputError(f"{path}: opinions: expected at most {MOST_OPINION:,}")
    return _packed(arrays)


def _packed(arrays: dict[str, NDArray[np.integer]]) -> list[int]:
    """Return the weights of both roles as words: rows of bytes, then the opinions.

    In a file, a square's kind is nine times the neighbours of the square's owner, plus those of the opponent. In memory
    it is nine times the neighbours of the waiting player, plus those of the moving player, so that kinds are computed
    in the same way for all squares.
    """
    ours = {name: array.copy() for name, array in arrays.items()}
    for name in ("squares", "knights"):
        kinds = ours[name].reshape(2, 2, -1, 9, 9, CHANNELS)
        kinds[:, 1] = kinds[:, 1].swapaxes(2, 3).copy()
    words: list[int] = []
    for role in range(2):
        rows = np.concatenate([ours[name][role] for name in ROWS])
        opinions = np.concatenate([np.zeros(1, np.int16), ours["opinions"][role]])
        words += rows.ravel().view("<i8").tolist() + opinions.view("<i8").tolist()
    return words


def shipped_words(name: str) -> list[int]:
    """Return weights that come with Isolarium, by name, as 64-bit words."""
    return read_weights(FOLDER / FILES[name])


def learned_from(file: str | Path) -> Any:
    """Return the `learned` heuristic with other weights, such as your own.

    Assign the result to a name in a heuristic file.

    Raises:
        InputError: If the file is not a weights file or its SHA-256 does not match its name.
    """
    words = read_weights(Path(file))
    ours = heuristic_of(learned)
    assert ours is not None
    names = {"weights": Weights((SHIPPED,), lambda _: words)}
    return SimpleNamespace(**{MARK: replace(ours, names=names)})


# Rows of weights


def row_at(view: PlainView, place: int) -> Row:
    """Return the row of weights that starts at word `place`."""
    words = (weight(view, place + i).to_bytes(8, "little", signed=True) for i in range(ROW_WORDS))
    return tuple(byte - 256 * (byte > 127) for byte in b"".join(words))


@compiled_twin(row_at)
def _row_at(view: View, place: int) -> Any:
    return load_row(view.parameters, place)


def added(one: Row, other: Row) -> Row:
    """Add two rows."""
    return tuple(map(sum, zip(one, other, strict=True)))


@compiled_twin(added)
def _added(one: Any, other: Any) -> Any:
    return add_rows(one, other)


def combined(view: PlainView, sums: Row, place: int) -> int:
    """Combine the sums: the first sum plus the weighted squares of all sums.

    Sums are clipped to the range from 0 to ONE before they are squared.
    """
    words = (weight(view, place + i).to_bytes(8, "little", signed=True) for i in range(WEIGHING_WORDS))
    content = b"".join(words)
    value = sums[0] * ONE * ONE
    for channel, total in enumerate(sums):
        weighs = int.from_bytes(content[2 * channel : 2 * channel + 2], "little", signed=True)
        value += min(max(total, 0), ONE) ** 2 * weighs
    return value


@compiled_twin(combined)
def _combined(view: View, sums: Any, place: int) -> int:
    squares: int = weighed_squares(sums, ONE, view.parameters, place)
    return squares + int(first_of(sums)) * (ONE * ONE)


# Features of a position


@helper
def first_at(view: PlainView, waits: int, moves: int) -> tuple[Areas, Areas]:
    """Return the squares that each player reaches first, by distance group.

    The player to move has a lead of one ply.
    """
    empty = view.blank - view.blank
    a1, a2, a3, a4, a5, a6 = empty, empty, empty, empty, empty, empty  # the waiting player's
    b1, b2, b3, b4, b5, b6 = empty, empty, empty, empty, empty, empty  # the moving player's
    first, second, free = just(view, moves), just(view, waits), view.blank
    distance = 0
    while first or second:
        first, second = spread_both(view, first, second)
        first = first & free
        free = free - first
        second = second & free
        free = free - second
        distance += 1
        if distance > 4:
            if distance % 2 == 1:
                a5, b5 = a5 | second, b5 | first
            else:
                a6, b6 = a6 | second, b6 | first
        elif distance == 1:
            a1, b1 = second, first
        elif distance == 2:
            a2, b2 = second, first
        elif distance == 3:
            a3, b3 = second, first
        else:
            a4, b4 = second, first
    return (a1, a2, a3, a4, a5, a6), (b1, b2, b3, b4, b5, b6)


@helper
def kind(view: PlainView, square: int, of_waits: Squares, of_moves: Squares) -> int:
    """Return a square's kind.

    The kind is nine times the number of neighbours of the waiting player, plus the number of neighbours of the moving
    player.
    """
    around = legal_moves(view, square)
    return 9 * len(around & of_waits) + len(around & of_moves)


def with_squares(view: PlainView, sums: Row, waits: Areas, moves: Areas, place: int) -> Row:
    """Add the rows of all squares that either player reaches first."""
    of_waits, of_moves = frozenset().union(*waits), frozenset().union(*moves)
    for part, area in enumerate((*waits, *moves)):
        for square in area:
            row_of = part * KINDS + kind(view, square, of_waits, of_moves)
            sums = added(sums, row_at(view, place + ROW_WORDS * row_of))
    return sums


@compiled_twin(with_squares)
def _with_squares(view: View, sums: Any, waits: Any, moves: Any, place: int) -> Any:
    a1, a2, a3, a4, a5, a6 = waits
    b1, b2, b3, b4, b5, b6 = moves
    of_waits, of_moves = a1 | a2 | a3 | a4 | a5 | a6, b1 | b2 | b3 | b4 | b5 | b6
    # 1. Find each square's part, and the directions in which it has neighbours of each player.
    bits = (a2 | a4 | a6 | b2 | b4 | b6, a3 | a4 | b1 | b2 | b5 | b6, a5 | a6 | b1 | b2, b3 | b4 | b5 | b6)
    near_waits, near_moves = from_eight(view, of_waits), from_eight(view, of_moves)
    # 2. Turn the sets into a number for each square, word by word; then add the rows, square by
    # square.
    numbers = room_for_numbers(6)
    all_squares = of_waits | of_moves
    number(numbers, 0, bits, near_waits, near_moves)
    if word_of(all_squares, 1) != 0:
        number(numbers, 1, bits, near_waits, near_moves)
    if word_of(all_squares, 2) != 0:
        number(numbers, 2, bits, near_waits, near_moves)
    sums = with_word(view, sums, numbers, word_of(all_squares, 0), 0, place)
    sums = with_word(view, sums, numbers, word_of(all_squares, 1), 1, place)
    return with_word(view, sums, numbers, word_of(all_squares, 2), 2, place)


@kernel
def from_eight(view: View, of: Any) -> tuple[Any, ...]:
    """Shift the set in each of a knight's eight directions."""
    cols = load_constant(view.geometry, 1)
    right = shift(of, 1) & load_table_set(view.geometry, SETS, 0, of)
    left = shift_down(of, 1) & load_table_set(view.geometry, SETS, 2, of)
    far_right = shift(of, 2) & load_table_set(view.geometry, SETS, 1, of)
    far_left = shift_down(of, 2) & load_table_set(view.geometry, SETS, 3, of)
    return (
        shift(right, 2 * cols),
        shift_down(right, 2 * cols),
        shift(left, 2 * cols),
        shift_down(left, 2 * cols),
        shift(far_right, cols),
        shift_down(far_right, cols),
        shift(far_left, cols),
        shift_down(far_left, cols),
    )


@kernel
def number(numbers: int, place: int, bits: Any, near_waits: Any, near_moves: Any) -> None:
    """Write the kind of each square in a 64-bit word and, three places later, its part."""
    kinds = no_numbers()
    kinds = counted(kinds, near_waits, place, 9)
    kinds = counted(kinds, near_moves, place, 1)
    store_numbers(numbers, place, kinds)
    ones, twos, fours, eights = bits
    parts = no_numbers()
    parts = more_where(parts, word_of(ones, place), 1)
    parts = more_where(parts, word_of(twos, place), 2)
    parts = more_where(parts, word_of(fours, place), 4)
    parts = more_where(parts, word_of(eights, place), 8)
    store_numbers(numbers, 3 + place, parts)


@kernel
def counted(numbers: Any, near: Any, place: int, by: int) -> Any:
    """Add `by` to the number of each square for each direction with a neighbour."""
    a, b, c, d, e, f, g, h = near
    numbers = more_where(numbers, word_of(a, place), by)
    numbers = more_where(numbers, word_of(b, place), by)
    numbers = more_where(numbers, word_of(c, place), by)
    numbers = more_where(numbers, word_of(d, place), by)
    numbers = more_where(numbers, word_of(e, place), by)
    numbers = more_where(numbers, word_of(f, place), by)
    numbers = more_where(numbers, word_of(g, place), by)
    return more_where(numbers, word_of(h, place), by)


@kernel
def with_word(view: View, sums: Any, numbers: int, left: int, word_at: int, place: int) -> Any:
    """Add the rows of the squares in one 64-bit word of a set."""
    while left != 0:
        square = WORD_SQUARES * word_at + lowest_bit(left)
        left &= left - 1
        part = load_number(numbers, 3 * WORD_SQUARES + square)
        row_of = KINDS * part + load_number(numbers, square)
        sums = add_rows(sums, load_row(view.parameters, place + ROW_WORDS * row_of))
    return sums


@helper
def standing(view: PlainView, waits: int, moves: int, place: int) -> int:
    """Return the value for the waiting player, in units of `UNIT`."""
    # 1. Find who reaches each square first, and the role: the stealer is to move if both players
    # stand on the same colour.
    areas, areas_moves = first_at(view, waits, moves)
    a1, a2, a3, a4, a5, a6 = areas
    b1, b2, b3, b4, b5, b6 = areas_moves
    down, across = row(view, waits) - row(view, moves), col(view, waits) - col(view, moves)
    if (down + across) % 2 == 0:
        place += ROLE_WORDS
    # 2. Add the rows of all features.
    down, across = abs(down), abs(across)
    stand = OFFSETS + 13 * min(down, across) + max(down, across)
    sums = row_at(view, place + ROW_WORDS * stand)
    sums = with_squares(view, sums, areas, areas_moves, place)
    odd, even, odd_moves, even_moves = a1 | a3 | a5, a2 | a4 | a6, b1 | b3 | b5, b2 | b4 | b6
    sums = added(sums, row_at(view, place + ROW_WORDS * size_row(0, odd)))
    sums = added(sums, row_at(view, place + ROW_WORDS * size_row(1, even)))
    sums = added(sums, row_at(view, place + ROW_WORDS * size_row(2, odd_moves)))
    sums = added(sums, row_at(view, place + ROW_WORDS * size_row(3, even_moves)))
    of_waits, of_moves = odd | even, odd_moves | even_moves
    knight = KNIGHTS + kind(view, waits, of_waits, of_moves)
    sums = added(sums, row_at(view, place + ROW_WORDS * knight))
    knight = KNIGHTS + KINDS + kind(view, moves, of_waits, of_moves)
    sums = added(sums, row_at(view, place + ROW_WORDS * knight))
    # 3. Combine the sums.
    return combined(view, sums, place + ROW_WORDS * OPINIONS)


@helper
def size_row(which: int, area: Squares) -> int:
    """Return the row for the number of squares in an area."""
    return SIZES + which * MOST_SIZES + min(len(area) // 4, MOST_SIZES - 1)


@heuristic(
    formula="learned from the squares each player reaches first, how soon, and their neighbours",
    names={"weights": Weights(tuple(FILES), shipped_words)},
)
def learned(view: PlainView, own: int, opp: int, weights: str = SHIPPED) -> float:
    """Estimate the chance of winning, learned from solved positions and games.

    Each square belongs to the player who reaches it first, as in `stealer`. A table holds a row of 32 weights for every
    combination of a square's owner, its distance and its numbers of neighbours that belong to each player. Further rows
    describe the squares that the players stand on, the players' distance in rows and columns, and the number of squares
    of each colour that each player owns.

    The rows that apply to a position are added. The value is the first of the 32 sums plus the weighted squares of the
    positive other sums. Late in a game, where training positions are solved, the value is the log-odds of winning;
    earlier it is several times as large. All arithmetic uses whole numbers, so games are the same on every machine.
    `weights` names the table. docs/how-to/train.md describes the training, the results and how to train your own table.
    """
    place = int(weights)  # The index of the first word; see `Weights`
    moves, waits = (own, opp) if view.own_to_move else (opp, own)
    value = standing(view, waits, moves, place) * UNIT
    return -value if view.own_to_move else value
