"""Text formatting shared by all packages: counts, durations, signs and suggestions for misspellings."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

ELLIPSIS: Final = "…"


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return `did you mean 'improved'?`, or an empty text if no known name is similar."""
    near = get_close_matches(given, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else ""


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return `1 game` or `1,200 games`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """Return `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def signed(figure: str) -> str:
    """Return a number with a typographic minus sign, which is as wide as a plus sign."""
    return figure.replace("-", "\N{MINUS SIGN}")


def elo_words(difference: float, unit: str = "Elo") -> str:
    """Return `+30 Elo` or `0 Elo`."""
    return f"{signed(f'{difference:+g}')} {unit}" if difference else f"0 {unit}"


def duration(seconds: float) -> str:
    """Return a duration such as `8 s`, `2 min 10 s` or `3 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def shortened(text: str, width: int) -> str:
    """Return text, shortened in the middle if it exceeds the width."""
    if len(text) <= width:
        return text
    kept = width - len(ELLIPSIS)
    return text[: kept - kept // 2] + ELLIPSIS + text[len(text) - kept // 2 :]


def printable(text: str) -> str:
    """Replace each unprintable character with a mark."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def harmless_cell(value: object) -> object:
    """Return a value for a CSV cell.

    Text that a spreadsheet would treat as a formula is prefixed with an apostrophe.
    """
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
