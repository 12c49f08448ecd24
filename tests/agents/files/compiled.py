"""Heuristics as people write them; Numba compiles all of these."""

# mypy: ignore-errors
# People's files have no types, and their neighbours are found by Isolarium alone.

from helpers import edges

from isolarium.heuristics import heuristic, mobility, row


@heuristic
def improved(view, own, opp):
    return mobility(view, own) - mobility(view, opp)


@heuristic(names={"part": {"own": 1.0, "both": 2.0}})
def weighted(view, own, opp, weight=2.0, count=1, flip=False, part="own"):
    value = (mobility(view, own) - weight * mobility(view, opp)) * count * part
    return -value if flip else value


@heuristic
def along_the_edge(view, own, opp):
    return edges(view, own) - edges(view, opp)


@heuristic
def row_by_row(view, own, opp):
    return row(view, own)


@heuristic
def row_by_arithmetic(view, own, opp):
    return own // view.cols


@heuristic
def row_late_by_arithmetic(view, own, opp):
    blanks = len(view.blank)
    return own // view.cols if 2 * blanks < view.rows * view.cols else 0


@heuristic
def infinite(view, own, opp):
    return float("inf") if mobility(view, own) > mobility(view, opp) else -float("inf")


@heuristic
def not_a_number(view, own, opp):
    return float("nan")


@heuristic
def huge(view, own, opp):
    return 1e300 * (mobility(view, own) - mobility(view, opp) + 0.5)


@heuristic
def fails_late(view, own, opp):
    if len(view.blank) < 40:
        raise ValueError("too few squares")
    return 0.0


@heuristic
def endless(view, own, opp):
    steps = 0
    while mobility(view, own) >= 0:
        steps += 1
    return steps
