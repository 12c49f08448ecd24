"""The numbers of moves of the two players, weighed against each other."""

from math import inf

from isolarium.heuristics import PlainView, filled, heuristic, mobility


@heuristic(report="002", formula="m - weight * o")
def aggressive(view: PlainView, own: int, opp: int, weight: float = 2.0) -> float:
    """Take moves from the opponent rather than keep one's own.

    The report's first, there with a `weight` of 2. As printed, its third heuristic plays exactly like
    this one as well, so `open_cluster_as_printed` is `aggressive`: the entry of `open_cluster` says
    why.
    """
    return mobility(view, own) - weight * mobility(view, opp)


@heuristic(report="003", formula="(m - weight * o) * filled")
def weighted_moves(view: PlainView, own: int, opp: int, weight: float = 3.0) -> float:
    """Let the difference of moves count for more as the board fills.

    The report's first. The `weight` of 3 is Jason Mann's, who found it good for openings in his own
    Isola.
    """
    return (mobility(view, own) - weight * mobility(view, opp)) * filled(view)


@heuristic(report="003", formula="(m - o) / (m + o), 0 if both are 0")
def normalised(view: PlainView, own: int, opp: int) -> float:
    """Let one move more mean more where both have few: the difference over the sum.

    Proposed at the end of the report, not built there.
    """
    m, o = mobility(view, own), mobility(view, opp)
    return (m - o) / (m + o) if m + o > 0 else 0.0


@heuristic(report="004", formula="m / o, +inf if o = 0")
def ratio(view: PlainView, own: int, opp: int) -> float:
    """Divide own's moves by the opponent's: the report's first and its choice.

    An opponent without a move makes it +inf, even where own has none either and whoever is to move.
    """
    o = mobility(view, opp)
    return mobility(view, own) / o if o > 0 else inf
