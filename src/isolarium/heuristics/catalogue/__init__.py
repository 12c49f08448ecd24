"""Every heuristic that comes with Isolarium: a module for each family, and what they share in `building_blocks`."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from isolarium.heuristics.catalogue import (
    baseline,
    blanks,
    learned,
    lookahead,
    moves,
    placement,
    random_tree,
    roles,
    safe_moves,
    stages,
    territory,
)
from isolarium.heuristics.definition import Heuristic, heuristic_of

_MODULES: Final = (
    baseline,
    moves,
    placement,
    safe_moves,
    blanks,
    territory,
    roles,
    learned,
    lookahead,
    random_tree,
    stages,
)

FAMILIES: Final = {
    module.__name__.rpartition(".")[2]: (module.__doc__ or "").partition("\n")[0]
    for module in _MODULES
}
"""The families in the order in which people see them, each with the first sentence of its module."""


class Catalogue(Mapping[str, Heuristic]):
    """Heuristics by name, which show themselves as a list: each with its formula, or with the first line on it."""

    def __init__(self, heuristics: Mapping[str, Heuristic]) -> None:
        self._heuristics = dict(heuristics)

    def __getitem__(self, name: str) -> Heuristic:
        return self._heuristics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._heuristics)

    def __len__(self) -> int:
        return len(self._heuristics)

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        lines = {name: one.formula or one.about.partition("\n")[0] for name, one in self.items()}
        return "\n".join(f"{name:<{width}}  {line}".rstrip() for name, line in lines.items())


@cache
def catalogue() -> Mapping[str, Heuristic]:
    """Every heuristic by name: family by family, and in a family in the order of its module."""
    found = {}
    for module in _MODULES:
        for thing in vars(module).values():
            heuristic = heuristic_of(thing)
            if heuristic is not None and heuristic.function.__module__ == module.__name__:
                found[heuristic.name] = heuristic
    return Catalogue(found)
