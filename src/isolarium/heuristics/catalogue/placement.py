"""Where on the board a player stands, beside the difference of moves."""

from typing import Any

from isolarium.heuristics import PlainView, col, heuristic, mobility, rectangle, row
from isolarium.heuristics.catalogue.building_blocks import CENTERS, coverage


@heuristic(report="000", formula="(m - o) - weight * dist(own)", names={"center": CENTERS})
def balanced(
    view: PlainView, own: int, opp: int, weight: float = 0.5, center: Any = "true"
) -> float:
    """Have more moves than the opponent, and stay out of the corners.

    The report's custom_score; the `weight` of 0.5 is its tuning parameter. `center` is where dist is
    measured from: the true centre, as in its code, or the course's biased one (H/2, W/2). Its
    printed example scores, -3.5 at [0, 0] and 0.0 at [2, 3] on 7x7, can only come from the biased
    centre that it says it gave up, since m - o is a whole number and the true distances there are 6
    and 1. So the examples are older than the correction.
    """
    distance: float = center(view, own)
    return mobility(view, own) - mobility(view, opp) - weight * distance


@heuristic(
    report="003", formula="(m - o) - weight * max(0, 1 + o - m) if own is near a corner, else m - o"
)
def corner_penalty(
    view: PlainView, own: int, opp: int, weight: float = 1.0, near: int = 2
) -> float:
    """Avoid the corners, the more so the fewer moves own has in comparison.

    Proposed in one sentence at the end of the report, not built there: 'penalizes a player if he
    moves too close to a corner, depending upon the difference in valid moves between the player and
    the opponent'. Our reading: too close is a Manhattan distance of at most `near` from any corner,
    and the penalty is `weight` for equal numbers of moves, once more for each move that own has
    fewer, and nothing where own has more.
    """
    lead = mobility(view, own) - mobility(view, opp)
    r, c = row(view, own), col(view, own)
    from_corner = min(r, view.rows - 1 - r) + min(c, view.cols - 1 - c)
    return lead - weight * max(0, 1 - lead) if from_corner <= near else lead


@heuristic(
    report="002", formula="m - weight * o, plus (H + W - q) / (H + W) once coverage >= share"
)
def open_cluster(
    view: PlainView, own: int, opp: int, weight: float = 2.0, share: float = 0.2
) -> float:
    """Take moves from the opponent and, among equals, stay near the emptiest quarter of the board.

    The report's third: `aggressive` while less than `share` of the board is filled, and from then on
    a bonus below 1 for a small distance q, rows plus columns, to the centre of the least filled
    window of round(H/2) x round(W/2) squares. round takes halves to the even number (7 gives 4, 9
    gives 4, 5 gives 2). Windows are tried down each column of positions and then to the right, the
    first of equals is taken, and its centre is its corner plus half its height and width, rounded
    down.

    As printed, the report's code counts '1' (a text) in a list of integers, so that the early return
    always fires and its third heuristic plays exactly like its first: `open_cluster_as_printed` is
    `aggressive`. Its '8 of 10 sessions better' is noise. This is what it describes.
    """
    value = mobility(view, own) - weight * mobility(view, opp)
    if coverage(view) < share:
        return value
    height, width = round(view.rows / 2), round(view.cols / 2)
    most, center_row, center_col = -1, 0, 0
    for left in range(view.cols - width + 1):
        for top in range(view.rows - height + 1):
            blanks = len(rectangle(view, top, left, height, width) & view.blank)
            if blanks > most:
                most, center_row, center_col = blanks, top + height // 2, left + width // 2
    q = abs(row(view, own) - center_row) + abs(col(view, own) - center_col)
    span = view.rows + view.cols
    return value + (span - q) / span
