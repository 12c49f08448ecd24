"""Heuristics that look one or more moves ahead.

The first four heuristics try every move of the evaluated player, who moves first even if it is the opponent's turn.
`free_moves` unrolls a small random part of the game tree.
"""

from collections.abc import Callable
from math import inf, log
from typing import Any, Final

import numpy as np

from isolarium.heuristics import (
    PlainView,
    Squares,
    after,
    helper,
    heuristic,
    just,
    legal_moves,
    mobility,
    number,
    squares,
)

LOG: Final = np.round([log(moves or 0.5) for moves in range(9)], 15)
"""The rounded logarithm of a number of moves, with 0 counted as 1/2.

Rounding makes it the same on every machine."""

NEARLY_ZERO: Final = 1e-9
"""A sum of logarithms up to this size differs from 0 only by rounding errors."""

MULTIPLE: Final = 840.0
"""The least common multiple of 1 to 8.

Ratios of moves multiplied by it are whole numbers, so their sum is exact."""


@heuristic(report="002", formula="mean of m' / o' over own's moves; +inf if o' = 0 after any; -inf if m = 0")
def lookahead_ratio(view: PlainView, own: int, opp: int) -> float:
    """Average the ratio of moves over the positions after each of the player's moves.

    The report's second heuristic. A prime marks counts after that move. If it is the opponent's turn, the player moves
    out of turn. The report's printed code moves the active player's knight
    instead: that is `lookahead_ratio_as_printed`. This entry implements what the report intended.
    """
    moves = legal_moves(view, own)
    if not moves:
        return -inf
    total = 0.0
    for move in squares(moves):
        then = after(view, move)
        answers = mobility(then, opp)
        if answers == 0:
            return inf
        total += mobility(then, move) * (MULTIPLE / answers)
    return total / (MULTIPLE * len(moves))


@heuristic(
    report="002", formula="lookahead_ratio on own's turn; on opp's turn the same, but opp's knight goes to own's target"
)
def lookahead_ratio_as_printed(view: PlainView, own: int, opp: int) -> float:
    """Average the ratio of moves after the player's moves, made by the player to move.

    The report's second heuristic as its code is printed. On the player's turn it is `lookahead_ratio`. On the
    opponent's turn, `forecast_move` moves the active player, so the code puts the opponent's knight on each of the
    player's target squares and leaves the player where it is.
    """
    moves = legal_moves(view, own)
    if not moves:
        return -inf
    total = 0.0
    for move in squares(moves):
        then = after(view, move)
        if view.own_to_move:
            mine, theirs = move, opp
        else:
            mine, theirs = own, move
        answers = mobility(then, theirs)
        if answers == 0:
            return inf
        total += mobility(then, mine) * (MULTIPLE / answers)
    return total / (MULTIPLE * len(moves))


@heuristic(report="004", formula="max over own's moves of m' - o'; -inf if m = 0")
def lookahead_max(view: PlainView, own: int, opp: int) -> float:
    """Find the best difference of moves after any of the player's moves.

    The first version of the report's second heuristic, which performed poorly there. A prime marks counts after the
    move, which the player makes out of turn if it is the opponent's turn.
    """
    best = -inf
    for move in squares(legal_moves(view, own)):
        then = after(view, move)
        best = max(best, mobility(then, move) - mobility(then, opp))
    return best


@heuristic(
    report="004",
    formula="max over own's moves of min over the replies of m * m'' - o''; -inf without a move, +inf without a reply",
)
def lookahead_weighted(view: PlainView, own: int, opp: int) -> float:
    """Look a move and a reply ahead, and multiply the current moves by the moves after that.

    The report's second heuristic: '(number of current choices for player * number of choices for player in next move
    given an opponent move) - number of choices for opponent given an opponent move'. We read 'given an opponent move'
    as follows: the player moves, the opponent makes the reply that is worst for the player, and then both players'
    moves are counted. If it is the opponent's turn, the player moves first, out of turn.
    """
    moves = legal_moves(view, own)
    best = -inf
    for move in squares(moves):
        then = after(view, move)
        worst = inf
        for answer in squares(legal_moves(then, opp)):
            last = after(then, answer)
            worst = min(worst, len(moves) * mobility(last, move) - mobility(last, answer))
        best = max(best, worst)
    return best


@heuristic(
    report="004",
    formula="1 / min over own's moves and the replies of sign * (w1 + w2); -inf without a move, +inf without a reply",
    names={"sign": {"report": 1.0, "paper": -1.0}},
)
def minmax_local(
    view: PlainView, own: int, opp: int, p_max: float = 10.0, p_min: float = 0.1, sign: Any = "report"
) -> float:
    """Find the least penalty of a move and a reply, after Rivest.

    The report's third heuristic: a stand-in of depth 2 for the method of R. L. Rivest, Game Tree Searching by Min/Max
    Approximation (Artificial Intelligence 34, 1988). The search `minmax_approximation` implements the method itself.
    With S = m' / o' after the player's move and S'' = o'' / m'' after the reply,

        w1 = -ln n + (p_min - 1) * (-ln S - ln S)     n: the player's moves
        w2 = -ln o' + (p_max - 1) * (ln S'' + ln S)

    where `p_max` and `p_min` are the report's maxp and minp. Inside the logarithms 0 moves count as 1/2, and w1 + w2 =
    0 gives +inf. Both signs are opposite to the paper's, whose penalty is the negative logarithm of the derivative and
    so begins with +ln n. `sign=report` follows the report; `sign=paper` negates w1 and w2. If it is the opponent's
    turn, the player moves first, out of turn.
    """
    moves = legal_moves(view, own)
    if not moves:
        return -inf
    least = inf
    for move in squares(moves):
        then = after(view, move)
        answers = legal_moves(then, opp)
        if not answers:
            return inf
        log_s = LOG[mobility(then, move)] - LOG[len(answers)]
        w1 = -LOG[len(moves)] + (p_min - 1) * (-log_s - log_s)
        for answer in squares(answers):
            last = after(then, answer)
            log_s2 = LOG[mobility(last, answer)] - LOG[mobility(last, move)]
            w2 = -LOG[len(answers)] + (p_max - 1) * (log_s2 + log_s)
            least = min(least, sign * (w1 + w2))
    return 1 / least if abs(least) > NEARLY_ZERO else inf


# A small random part of the game tree

DEEPEST: Final = 6
BITS: Final = 0xFFFFFFFF

Unroll = Callable[[PlainView, int, int, int, int, float, int], float]


@helper
def mixed(bits: int) -> int:
    """Mix the bits of a 32-bit number; different numbers give different results.

    The hash function is lowbias32 (C. Wellons, Prospecting for Hash Functions, 2018).
    """
    bits = (bits ^ bits >> 16) * 0x7FEB352D & BITS
    bits = (bits ^ bits >> 15) * 0x846CA68B & BITS
    return bits ^ bits >> 16


@helper
def ticket_of(view: PlainView, mover: int, other: int, d: int, seed: int) -> int:
    """Hash the inputs of a draw: seed, depth, squares and number of blanks."""
    place = (d << 24) + (number(view, mover) << 16) + (number(view, other) << 8) + len(view.blank)
    return mixed(seed ^ mixed(place))


@helper
def drawn(view: PlainView, moves: Squares, ticket: int) -> int:
    """Draw the move that minimizes mixed(ticket ^ number)."""
    first, least = -1, BITS + 1
    for move in squares(moves):
        rank = mixed(ticket ^ number(view, move))
        if rank < least:
            first, least = move, rank
    return first


def one_ply_more(unroll: Unroll) -> Unroll:
    """Build F(d) from F(d - 1), for the side to move, which is on `mover`.

    Compiled code cannot recurse here, so the function is built one ply at a time.
    """

    @helper
    def unroll_more(view: PlainView, mover: int, other: int, d: int, u: int, beta: float, seed: int) -> float:
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


@helper
def unroll_nothing(view: PlainView, mover: int, other: int, d: int, u: int, beta: float, seed: int) -> float:
    """Return F(0)."""
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
def free_moves(view: PlainView, own: int, opp: int, d: int = 2, u: int = 3, beta: float = 1.2, seed: int = 0) -> float:
    """Count the mover's moves, minus the opponent's value after random ones.

    The report's F(d, u, beta): the number n of moves of the side to move, minus `beta` times the mean of F(d - 1) after
    at most `u` of them, drawn at random. The tree is `d` plies deep. The report's variants are the default,
    `free_moves(beta=0.8)`, `(beta=1)`, `(beta=1.4)`, `(u=10)`, `(d=3, u=4)` and `(d=4, u=2)`. The report prints min(v,
    n) where it means min(u, n).

    The position and `seed` determine the moves that are drawn, so a search is reproducible. They are the moves with the
    smallest mixed(ticket ^ number), where

        ticket = mixed(seed ^ mixed((d << 24) + (mover << 16) + (other << 8) + blanks))

    d is the depth left, squares are numbered row by row, blanks is the number of blank squares, ^ is exclusive or, and
    mixed is the hash function lowbias32.
    """
    if view.own_to_move:
        mover, other = own, opp
    else:
        mover, other = opp, own
    value = unroll(view, mover, other, d, u, beta, seed)
    return value if view.own_to_move else -value
