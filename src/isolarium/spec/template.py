"""Agent templates with placeholders, such as `alphabeta:aggressive(weight={0..4})@nodes=1000`, for sweeps and tuning.

    place = "{" [ numbers | list ] "}"
    numbers = number ".." number [ "by" number ]   a range; or steps, both ends included
    list    = value { "|" value }                  numbers or names

An empty placeholder takes its values from a sweep's `--values`.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Final

from isolarium.errors import InputError, quoted
from isolarium.text import counted

MOST_VALUES: Final = 500
"""The most values of a placeholder, and the most agents of a sweep."""
EMPTY: Final = "{}"
DIGITS: Final = 3
"""A number from a range has this many digits more than the length of the range."""
_NUMBER: Final = r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15})"
_IS_NUMBER: Final = re.compile(_NUMBER)
_PLACE: Final = re.compile(r"\{([^{}]*)\}")
_STEPS: Final = re.compile(f"({_NUMBER}):({_NUMBER}):({_NUMBER})")
_RANGE: Final = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*(?:by\s*({_NUMBER})\s*)?")


@dataclass(frozen=True, slots=True)
class Place:
    """The possible values of one placeholder of a template.

    Attributes:
        text: The text between the braces.
        values: The values, in order; empty for a range without steps, and for an empty placeholder.
        ends: The smallest and the largest number of a range without steps.
    """

    text: str
    values: tuple[str, ...] = ()
    ends: tuple[Decimal, Decimal] | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.ends is not None or all(map(_IS_NUMBER.fullmatch, self.values))

    def at(self, share: float) -> str:
        """Return the value at a fraction of the way from the first to the last."""
        if self.ends is None and self.is_numeric:
            return min(self.values, key=lambda value: abs(self.share_of(value) - share))
        if self.ends is None:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        low, high = self.ends
        quantum = Decimal(1).scaleb((high - low).adjusted() - DIGITS)
        number = (low + Decimal(share) * (high - low)).quantize(quantum)
        return written(min(max(number, low), high))

    def share_of(self, value: str) -> float:
        """Return a number's place between the smallest, 0, and the largest, 1; for names, the index in the list."""
        if not self.is_numeric:
            return float(self.values.index(value))
        numbers = self.ends or tuple(map(Decimal, self.values))
        low, high = min(numbers), max(numbers)
        return float((Decimal(value) - low) / (high - low)) if high > low else 0.0


def written(number: Decimal) -> str:
    """Format a number in plain digits, without trailing zeros."""
    text = format(number + 0, "f")  # there is no -0
    return text.rstrip("0").rstrip(".") if "." in text else text


def places_of(template: str) -> list[Place]:
    """Return the placeholders of a template, from left to right.

    Raises:
        InputError: If there is none, or one is neither a range nor a list.
    """
    found = [_place(text) for text in _PLACE.findall(template)]
    if not found:
        raise InputError(f"{quoted(template)}: no placeholder; write the values in braces, such as {{0|0.5|1}}")
    return found


def _place(text: str) -> Place:
    if not text.strip():
        return Place("")
    found = _RANGE.fullmatch(text)
    where = f"{{{text.strip()}}}"
    if found is None:
        if ".." in text:
            problem = "expected {FROM..TO} or {FROM..TO by STEP} with numbers"
            raise InputError(f"{quoted(where)}: {problem}")
        return Place(text, _values(where, text.split("|"), "{0|0.5|1}"))
    low, high = Decimal(found[1]), Decimal(found[2])
    if low >= high:
        raise InputError(f"{quoted(where)}: expected the smaller number first")
    if found[3] is None:
        return Place(text, ends=(low, high))
    step = Decimal(found[3])
    if step > high - low:
        raise InputError(f"{quoted(where)}: expected a step of at most {written(high - low)}")
    steps = _in_steps(where, (low, high, step), "{FROM..TO by STEP}")
    return Place(text, tuple(map(written, steps)))


def _values(where: str, parts: list[str], example: str) -> tuple[str, ...]:
    """Return the values of a list.

    Raises:
        InputError: If one is missing or repeated.
    """
    values = [part.strip() for part in parts]
    if "" in values:
        raise InputError(f"values {quoted(where)}: a value is missing; expected a list such as {example}")
    if len(set(values)) < len(values):
        raise InputError(f"values {quoted(where)}: a value is repeated; give each value once")
    return tuple(values)


def _in_steps(where: str, numbers: tuple[Decimal, ...], form: str) -> list[Decimal]:
    first, last, by = numbers
    count = int((last - first) / by) + 1 if by else 0
    if not 1 <= count <= MOST_VALUES:
        raise InputError(f"values {quoted(where)}: expected {form} with 1 to {MOST_VALUES} values")
    return [first + number * by for number in range(count)]


def fill(template: str, values: tuple[str, ...]) -> str:
    """Return a template with a value in place of each placeholder."""
    left = iter(values)
    return _PLACE.sub(lambda _: next(left), template)


def parse_values(text: str) -> tuple[str, ...]:
    """Parse a list such as `0,0.5,1`, or `0:1:0.25` for 0 to 1 in steps of 0.25, both ends included.

    Raises:
        InputError: If a value is missing or repeated, or a range does not end.
    """
    found = _STEPS.fullmatch(text.strip())
    if found is None:
        return _values(text, text.split(","), "0,0.5,1")
    steps = _in_steps(text, tuple(map(Decimal, found.groups())), "FROM:TO:STEP")
    return tuple(format(one, "f") for one in steps)


@dataclass(frozen=True)
class Sweep:
    """The template of the agents in a sweep, and their values.

    Attributes:
        template: The spec with `{}` in place of each value.
        values: The values of every agent.
    """

    template: str
    values: tuple[tuple[str, ...], ...]


def sweep_of(template: str, values: list[str]) -> tuple[Sweep, tuple[str, ...]]:
    """Return the sweep of a template, and its specs: one for every combination of values.

    Args:
        template: A spec with placeholders; empty ones take the lists of values, in order.
        values: The lists, in the notation of `parse_values`.

    Raises:
        InputError: If there are not as many lists as empty placeholders, a placeholder is a range
            without steps, or a list is invalid.
    """
    places = places_of(template)
    empty = sum(not place.text for place in places)
    if empty != len(values):
        problem = f"{counted(empty, 'empty {}', 'empty {}')} and {counted(len(values), 'list')} of values"
        raise InputError(f"{quoted(template)}: {problem}; give one list for each {{}}")
    for place in places:
        if place.ends is not None:
            problem = f"expected steps in a sweep, such as {{{place.text.strip()} by 1}}"
            raise InputError(f"{quoted(template)}: {problem}")
    lists = iter(map(parse_values, values))
    rows = tuple(product(*(place.values or next(lists) for place in places)))
    if len(rows) > MOST_VALUES:
        raise InputError(f"{len(rows)} combinations of values; expected at most {MOST_VALUES}")
    plain = _PLACE.sub(EMPTY, template)
    return Sweep(plain, rows), tuple(fill(plain, row) for row in rows)
