"""Every heuristic that comes with Isolab, by family."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Final

from isolab.errors import InputError, quoted
from isolab.heuristics.definition import Heuristic, heuristic_of
from isolab.heuristics.loading import installed_names, load_installed
from isolab.text import did_you_mean

FAMILIES: Final = (
    "baseline",
    "moves",
    "placement",
    "options",
    "filling",
    "territory",
    "roles",
    "lookahead",
    "sampling",
    "stages",
)
"""The modules, in the order in which people see them."""


@cache
def catalogue() -> Mapping[str, Heuristic]:
    """Every heuristic by name: family by family, and in a family in the order of its module."""
    found = {}
    for family in FAMILIES:
        module = import_module(f"{__package__}.{family}")
        for thing in vars(module).values():
            heuristic = heuristic_of(thing)
            if heuristic is not None and heuristic.function.__module__ == module.__name__:
                found[heuristic.name] = heuristic
    return MappingProxyType(found)


def find(name: str) -> Heuristic:
    """The heuristic of that name: one of ours, or one that an installed package has registered.

    Raises:
        InputError: there is none.
    """
    known = catalogue()
    if name in known:
        return known[name]
    installed = load_installed(name)
    if installed is None:
        hint = did_you_mean(name, [*known, *installed_names()]) or "isolab heuristics lists them"
        raise InputError(f"no heuristic {quoted(name)} ({hint})")
    return installed
