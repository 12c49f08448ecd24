"""What the process of a course agent answers: bounds of its messages, and the form of a score.

Both ends import this: the process, which must load quickly, and its parent, which believes nothing.
"""

from math import inf, isnan
from typing import Any, Final

from isolarium.errors import quoted
from isolarium.processes.rpc import LONGEST_TEXT
from isolarium.text import printable, shortened

LONGEST_NAME: Final = 100
MOST_FILES: Final = 1000
"""Files of an agent that a run knows again."""
MOST_NAMES: Final = 200
"""Classes and functions of a file."""


class WrongAnswer(Exception):  # noqa: N818 # an agent's doing, not an error of ours
    """What an agent returned is nothing that it could mean."""


def score_message(value: Any) -> dict[str, float | str]:
    """Return the message of a score that an agent's function returned: any kind of number but NaN.

    Infinite ones are text, `inf` and `-inf`: JSON has no number for them.

    Raises:
        WrongAnswer: If it is not a number: true and false are not, nor is a text that can be read as one.
    """
    is_truth = isinstance(value, bool) or "bool" in str(getattr(value, "dtype", ""))
    if not is_truth and not isinstance(value, str | bytes | bytearray):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if not isnan(number):
            return {"value": str(number) if number in (inf, -inf) else number}
    raise WrongAnswer(f"returned {short(value)}; expected a number")


def text_message(text: str) -> str:
    """Return a text for people as a message has it: bounded, without control characters."""
    return shortened(printable(text), LONGEST_TEXT)


def short(thing: Any) -> str:
    """Return what an agent returned as a message shows it."""
    text = quoted(thing, LONGEST_TEXT)
    return text if len(text) <= 60 else text[:60] + "..."
