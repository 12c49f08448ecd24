"""Learned from exact values and games: what the squares that each is first at are worth, by their neighbours."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from isolarium.game.tables import SETS
from isolarium.game.view import View, spread_both, weight
from isolarium.heuristics import (
    PlainView,
    Squares,
    col,
    heuristic,
    just,
    legal_moves,
    row,
    word,
)
from isolarium.heuristics.definition import MARK, Weights, heuristic_of
from isolarium.heuristics.weights import FILES, ROLE_WORDS, SHIPPED, read_weights, shipped_words
from isolarium.native.jit import compiled_twin, kernel
from isolarium.native.memory import load_constant
from isolarium.native.simd_rows import (
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

# The rows of a role, in the order of `weights.ROWS`
PARTS: Final = (
    12  # squares, of who waits and then of who moves, at 1, 2, 3, 4, odd and even distances,
)
KINDS: Final = 81  # by the neighbours of who waits, and those of who moves: nine times nine;
KNIGHTS: Final = PARTS * KINDS  # the squares that the two stand on, by the same;
OFFSETS: Final = KNIGHTS + 2 * KINDS  # how the two stand to each other;
SIZES: Final = OFFSETS + 13 * 13  # how many squares each is first at, of either colour, by fours.
MOST_SIZES: Final = 24
OPINIONS: Final = SIZES + 4 * MOST_SIZES

ONE: Final = 64
"""A weight that counts as 1; beyond it a sum says nothing more."""
UNIT: Final = 1 / ONE**3

Areas = tuple[Squares, Squares, Squares, Squares, Squares, Squares]
"""The squares that a player is first at, by distance."""
Row = tuple[int, ...]


# Rows of weights: added up, and what they say together


def row_at(view: PlainView, place: int) -> Row:
    """The row of weights that starts at a word."""
    words = (weight(view, place + i).to_bytes(8, "little", signed=True) for i in range(ROW_WORDS))
    return tuple(byte - 256 * (byte > 127) for byte in b"".join(words))


@compiled_twin(row_at)
def _row_at(view: View, place: int) -> Any:
    return load_row(view.parameters, place)


def added(one: Row, other: Row) -> Row:
    """Two rows added up."""
    return tuple(map(sum, zip(one, other, strict=True)))


@compiled_twin(added)
def _added(one: Any, other: Any) -> Any:
    return add_rows(one, other)


def opinion(view: PlainView, sums: Row, place: int) -> int:
    """What the sums say: the first as it is; of the others their squares, weighed."""
    words = (
        weight(view, place + i).to_bytes(8, "little", signed=True) for i in range(WEIGHING_WORDS)
    )
    content = b"".join(words)
    said = sums[0] * ONE * ONE
    for channel, total in enumerate(sums):
        weighs = int.from_bytes(content[2 * channel : 2 * channel + 2], "little", signed=True)
        said += min(max(total, 0), ONE) ** 2 * weighs
    return said


@compiled_twin(opinion)
def _opinion(view: View, sums: Any, place: int) -> int:
    squares: int = weighed_squares(sums, ONE, view.parameters, place)
    return squares + int(first_of(sums)) * (ONE * ONE)


# What there is to see


@word
def first_at(view: PlainView, waits: int, moves: int) -> tuple[Areas, Areas]:
    """The squares that each is first at, the player to move a ply ahead: at 1, 2, 3, 4, odd and even distances."""
    nobody = view.blank - view.blank
    a1, a2, a3, a4, a5, a6 = nobody, nobody, nobody, nobody, nobody, nobody  # who waits
    b1, b2, b3, b4, b5, b6 = nobody, nobody, nobody, nobody, nobody, nobody  # who moves
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


@word
def kind(view: PlainView, square: int, of_waits: Squares, of_moves: Squares) -> int:
    """Which kind a square is of: nine times its neighbours of who waits, and those of who moves."""
    around = legal_moves(view, square)
    return 9 * len(around & of_waits) + len(around & of_moves)


def with_squares(view: PlainView, sums: Row, waits: Areas, moves: Areas, place: int) -> Row:
    """The sums with the rows of all squares that somebody is first at."""
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
    # 1. The bits of each square's part, and from where it has neighbours of either.
    bits = (
        a2 | a4 | a6 | b2 | b4 | b6,
        a3 | a4 | b1 | b2 | b5 | b6,
        a5 | a6 | b1 | b2,
        b3 | b4 | b5 | b6,
    )
    near_waits, near_moves = from_eight(view, of_waits), from_eight(view, of_moves)
    # 2. From sets to a number for each square, word by word; then the rows, square by square.
    numbers = room_for_numbers(6)
    all_squares = of_waits | of_moves
    number(numbers, 0, bits, near_waits, near_moves)
    number(numbers, 1, bits, near_waits, near_moves)
    number(numbers, 2, bits, near_waits, near_moves)
    sums = with_word(view, sums, numbers, word_of(all_squares, 0), 0, place)
    sums = with_word(view, sums, numbers, word_of(all_squares, 1), 1, place)
    return with_word(view, sums, numbers, word_of(all_squares, 2), 2, place)


@kernel
def from_eight(view: View, of: Any) -> tuple[Any, ...]:
    """The set moved in each of a knight's eight directions."""
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
    """Write the kind of each square of a word, and three words on its part."""
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
    """The numbers, with as much more as there are directions in which a square has such a neighbour."""
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
    """The sums with the rows of the squares of a word."""
    while left != 0:
        square = WORD_SQUARES * word_at + lowest_bit(left)
        left &= left - 1
        part = load_number(numbers, 3 * WORD_SQUARES + square)
        row_of = KINDS * part + load_number(numbers, square)
        sums = add_rows(sums, load_row(view.parameters, place + ROW_WORDS * row_of))
    return sums


@word
def standing(view: PlainView, waits: int, moves: int, place: int) -> int:
    """What the position is worth to the player who waits, in units of `UNIT`."""
    # 1. Who is first where; and whose role it is: the player to move is the stealer if both stand on one colour.
    areas, areas_moves = first_at(view, waits, moves)
    a1, a2, a3, a4, a5, a6 = areas
    b1, b2, b3, b4, b5, b6 = areas_moves
    down, across = row(view, waits) - row(view, moves), col(view, waits) - col(view, moves)
    if (down + across) % 2 == 0:
        place += ROLE_WORDS
    # 2. The rows of all that there is to see.
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
    # 3. What they say together.
    return opinion(view, sums, place + ROW_WORDS * OPINIONS)


@word
def size_row(which: int, area: Squares) -> int:
    """The row of how many squares there are."""
    return SIZES + which * MOST_SIZES + min(len(area) // 4, MOST_SIZES - 1)


@heuristic(
    formula="how likely a win is, learned: squares first at, by owner, distance and neighbours",
    names={"weights": Weights(tuple(FILES), shipped_words)},
)
def learned(view: PlainView, own: int, opp: int, weights: str = SHIPPED) -> float:
    """How likely a win is, as learned from positions of which every move was solved, and from games.

    Squares belong to who is first there, as in `stealer`. Each has a row of 32 weights, found by its
    owner, its distance, and how many of its neighbours belong to either; so have the squares that the
    two stand on, how they stand to each other, and how many squares of either colour each is first
    at. The rows are added up. The first of the 32 sums counts as it is, the others where they are
    positive, squared and weighed. Where moves are solved the value is the log-odds of winning, earlier
    it is several times as much. All of it is in whole numbers, so that every machine plays the same
    games. `weights` names the table; docs/how-to/train.md says what it was trained on, what it won, and how
    to make one's own.
    """
    place = int(weights)  # where the first word is, see `Weights`
    moves, waits = (own, opp) if view.own_to_move else (opp, own)
    value = standing(view, waits, moves, place) * UNIT
    return -value if view.own_to_move else value


def learned_from(file: str | Path) -> Any:
    """The same with weights of one's own, to be given a name in a file of heuristics.

    Raises:
        InputError: it is no file of weights, or not the one that its name says.
    """
    words = read_weights(Path(file))
    ours = heuristic_of(learned)
    assert ours is not None
    names = {"weights": Weights((SHIPPED,), lambda _: words)}
    return SimpleNamespace(**{MARK: replace(ours, names=names)})
