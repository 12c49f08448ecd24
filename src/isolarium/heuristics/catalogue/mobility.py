"""The course's four baselines, and other ways to compare numbers of moves."""

from math import inf

from isolarium.heuristics import PlainView, col, filled, heuristic, mobility, row


@heuristic(report="course", formula="0")
def null(view: PlainView, own: int, opp: int) -> float:
    """Score every position 0.

    A search with this heuristic finds only forced wins and losses.
    """
    return 0.0


@heuristic(name="open", report="course", formula="m")
def open_moves(view: PlainView, own: int, opp: int) -> float:
    """Count the player's moves."""
    return mobility(view, own)


@heuristic(report="course", formula="(H/2 - row)^2 + (W/2 - col)^2 of own")
def center(view: PlainView, own: int, opp: int) -> float:
    """Prefer squares far from the centre.

    The distance is measured to the point (H/2, W/2), half a square below and to the right of the true centre. This
    catalogue keeps the direction and the offset, because all five reports measure against this baseline. Report 000
    discovered the offset in a heat map over 30,000 games.
    """
    return (view.rows / 2 - row(view, own)) ** 2 + (view.cols / 2 - col(view, own)) ** 2


@heuristic(report="course", formula="m - o")
def improved(view: PlainView, own: int, opp: int) -> float:
    """Count the player's moves minus the opponent's.

    This is the baseline to beat in all five reports.
    """
    return mobility(view, own) - mobility(view, opp)


@heuristic(report="002", formula="m - weight * o")
def aggressive(view: PlainView, own: int, opp: int, weight: float = 2.0) -> float:
    """Value taking a move from the opponent above keeping one.

    The report's first heuristic, with the report's `weight` of 2. As printed, the report's third heuristic plays
    exactly like this one (see `open_cluster`), so `open_cluster_as_printed` is `aggressive`.
    """
    return mobility(view, own) - weight * mobility(view, opp)


@heuristic(report="003", formula="(m - weight * o) * filled")
def weighted_moves(view: PlainView, own: int, opp: int, weight: float = 3.0) -> float:
    """Make the difference of moves count for more as the board fills.

    The report's first heuristic. The `weight` of 3 comes from Jason Mann, who found it good for openings in his own
    Isola program.
    """
    return (mobility(view, own) - weight * mobility(view, opp)) * filled(view)


@heuristic(report="003", formula="(m - o) / (m + o), 0 if both are 0")
def normalised(view: PlainView, own: int, opp: int) -> float:
    """Divide the difference of moves by their sum.

    One extra move counts for more when both players have few. The report proposes this heuristic in its conclusion but
    does not build it.
    """
    m, o = mobility(view, own), mobility(view, opp)
    return (m - o) / (m + o) if m + o > 0 else 0.0


@heuristic(report="004", formula="m / o, +inf if o = 0")
def ratio(view: PlainView, own: int, opp: int) -> float:
    """Divide the player's moves by the opponent's.

    The report's first heuristic, and the one it chose. The value is +inf whenever the opponent has no move, even if the
    player has no move either, and regardless of the turn.
    """
    o = mobility(view, opp)
    return mobility(view, own) / o if o > 0 else inf
