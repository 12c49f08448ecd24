"""Heuristics that somebody wrote; all of them compile."""

# mypy: ignore-errors
# People's files have no types.

from beside import at_the_edge

from isolarium.heuristics import heuristic, mobility


@heuristic
def freer(view, own, opp):
    """More moves than the opponent."""
    return mobility(view, own) - mobility(view, opp)


@heuristic(names={"side": {"inside": -1.0, "outside": 1.0}}, ranges={"weight": (0, 10)})
def leaning(view, own, opp, weight=0.5, times=1, flip=False, side="inside"):
    """More moves, and a lean to the edge or away from it."""
    value = times * freer(view, own, opp) + weight * side * at_the_edge(view, own)
    return -value if flip else value


@heuristic
def by_arithmetic(view, own, opp):
    """Computes with squares, which are only names."""
    return own // view.cols


@heuristic
def infinite(view, own, opp):
    """Knows no numbers between."""
    return float("inf") if freer(view, own, opp) > 0 else -float("inf")


@heuristic
def no_number(view, own, opp):
    """Is none."""
    return float("nan")


@heuristic
def huge(view, own, opp):
    """Is too much for some searches."""
    return 1e300 * (freer(view, own, opp) + 0.5)


@heuristic
def gives_up(view, own, opp):
    """Fails once the board has filled a little."""
    if 5 * len(view.blank) < 4 * view.rows * view.cols:
        raise ValueError("too few squares")
    return 0.0


def bare(view, own, opp):
    """Is not decorated."""
    return 0.0
