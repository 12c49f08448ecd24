"""From a bound heuristic to what a search takes: compiled where Numba can, called back in Python where it cannot."""

import re
import warnings
from pathlib import Path

from isolab.heuristics.binding import Bound
from isolab.heuristics.callback import Callback
from isolab.heuristics.evaluation import compiled_value
from isolab.heuristics.mirrors import Foreign
from isolab.heuristics.mistakes import mistake_in


class SlowHeuristicWarning(UserWarning):
    """A heuristic could not be compiled and runs in Python."""


def evaluator_of(bound: Bound) -> "Bound | Foreign | Callback":
    """The heuristic as a search takes it.

    One of ours is compiled as it is. Somebody else's is tried first: where Numba cannot compile it, it is called back
    in Python, after one warning that says why and what it costs, or what is wrong with it.
    """
    if not bound.is_foreign:
        return bound
    try:
        compiled_value(bound, words=1)
    except Exception as error:  # Numba's errors have no base class in common
        function = bound.heuristic.function
        mistake = mistake_in(function)
        if mistake is None:
            reason = reason_of(error, function.__code__.co_filename)
            told = (
                f"Numba cannot compile it, so it runs in Python, hundreds of times slower: {reason}"
            )
        else:
            told = f"it cannot run: {mistake}"
        warnings.warn(f"{bound}: {told}", SlowHeuristicWarning, stacklevel=2)
        return Callback(bound)
    return Foreign(bound)


def reason_of(error: Exception, file: str) -> str:
    """What Numba could not do, and in which line of the person's file, out of a report of fifty lines."""
    lines = [line.strip() for line in str(error).splitlines()]
    specific = [i for i, line in enumerate(lines) if line.endswith("raised a specific error:")]
    lines = lines[specific[-1] + 1 :] if specific else lines
    told = next((line for line in lines if line and "nopython mode pipeline" not in line), "")
    if "float() only support" in told:  # of what it returns
        told = "it does not return a number at every end"
    name = re.escape(Path(file).name)  # Numba writes the rest of the path now this way, now that
    place = re.search(rf'{name}(?:", line | \()([0-9]+)', str(error))
    where = f"line {place[1]}: " if place else ""
    return where + (told.partition(" Raised from ")[0].rstrip(". ") or type(error).__name__)[:200]
