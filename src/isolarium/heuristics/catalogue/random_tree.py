"""A small random part of the game tree, unrolled from the position."""

from collections.abc import Callable
from typing import Final

from isolarium.heuristics import (
    PlainView,
    Squares,
    after,
    heuristic,
    just,
    legal_moves,
    number,
    squares,
    word,
)

DEEPEST: Final = 6
BITS: Final = 0xFFFFFFFF

Unroll = Callable[[PlainView, int, int, int, int, float, int], float]


@word
def mixed(bits: int) -> int:
    """A number of 32 bits well mixed, no two of them into the same one.

    This is lowbias32 (C. Wellons, Prospecting for Hash Functions, 2018).
    """
    bits = (bits ^ bits >> 16) * 0x7FEB352D & BITS
    bits = (bits ^ bits >> 15) * 0x846CA68B & BITS
    return bits ^ bits >> 16


@word
def ticket_of(view: PlainView, mover: int, other: int, d: int, seed: int) -> int:
    """What a draw depends on: seed, depth left, both squares and how many are blank."""
    place = (d << 24) + (number(view, mover) << 16) + (number(view, other) << 8) + len(view.blank)
    return mixed(seed ^ mixed(place))


@word
def drawn(view: PlainView, moves: Squares, ticket: int) -> int:
    """The move whose number, exclusive or `ticket`, mixes to the least."""
    first, least = -1, BITS + 1
    for move in squares(moves):
        rank = mixed(ticket ^ number(view, move))
        if rank < least:
            first, least = move, rank
    return first


def one_ply_more(unroll: Unroll) -> Unroll:
    """F(d) from F(d - 1), for the player on `mover`, who is to move.

    Compiled code has no recursion here, so it is built up ply by ply.
    """

    @word
    def unroll_more(
        view: PlainView, mover: int, other: int, d: int, u: int, beta: float, seed: int
    ) -> float:
        moves = legal_moves(view, mover)
        n = len(moves)
        if d == 0 or n == 0:
            return 0.0
        if d == 1:
            return float(n)
        ticket = ticket_of(view, mover, other, d, seed)
        count = min(u, n)
        total = 0.0
        for _ in range(count):
            move = drawn(view, moves, ticket)
            moves = moves - just(view, move)
            total += unroll(after(view, move), other, move, d - 1, u, beta, seed)
        return n - beta / count * total

    return unroll_more


@word
def unroll_nothing(
    view: PlainView, mover: int, other: int, d: int, u: int, beta: float, seed: int
) -> float:
    """F(0)."""
    return 0.0


unroll: Unroll = unroll_nothing
for _ in range(DEEPEST):
    unroll = one_ply_more(unroll)


@heuristic(
    report="001",
    formula="F(d) for the side to move, negated if that is opp; F(0) = 0, "
    "F(d) = n - beta / min(u, n) * sum of F(d - 1) over min(u, n) random moves",
    ranges={"d": (0, DEEPEST), "u": (1, 100), "seed": (0, BITS)},
)
def free_moves(
    view: PlainView, own: int, opp: int, d: int = 2, u: int = 3, beta: float = 1.2, seed: int = 0
) -> float:
    """Count the moves of the side to move, less `beta` times the same after some of them.

    The report's F(d, u, beta), `d` plies deep with at most `u` random moves unrolled at each
    position; n is the number of moves of the side to move. Its variants are the default,
    `free_moves(beta=0.8)`, `(beta=1)`, `(beta=1.4)`, `(u=10)`, `(d=3, u=4)` and `(d=4, u=2)`. It
    prints min(v, n); v is u.

    The moves are drawn by the position and `seed`, so that a search is reproducible: those of the
    least mixed(ticket ^ number), with ticket = mixed(seed ^ mixed(2^24 d + 2^16 mover + 2^8 other +
    blanks)), where d is the depth left, squares are numbered row by row, blanks is how many there
    are, ^ is exclusive or, and mixed is the hash function lowbias32.
    """
    if view.own_to_move:
        mover, other = own, opp
    else:
        mover, other = opp, own
    value = unroll(view, mover, other, d, u, beta, seed)
    return value if view.own_to_move else -value
