"""The nearest known name, for errors that say what was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """`did you mean 'improved'?`, or nothing where no known name is near."""
    near = get_close_matches(given, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else ""
