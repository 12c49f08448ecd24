"""Values of table cells, and how they appear as text, in JSON and in CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import Any

from isolarium.game.board import Square
from isolarium.stats import EloEstimate, PairSummary, RateDifference, RateEstimate, rounded
from isolarium.text import signed

Estimate = RateEstimate | EloEstimate | RateDifference


@dataclass(frozen=True, slots=True)
class Cell:
    """A value with its own text or emphasis.

    Attributes:
        value: The value in machine-readable output.
        text: The displayed text; None derives it from the value.
        best: Whether the value is the best of its group.
    """

    value: "str | float | Estimate | None"
    text: str | None = None
    best: bool = False


Value = str | int | float | Estimate | Cell | None


def text_of(value: Value, form: str = "") -> str:
    """Format a value for display.

    Integers have thousands separators unless `form` specifies another format.
    """
    if isinstance(value, Cell):
        return text_of(value.value, form) if value.text is None else value.text
    if value is None:
        return ""
    if isinstance(value, int | float):
        return _number(value, form or ("," if isinstance(value, int) else "g"))
    return str(value)


def _number(value: float, form: str) -> str:
    """Format a number; decimals are rounded as in `rounded`."""
    if not form.endswith(("f", "%")) or not isfinite(value):
        return format(value, form)
    percent = form.endswith("%")
    text = rounded(100 * value if percent else value, int(form[-2]))
    return format(Decimal(text), form.replace("%", "f")) + "%" * percent


def printed(value: Value, form: str = "") -> str:
    """Format a value for printing, with a typographic minus sign in numbers."""
    inner = value.value if isinstance(value, Cell) else value
    text = text_of(value, form)
    return text if isinstance(inner, str) else signed(text)


def is_best(value: Value) -> bool:
    """Return whether a value is the best of its group."""
    return isinstance(value, Cell) and value.best


def json_of(value: Any) -> Any:
    """Convert a value, or a structure of values, to JSON types.

    Infinities and NaN become null.
    """
    match value:
        case Cell():
            return json_of(value.value)
        case RateEstimate() | EloEstimate() | RateDifference():
            return {name: json_of(end) for name, end in zip(_names(value), _ends(value), strict=True)}
        case PairSummary():
            return {"won": value.won, "split": value.split, "lost": value.lost}
        case Enum() | Path() | Square():
            return str(value)
        case float():
            return value if isfinite(value) else None
        case str():
            return value
        case Mapping():
            return {str(key): json_of(item) for key, item in value.items()}
        case Sequence():
            return [json_of(item) for item in value]
        case _:
            return value


def csv_of(key: str, value: Value) -> dict[str, str | int | float | None]:
    """Return a value's CSV columns.

    An estimate has three columns: the value and both ends of its interval.
    """
    if isinstance(value, Cell):
        return csv_of(key, value.value)
    if isinstance(value, Estimate):
        digits = 2 if isinstance(value, EloEstimate) else 4
        return {
            f"{key}{end}": round(figure, digits) if isfinite(figure) else None
            for end, figure in zip(("", "_low", "_high"), _ends(value), strict=True)
        }
    return {key: round(value, 5) if isinstance(value, float) else value}


def _names(value: Estimate) -> tuple[str, str, str]:
    first = {RateEstimate: "rate", EloEstimate: "elo", RateDifference: "difference"}[type(value)]
    return first, "low", "high"


def _ends(value: Estimate) -> tuple[float, float, float]:
    if isinstance(value, RateEstimate):
        return value.rate, value.low, value.high
    if isinstance(value, EloEstimate):
        return value.elo, value.low, value.high
    return value.difference, value.low, value.high
