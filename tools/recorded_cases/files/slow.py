"""Heuristics that cannot be compiled, or cannot even run."""

# mypy: ignore-errors
# People's files have no types.

import os

from isolarium.heuristics import heuristic, mobility


class Fixed:
    """What keeps Numba away."""

    one = 1


@heuristic
def by_name(view, own, opp):
    """Works, in Python alone."""
    values = {"own": mobility(view, own), "opp": float(mobility(view, opp))}
    return eval("own - opp", values)


@heuristic
def talks(view, own, opp):
    """Prints."""
    print("talking", Fixed.one)
    return 0


@heuristic
def divides(view, own, opp):
    """Fails once the board has filled a little."""
    return Fixed.one / max(0, len(view.blank) - 40)


@heuristic
def leaves(view, own, opp):
    """Ends its process."""
    raise SystemExit(Fixed.one)


@heuristic
def dies(view, own, opp):
    """Takes its process along."""
    os._exit(2 + Fixed.one)


@heuristic
def hoards(view, own, opp):
    """Has no memory left."""
    raise MemoryError(Fixed.one)


@heuristic
def misspelt(view, own, opp):
    """Uses a word that is none."""
    return mobilty(view, own)  # noqa: F821


@heuristic
def without_return(view, own, opp):
    """Returns nothing."""
    mobility(view, own)
