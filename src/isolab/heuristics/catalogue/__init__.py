"""Every heuristic that comes with Isolab: a module for each family, and what they share in `building_blocks`."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from isolab.heuristics.catalogue import (
    baseline,
    filling,
    learned,
    lookahead,
    moves,
    options,
    placement,
    roles,
    sampling,
    stages,
    territory,
)
from isolab.heuristics.definition import Heuristic, heuristic_of

_MODULES: Final = (
    baseline,
    moves,
    placement,
    options,
    filling,
    territory,
    roles,
    learned,
    lookahead,
    sampling,
    stages,
)

FAMILIES: Final = {
    module.__name__.rpartition(".")[2]: (module.__doc__ or "").partition("\n")[0]
    for module in _MODULES
}
"""The families in the order in which people see them, each with the first sentence of its module."""


@cache
def catalogue() -> Mapping[str, Heuristic]:
    """Every heuristic by name: family by family, and in a family in the order of its module."""
    found = {}
    for module in _MODULES:
        for thing in vars(module).values():
            heuristic = heuristic_of(thing)
            if heuristic is not None and heuristic.function.__module__ == module.__name__:
                found[heuristic.name] = heuristic
    return MappingProxyType(found)
