"""Report 000's: while own has enough safe moves something else counts, and then ways out do."""

from math import inf
from typing import Any

from isolarium.heuristics import PlainView, filled, heuristic, mobility
from isolarium.heuristics.catalogue.building_blocks import CENTERS, options, safe_moves


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
    """Stay near the centre while there are safe moves, then go where ways lead on.

    The report's custom_score_2 ('Avoid the center', it says, but its code and its prose below the
    title stay near it). With fewer than `enough` safe moves every value lies `penalty` lower, and
    with fewer than `least` squares two moves away it is -inf. `center` is where dist is measured
    from: the true centre, or the course's biased one (H/2, W/2). The report's printed example score
    of -1.0 at [3, 3] on 7x7 can only come from the biased centre that it says it gave up: the true
    distance there is 0.
    """
    distance: float = center(view, own)
    if len(safe_moves(view, own, opp)) >= enough:
        return -distance
    ways = options(view, own, opp, 2)
    return ways - penalty if ways >= least else -inf


@heuristic(
    report="000",
    formula="dist(opp) - dist(own) if k >= enough; options(2) - penalty if k = enough - 1; "
    "else -inf",
    names={"center": CENTERS},
)
def push_out(
    view: PlainView,
    own: int,
    opp: int,
    enough: int = 3,
    penalty: float = 100.0,
    center: Any = "true",
) -> float:
    """Stay nearer to the centre than the opponent while there are safe moves.

    The report's custom_score_3. With one safe move fewer than `enough`, 2 in the report, the squares
    two moves away count, every value `penalty` lower; with still fewer it is -inf. `center` is
    where dist is measured from: the true centre, or the course's biased one (H/2, W/2).
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
    """Have many squares to go to, looked for further and further away as the board fills.

    The report's custom_score_5. With its `growth` of 3 it looks one move ahead until a third of the
    board is filled, and up to nine moves ahead in the end; with fewer than `enough` moves it is
    -inf.
    """
    if mobility(view, own) < enough:
        return -inf
    size = view.rows * view.cols
    further = int((growth * filled(view)) ** 2 / size**2)  # one division: exact for a whole growth
    return options(view, own, opp, 1 + further)
