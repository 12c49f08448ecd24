"""The four that came with the course project: the baseline of all five reports."""

from isolarium.heuristics import PlainView, col, heuristic, mobility, row


@heuristic(report="course", formula="0")
def null(view: PlainView, own: int, opp: int) -> float:
    """Know nothing: every position is worth the same.

    A search with it sees wins and losses and nothing else.
    """
    return 0.0


@heuristic(name="open", report="course", formula="m")
def open_moves(view: PlainView, own: int, opp: int) -> float:
    """Count own's moves."""
    return mobility(view, own)


@heuristic(report="course", formula="(H/2 - row)^2 + (W/2 - col)^2 of own")
def center(view: PlainView, own: int, opp: int) -> float:
    """Measure how far own stands from the centre: larger is farther, so that it plays for the edge.

    The point (H/2, W/2) is half a square off the true centre on every board, towards the bottom
    right. Both are kept, since this is the baseline that others were measured against. Report 000
    found the bias in a heat map over 30,000 games.
    """
    return (view.rows / 2 - row(view, own)) ** 2 + (view.cols / 2 - col(view, own)) ** 2


@heuristic(report="course", formula="m - o")
def improved(view: PlainView, own: int, opp: int) -> float:
    """Count own's moves less the opponent's: the one to beat in all five reports."""
    return mobility(view, own) - mobility(view, opp)
