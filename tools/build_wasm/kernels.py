"""The functions of a WebAssembly module, as LLVM modules that Numba made.

A search is compiled with a hole in place of its heuristic, as in `native/jit.py`, and each heuristic by itself.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from numba import types

from isolarium.agents.search_agent import choose_entries
from isolarium.game.view import evaluation
from isolarium.heuristics.bound_heuristic import Bound, bind
from isolarium.heuristics.compiler import evaluate_once
from isolarium.heuristics.lookup import catalogue
from isolarium.native import entry_points
from isolarium.native.jit import HOLE, Part
from isolarium.solver.depth_to_win import distance_entry
from isolarium.solver.winloss import winloss_entry

WORDS: Final = (1, 2, 3)
"""The sizes of a set of squares for which there are modules: boards of up to 64, 128 and 169 squares."""

SEARCHES: Final = {
    "alphabeta": "alphabeta:improved@depth=1",
    "strong": "strong:improved@depth=1",
    "selective": "champion:improved@nodes=1",
    "minmax_approximation": "minmax_approximation:improved@nodes=1",
    "mcts": "mcts@nodes=1",
    "random": "random",
    "champion": "champion:improved@nodes=1",
}
"""The compiled searches by their names in a module, each with an agent that runs it."""
INLINED: Final = (("alphabeta", "improved"),)
"""Searches of a quick heuristic, compiled with it: calling it would take as long as the heuristic itself."""
CONVENTION: Final = "Numba's"


class Function(NamedTuple):
    """A function of a module.

    Attributes:
        name: Its name in the module's description.
        module: The LLVM module that defines it.
        symbol: Its name in that LLVM module.
    """

    name: str
    module: Any
    symbol: str


def variants() -> dict[str, Bound]:
    """Return every heuristic of the catalogue that has code of its own, by its spec.

    A heuristic has several if a parameter chooses between compiled functions by name.
    """
    found = {}
    for heuristic in catalogue().values():
        bound = bind(heuristic)
        found[str(bound)] = bound
        for parameter in compiled_names(bound):
            for name in bound.heuristic.names[parameter]:  # type: ignore[union-attr] # a mapping of functions
                other = bind(heuristic, {parameter: name})
                found[str(other)] = other
    return found


def compiled_names(bound: Bound) -> list[str]:
    """Return the parameters whose value chooses a compiled function."""
    return [
        name
        for name, names in bound.heuristic.names.items()
        if isinstance(names, dict) and any(map(callable, names.values()))
    ]


def functions(words: int) -> Iterator[Function]:
    """Compile the functions of a module for sets of `words` words."""
    searches = {name: _search_entry(name, agent, words) for name, agent in SEARCHES.items()}
    for name, entry in searches.items():
        yield _entry(name, *entry)
    for search, heuristic in INLINED:
        yield _entry(f"{search}:{heuristic}", *searches[search])
    yield _entry("winloss", *winloss_entry(words))
    yield _entry("distance", *distance_entry(words))
    value = evaluation(bind(catalogue()["improved"]).compiled, words)
    signature = types.float64(*[types.int64] * 5, types.boolean)
    yield _entry("value", evaluate_once, signature, {"WORDS": words, "evaluate": value})
    for spec, bound in variants().items():
        part = evaluation(bound.compiled, words)
        result = entry_points._by_itself(part, entry_points._register(part))
        yield Function(f":{spec}", _module(result), result.fndesc.llvm_func_name)


def _search_entry(name: str, agent: str, words: int) -> Any:
    entries = choose_entries(agent, words)
    return entries["search" if name == "selective" else "choose"]


def _entry(name: str, template: Callable[..., Any], signature: Any, bindings: dict[str, Any]) -> Function:
    """Compile an entry point; its heuristic, if any, stays a hole."""
    part, value = entry_points._part_of(bindings)
    if value is not None:
        result, _ = entry_points._with_hole(template, signature, bindings, part)
    else:
        dispatcher = entry_points.compile_entry(template, signature, bindings)
        result = entry_points._result(dispatcher, signature)
    return Function(name, _module(result), result.fndesc.llvm_func_name)


def _module(result: Any) -> Any:
    return result.library._get_module_for_linking()


__all__ = ["HOLE", "INLINED", "SEARCHES", "WORDS", "Function", "Part", "functions", "variants"]
