"""Own's moves played out one by one, and in some the opponent's answers too.

Own moves even where it is the opponent's turn.
"""

from math import inf, log
from typing import Any, Final

import numpy as np

from isolarium.heuristics import PlainView, after, heuristic, legal_moves, mobility, squares

LOG: Final = np.round([log(moves or 0.5) for moves in range(9)], 15)
"""The logarithm of a number of moves, none counted as 1/2; rounded to be equal on every machine."""

NEARLY_ZERO: Final = 1e-9
"""A sum of logarithms this small is 0 but for rounding."""

MULTIPLE: Final = 840.0
"""The least common multiple of 1 to 8: ratios of moves times this are whole, and their sum exact."""


@heuristic(
    report="002",
    formula="mean of m' / o' over own's moves; +inf if o' = 0 after any; -inf if m = 0",
)
def lookahead_ratio(view: PlainView, own: int, opp: int) -> float:
    """Average the ratio of moves over the positions that own can move to.

    The report's second. A prime counts after own's move. Where it is the opponent's turn, own moves
    out of turn; the report's printed code moves whichever player is active instead, and so puts the
    opponent's knight on own's target. This is the meant reading.
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


@heuristic(report="004", formula="max over own's moves of m' - o'; -inf if m = 0")
def lookahead_max(view: PlainView, own: int, opp: int) -> float:
    """Take the best difference of moves that own can move to.

    The report's second in its first cut, which did poorly there. A prime counts after own's move,
    which own makes out of turn where it is the opponent's.
    """
    best = -inf
    for move in squares(legal_moves(view, own)):
        then = after(view, move)
        best = max(best, mobility(then, move) - mobility(then, opp))
    return best


@heuristic(
    report="004",
    formula="max over own's moves of min over the answers of m * m'' - o''; "
    "-inf without a move, +inf without an answer",
)
def lookahead_weighted(view: PlainView, own: int, opp: int) -> float:
    """Look a move and an answer ahead, and weigh own's moves then by own's moves now.

    The report's second: '(number of current choices for player * number of choices for player in next
    move given an opponent move) - number of choices for opponent given an opponent move'. Our
    reading of 'given an opponent move': own moves, the opponent answers as badly for own as it can,
    and both are counted after that. Own moves out of turn where it is the opponent's.
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
    formula="1 / min over own's moves and the answers of sign * (w1 + w2); "
    "-inf without a move, +inf without an answer",
    names={"sign": {"report": 1.0, "paper": -1.0}},
)
def minmax_local(
    view: PlainView,
    own: int,
    opp: int,
    p_max: float = 10.0,
    p_min: float = 0.1,
    sign: Any = "report",
) -> float:
    """Rank by the least penalty of a move and an answer, after Rivest's min/max approximation.

    The report's third: a stand-in of depth 2 for the method of R. L. Rivest, Game Tree Searching by
    Min/Max Approximation (Artificial Intelligence 34, 1988). With S = m' / o' after own's move and
    S'' = o'' / m'' after the answer,

        w1 = -ln n + (p_min - 1) * (-ln S - ln S)     n: own's moves
        w2 = -ln o' + (p_max - 1) * (ln S'' + ln S)

    where `p_max` and `p_min` are the report's maxp and minp. No moves count as 1/2 inside the
    logarithms, and w1 + w2 = 0 gives +inf. Both signs are opposite to the paper's, whose penalty is
    the negative logarithm of the derivative and so begins with +ln n. `sign=report` is the report's
    reading; `sign=paper` negates w1 and w2. Own moves out of turn where it is the opponent's.
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
