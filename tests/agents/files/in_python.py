"""Heuristics that Numba cannot compile."""

# mypy: ignore-errors
import sys

from isolarium.heuristics import heuristic, mobility


class Scale:
    by = 1


@heuristic
def improved(view, own, opp):
    return Scale().by * (mobility(view, own) - mobility(view, opp))


@heuristic
def fails_late(view, own, opp):
    return Scale().by / max(0, len(view.blank) - 40)


@heuristic
def leaves(view, own, opp):
    return sys.exit(Scale.by)


@heuristic
def misspelt(view, own, opp):
    return mobilty(view, own)  # noqa: F821


@heuristic
def without_return(view, own, opp):
    mobility(view, own)


@heuristic
def talks(view, own, opp):
    print("talking", Scale.by)
    return 0


@heuristic
def endless(view, own, opp):
    while Scale.by:
        pass
    return 0
