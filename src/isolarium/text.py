"""Small pieces of wording that every room shares: counts, durations, signs, names cut short, and near misses."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

ELLIPSIS: Final = "…"


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """`did you mean 'improved'?`, or nothing where no known name is near."""
    near = get_close_matches(given, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else ""


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 game`, `1,200 games`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def signed(figure: str) -> str:
    """A figure in print: with a minus sign, which is as wide as a plus."""
    return figure.replace("-", "\N{MINUS SIGN}")


def elo_words(difference: float, unit: str = "Elo") -> str:
    """`+30 Elo`, `0 Elo`."""
    return f"{signed(f'{difference:+g}')} {unit}" if difference else f"0 {unit}"


def duration(seconds: float) -> str:
    """A time that people can grasp: `8 s`, `2 min 10 s`, `3 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def shortened(text: str, width: int) -> str:
    """The text, or its beginning and its end with the middle left out."""
    if len(text) <= width:
        return text
    kept = width - len(ELLIPSIS)
    return text[: kept - kept // 2] + ELLIPSIS + text[len(text) - kept // 2 :]


def printable(text: str) -> str:
    """Text with a mark in place of whatever has no shape, or would change that of its surroundings."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def harmless_cell(value: object) -> object:
    """A value for a cell of CSV; a text that a spreadsheet would take for a formula has an apostrophe in front."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
