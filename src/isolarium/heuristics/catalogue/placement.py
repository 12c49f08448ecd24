"""The players' squares, their safe moves, and the squares that are still blank."""

from math import inf
from typing import Any, Final

from isolarium.heuristics import (
    PlainView,
    Squares,
    center_distance,
    col,
    filled,
    helper,
    heuristic,
    legal_moves,
    mobility,
    rectangle,
    row,
    spread,
    squares,
)

# Building blocks, most of them from report 000


@helper
def safe_moves(view: PlainView, own: int, opp: int) -> Squares:
    """Return L(own) - L(opp): the player's moves that the opponent cannot make."""
    return legal_moves(view, own) - legal_moves(view, opp)


@helper
def options(view: PlainView, own: int, opp: int, n: int) -> int:
    """Count where the player may be after n moves if the opponent passes.

    The first move is a safe one. Each step replaces the set of squares instead of extending it, so a square that was
    left may be counted again.
    """
    reached = safe_moves(view, own, opp)
    for _ in range(n - 1):
        reached = spread(view, reached)
    return len(reached)


@helper
def coverage(view: PlainView) -> float:
    """Return the filled share of the board, from 0 to 1."""
    return filled(view) / (view.rows * view.cols)


@helper
def biased_center_distance(view: PlainView, square: int) -> float:
    """Return rows plus columns from a square to the biased centre (H/2, W/2)."""
    return abs(row(view, square) - view.rows / 2) + abs(col(view, square) - view.cols / 2)


CENTERS: Final = {"true": center_distance, "biased": biased_center_distance}
"""The values of a `center` parameter: the points from which dist(s) is measured."""


# Where the players stand


@heuristic(report="000", formula="(m - o) - weight * dist(own)", names={"center": CENTERS})
def balanced(view: PlainView, own: int, opp: int, weight: float = 0.5, center: Any = "true") -> float:
    """Have more moves than the opponent and stay near the centre.

    The report's custom_score; its tuning parameter is `weight`, 0.5 in the report. dist is measured from `center`: the
    true centre, as in the report's code, or the course's biased centre (H/2, W/2). The report claims to have abandoned
    the biased centre, but its printed example scores for 7x7, -3.5 at [0, 0] and 0.0 at [2, 3], fit only the biased
    centre if they are static values of those squares: m - o is a whole number, and the true distances are 6 and 1. The
    examples are then older than the correction. Scores from a search would fit either centre.
    """
    distance: float = center(view, own)
    return mobility(view, own) - mobility(view, opp) - weight * distance


@heuristic(report="003", formula="(m - o) - weight * max(0, 1 + o - m) if own is near a corner, else m - o")
def corner_penalty(view: PlainView, own: int, opp: int, weight: float = 1.0, near: int = 2) -> float:
    """Avoid the corners, especially with fewer moves than the opponent.

    The report proposes this in one sentence of its conclusion but does not build it: 'penalizes a player if he moves
    too close to a corner, depending upon the difference in valid moves between the player and the opponent'. We read
    'too close' as a Manhattan distance of at most `near` from any corner. There, the penalty is `weight` when both
    players have the same number of moves. It grows by `weight` for each move by which the player is behind, and is 0
    when the player has more moves.
    """
    lead = mobility(view, own) - mobility(view, opp)
    r, c = row(view, own), col(view, own)
    from_corner = min(r, view.rows - 1 - r) + min(c, view.cols - 1 - c)
    return lead - weight * max(0, 1 - lead) if from_corner <= near else lead


@heuristic(report="002", formula="m - weight * o, plus (H + W - q) / (H + W) once coverage >= share")
def open_cluster(view: PlainView, own: int, opp: int, weight: float = 2.0, share: float = 0.2) -> float:
    """Take moves from the opponent, and stay near the emptiest part of the board.

    The report's third heuristic. It equals `aggressive` while less than `share` of the board is filled. After that it
    adds a bonus of at most 1, which grows as the distance q to the centre of the emptiest window of round(H/2) x
    round(W/2) squares shrinks. The distance counts rows plus columns. Halves are rounded to the even number (7 gives 4,
    9 gives 4, 5 gives 2). Windows are scanned down each column and then to the right; of equally empty windows, the
    first one counts. The centre of a window is its top left corner plus half its height and width, rounded down.

    As printed, the report's code counts '1' (a string) in a list of integers. Its early return therefore always fires,
    and its third heuristic plays exactly like its first: `open_cluster_as_printed` is `aggressive`. The report's '8 of
    10 sessions better' is consistent with noise. This entry implements what the report describes.
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


# Safe moves first, then escape routes


@heuristic(
    report="000",
    formula="-dist(own) if k >= enough; options(2) - penalty if options(2) >= least; else -inf",
    names={"center": CENTERS},
)
def keep_options(
    view: PlainView,
    own: int,
    opp: int,
    enough: int = 3,
    least: float = 4.0,
    penalty: float = 100.0,
    center: Any = "true",
) -> float:
    """Stay near the centre while moves are safe, then keep options open.

    The report's custom_score_2. Its title is 'Avoid the center', but the code and the prose below the title stay near
    the centre. With fewer than `enough` safe moves the value is the number of squares two moves away, lowered by
    `penalty`, or -inf if there are fewer than `least` such squares. dist is measured from `center`: the true centre or
    the course's biased centre (H/2, W/2). The report's printed example score of -1.0 at [3, 3] on 7x7 is, if it is a
    static value, that of the biased centre, which the report claims to have abandoned: the true distance there is 0.
    """
    distance: float = center(view, own)
    if len(safe_moves(view, own, opp)) >= enough:
        return -distance
    ways = options(view, own, opp, 2)
    return ways - penalty if ways >= least else -inf


@heuristic(
    report="000",
    formula="dist(opp) - dist(own) if k >= enough; options(2) - penalty if k = enough - 1; else -inf",
    names={"center": CENTERS},
)
def push_out(
    view: PlainView, own: int, opp: int, enough: int = 3, penalty: float = 100.0, center: Any = "true"
) -> float:
    """Stay nearer to the centre than the opponent while moves are safe.

    The report's custom_score_3. With one safe move fewer than `enough` (2 in the report), the value is the number of
    squares two moves away, lowered by `penalty`. With even fewer safe moves it is -inf. dist is measured from `center`:
    the true centre or the course's biased centre (H/2, W/2).
    """
    lead: float = center(view, opp) - center(view, own)
    safe = len(safe_moves(view, own, opp))
    if safe >= enough:
        return lead
    return options(view, own, opp, 2) - penalty if safe == enough - 1 else -inf


@heuristic(
    report="000",
    formula="options(1 + floor((growth * coverage)^2)) if m >= enough; else -inf",
    ranges={"growth": (0, 10)},
)
def way_out(view: PlainView, own: int, opp: int, enough: int = 2, growth: float = 3.0) -> float:
    """Count the reachable squares, looking further ahead as the board fills.

    The report's custom_score_5. With the report's `growth` of 3 it looks one move ahead until a third of the board is
    filled, and up to nine moves ahead at the end of the game. With fewer than `enough` moves the value is -inf.
    """
    if mobility(view, own) < enough:
        return -inf
    size = view.rows * view.cols
    further = int((growth * filled(view)) ** 2 / size**2)  # A single division is exact for a whole growth.
    return options(view, own, opp, 1 + further)


# Which squares are still blank


@heuristic(
    report="000",
    formula="sum of dist(s) over blanks if k >= enough; options(3) - penalty if k = enough - 1; else -inf",
    names={"center": CENTERS},
)
def fill_center(
    view: PlainView, own: int, opp: int, enough: int = 3, penalty: float = 200.0, center: Any = "true"
) -> float:
    """Fill the middle of the board: blanks near the edges count for more.

    The report's custom_score_4. With one safe move fewer than `enough` (2 in the report), the value is the number of
    squares three moves away, lowered by `penalty`. With even fewer safe moves it is -inf. dist is measured from
    `center`: the true centre or the course's biased centre (H/2, W/2), which the report used until a lopsided heat map
    revealed the bias.
    """
    safe = len(safe_moves(view, own, opp))
    if safe >= enough:
        total = 0.0
        for square in squares(view.blank):
            total += center(view, square)
        return total
    return options(view, own, opp, 3) - penalty if safe == enough - 1 else -inf


@heuristic(report="000", formula="sign * sum of |row - col| over blanks if m >= enough; else -inf")
def fill_diagonal(view: PlainView, own: int, opp: int, enough: int = 2, sign: float = -1.0) -> float:
    """Fill the squares far from the diagonal through the top left corner.

    The report's custom_score_6. The report's prose asks for a filled diagonal, but its code has a minus sign, which
    rewards a blank diagonal, and its printed scores of -87 and -70 confirm the minus sign. The default follows the
    code; `sign=1` follows the prose. With fewer than `enough` moves the value is -inf.
    """
    if mobility(view, own) < enough:
        return -inf
    total = 0
    for square in squares(view.blank):
        total += abs(row(view, square) - col(view, square))
    return sign * total
