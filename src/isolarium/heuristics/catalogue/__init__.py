"""The heuristics that come with Isolarium, in one module per family."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from isolarium.heuristics.catalogue import learned, lookahead, mobility, placement, territory
from isolarium.heuristics.definition import Heuristic, heuristic_of

_MODULES: Final = (mobility, placement, territory, learned, lookahead)

FAMILIES: Final = {module.__name__.rpartition(".")[2]: (module.__doc__ or "").partition("\n")[0] for module in _MODULES}
"""The families in display order, each with its module's first docstring line."""


class Catalogue(Mapping[str, Heuristic]):
    """Heuristics by name, displayed as a list with their formulas.

    A heuristic without a formula shows the first line of its docstring.
    """

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
    """Return every heuristic by name, in the order of the families and of each module."""
    found = {}
    for module in _MODULES:
        for thing in vars(module).values():
            heuristic = heuristic_of(thing)
            if heuristic is not None and heuristic.function.__module__ == module.__name__:
                found[heuristic.name] = heuristic
    return Catalogue(found)
