"""Sweeps: one spec with many values put into it."""

import re
from decimal import Decimal
from itertools import product
from typing import Final

from isolab.arena.plan import Sweep
from isolab.errors import InputError, quoted

PLACE: Final = "{}"
MOST_AGENTS: Final = 500
_NUMBER: Final = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_RANGE: Final = re.compile(f"({_NUMBER}):({_NUMBER}):({_NUMBER})")


def sweep_of(template: str, values: list[str]) -> tuple[Sweep, tuple[str, ...]]:
    """The specs that come of putting every value, or every combination of values, into a template.

    Args:
        template: a spec with `{}` for each list of values, in order.
        values: the lists, each as `parse_values` takes it.

    Raises:
        InputError: there are not as many lists as places, or a list is wrong.
    """
    places = template.count(PLACE)
    if places == 0:
        raise InputError(f"{quoted(template)}: no {{}} in it; expected one where the values go")
    if places != len(values):
        told = f"{places} places {{}} and {len(values)} lists of values"
        raise InputError(f"{quoted(template)}: {told}; expected as many --values as places")
    rows = tuple(product(*map(parse_values, values)))
    if len(rows) > MOST_AGENTS:
        raise InputError(f"{len(rows)} combinations of values; expected at most {MOST_AGENTS}")
    specs = []
    for row in rows:
        spec = template
        for value in row:
            spec = spec.replace(PLACE, value, 1)
        specs.append(spec)
    return Sweep(template, rows), tuple(specs)


def parse_values(text: str) -> tuple[str, ...]:
    """`0,0.5,1` as it stands, or `0:1:0.25` for the numbers from 0 to 1 in steps of 0.25, both ends included.

    Raises:
        InputError: a value is missing, comes twice, or a range does not end.
    """
    found = _RANGE.fullmatch(text.strip())
    values = _numbers(found) if found else [part.strip() for part in text.split(",")]
    if "" in values:
        raise InputError(f"values {quoted(text)}: one is missing; expected a list such as 0,0.5,1")
    if len(set(values)) < len(values):
        raise InputError(f"values {quoted(text)}: one comes twice; expected each once")
    return tuple(values)


def _numbers(found: re.Match[str]) -> list[str]:
    first, last, by = map(Decimal, found.groups())
    count = int((last - first) / by) + 1 if by else 0
    if not 1 <= count <= MOST_AGENTS:
        raise InputError(
            f"values {quoted(found[0])}: expected FROM:TO:STEP with 1 to {MOST_AGENTS} values"
        )
    return [format(first + number * by, "f") for number in range(count)]
