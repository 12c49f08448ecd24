"""Learned from exact values and games: what the squares that each is first at are worth, by their neighbours."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from isolab.game.view import weight
from isolab.heuristics import (
    PlainView,
    Squares,
    col,
    heuristic,
    just,
    legal_moves,
    row,
    spread,
    squares,
    word,
)
from isolab.heuristics.definition import MARK, Weights, heuristic_of
from isolab.heuristics.weights import (
    BIAS,
    FILES,
    LANES,
    ROLE_WORDS,
    ROW_WORDS,
    SHIPPED,
    read_weights,
    shipped_words,
)

# The rows of a role, in the order of `weights.ROWS`
PARTS: Final = (
    12  # squares, of who waits and then of who moves, at 1, 2, 3, 4, odd and even distances,
)
KINDS: Final = (
    81  # by the neighbours that are the owner's, and those that are the other's: nine times nine;
)
KNIGHTS: Final = PARTS * KINDS  # the squares that the two stand on, by the same;
OFFSETS: Final = KNIGHTS + 2 * KINDS  # how the two stand to each other;
SIZES: Final = OFFSETS + 13 * 13  # how many squares each is first at, of either colour, by fours.
MOST_SIZES: Final = 24
OPINIONS: Final = SIZES + 4 * MOST_SIZES

ONE: Final = 64
"""A weight that counts as 1; beyond it a sum says nothing more."""
UNIT: Final = 1 / ONE**3

Sums = tuple[int, int, int, int, int, int, int, int]


@word
def kind(view: PlainView, square: int, same: Squares, other: Squares) -> int:
    """Which kind a square is of: nine times its neighbours of the same owner, and those of the other."""
    around = legal_moves(view, square)
    return 9 * len(around & same) + len(around & other)


@word
def added(view: PlainView, sums: Sums, row_of: int, place: int) -> Sums:
    """The sums with a row of the weights from `place` on."""
    at = place + ROW_WORDS * row_of
    a, b, c, d, e, f, g, h = sums
    return (
        a + weight(view, at),
        b + weight(view, at + 1),
        c + weight(view, at + 2),
        d + weight(view, at + 3),
        e + weight(view, at + 4),
        f + weight(view, at + 5),
        g + weight(view, at + 6),
        h + weight(view, at + 7),
    )


@word
def one_of(
    place: int, a: Squares, b: Squares, c: Squares, d: Squares, e: Squares, f: Squares
) -> Squares:
    """The set at a place from 0 to 5."""
    if place < 3:
        return a if place == 0 else b if place == 1 else c
    return d if place == 3 else e if place == 4 else f


@word
def opinion(view: PlainView, sums: Sums, rows: int, place: int) -> int:
    """What the sums of so many rows say: the first as it is; of the others their squares, weighed."""
    said = ((sums[0] & 0xFFFF) - BIAS * rows) * ONE * ONE
    for i in range(ROW_WORDS):
        packed = sums[i]
        for lane in range(LANES):
            one = min(max((packed >> 16 * lane & 0xFFFF) - BIAS * rows, 0), ONE)
            said += one * one * weight(view, place + LANES * i + lane)
    return said


@word
def standing(view: PlainView, waits: int, moves: int, place: int) -> int:
    """What the position is worth to the player who waits, in units of `UNIT`."""
    # 1. Who is first where, the player to move a ply ahead, at which distance.
    nobody = view.blank - view.blank
    a1, a2, a3, a4, a5, a6 = nobody, nobody, nobody, nobody, nobody, nobody  # who waits
    b1, b2, b3, b4, b5, b6 = nobody, nobody, nobody, nobody, nobody, nobody  # who moves
    first, second, free = just(view, moves), just(view, waits), view.blank
    distance = 0
    while first or second:
        first = spread(view, first) & free
        free = free - first
        second = spread(view, second) & free
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
    mine, theirs = a1 | a2 | a3 | a4 | a5 | a6, b1 | b2 | b3 | b4 | b5 | b6

    # 2. The rows of all that there is to see. The player to move is the stealer if both stand on one colour.
    down, across = row(view, waits) - row(view, moves), col(view, waits) - col(view, moves)
    if (down + across) % 2 == 0:
        place += ROLE_WORDS
    sums = (0, 0, 0, 0, 0, 0, 0, 0)
    for part in range(PARTS):
        if part < 6:
            area, same, other = one_of(part, a1, a2, a3, a4, a5, a6), mine, theirs
        else:
            area, same, other = one_of(part - 6, b1, b2, b3, b4, b5, b6), theirs, mine
        for square in squares(area):
            sums = added(view, sums, part * KINDS + kind(view, square, same, other), place)
    down, across = abs(down), abs(across)
    odd, odd_theirs = len(a1 | a3 | a5) // 4, len(b1 | b3 | b5) // 4
    even, even_theirs = len(a2 | a4 | a6) // 4, len(b2 | b4 | b6) // 4
    last = MOST_SIZES - 1
    sums = added(view, sums, KNIGHTS + kind(view, waits, mine, theirs), place)
    sums = added(view, sums, KNIGHTS + KINDS + kind(view, moves, theirs, mine), place)
    sums = added(view, sums, OFFSETS + 13 * min(down, across) + max(down, across), place)
    sums = added(view, sums, SIZES + min(odd, last), place)
    sums = added(view, sums, SIZES + MOST_SIZES + min(even, last), place)
    sums = added(view, sums, SIZES + 2 * MOST_SIZES + min(odd_theirs, last), place)
    sums = added(view, sums, SIZES + 3 * MOST_SIZES + min(even_theirs, last), place)

    # 3. What they say together.
    rows = len(mine) + len(theirs) + 7
    return opinion(view, sums, rows, place + ROW_WORDS * OPINIONS)


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
    games. `weights` names the table; docs/train.md says what it was trained on, what it won, and how
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
