"""What JavaScript needs to know to call the modules: places in memory, searches, and heuristics with their numbers."""

from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.agents import prover
from isolarium.game import tables
from isolarium.heuristics.bound_heuristic import Bound, bind
from isolarium.heuristics.catalogue import learned
from isolarium.heuristics.definition import Tabulated, Weights
from isolarium.heuristics.lookup import catalogue
from isolarium.native.simd_rows import ROW_WORDS
from isolarium.search import alphabeta, alphabeta_common, champion_kernel, kernel_state, mcts, minmax_approximation
from isolarium.solver import depth_to_win, separated_endgame, solver, winloss
from isolarium.spec.registry import SEARCHES, SearchKind
from tools.build_wasm.kernels import compiled_names

Words = NDArray[np.int64]

WEIGHTS: Final = "learned.weights"
PLACES: Final[dict[str, tuple[ModuleType, str]]] = {
    "tables": (tables, "INFO IMAGE SETS"),
    "state": (
        kernel_state,
        "SEED MOVER OTHER BLANK NODES DEPTH SCORE STARTED PV_LENGTH PV STATE_WORDS FINITE PROVEN WIN NOTHING",
    ),
    "inputs": (
        kernel_state,
        "STATE TABLES SYMMETRIES PARAMETERS MEMORY ENTRIES MASK GENERATION DEPTH_LIMIT ONE_DEPTH DEEPER "
        "INPUT_WORDS AT_QUOTA FINISHED PAUSED EVERYTHING",
    ),
    "table": (alphabeta_common, "ENTRY_EXTRA LEAST_BITS MOST_BITS"),
    "alphabeta": (alphabeta, "MEMORY_WORDS CEILING"),
    "selective": (champion_kernel, "MEMORY_WORDS SELECTIVE"),
    "mcts": (mcts, "EXPLORATION CAPACITY PATH NODE_BYTES MOST_TREE_NODES"),
    "approximation": (
        minmax_approximation,
        "REVERSE CONSTANT POWER SCALE PROVEN FIRST FIRST_END FREE END HEAD_WORDS BLOCK_NODES MOST_NODES "
        "NODE_BYTES GRID",
    ),
    "champion": (
        prover,
        "SEARCH SOLVER PROOFS STAGE MOST_BLANKS SEARCH_NODES SEARCH_MASK WHOLE_MASK PROOF_NODES WHOLE_NODES "
        "OTHER_NODES BOTH ONLY_SEARCH ONLY_PROOFS INDEX MOST SOLVER_ENTRIES",
    ),
    "prover": (prover, "PROOFS_SHARE WITHIN_REACH NODES_A_MS"),
    "winloss": (
        winloss,
        "NODES RESULT WINNING LIGHT STATE_WORDS MOVER_AT OTHER_AT FRAME_WORDS MOST_FRAMES LEAST_BITS MOST_BITS "
        "MANY_BLANKS SHORT_SLICE_STEPS",
    ),
    "walks": (separated_endgame, "SEARCHED SCRATCH_WORDS"),
    "distance": (
        depth_to_win,
        "FAR NODES VALUE BEST STATE_WORDS MOVER_AT OTHER_AT ALPHA_AT BETA_AT FRAME_WORDS ENTRY_EXTRA",
    ),
    "solver": (solver, "PLAIN_NODES"),
}
"""The constants that JavaScript reads, by a name and by the module that defines them."""


def description() -> dict[str, Any]:
    """Return everything but the list of the modules' functions."""
    return {
        "places": {
            name: {each: getattr(module, each) for each in names.split()} for name, (module, names) in PLACES.items()
        },
        "searches": {name: _search(kind) for name, kind in SEARCHES.items()},
        "heuristics": {name: _heuristic(bind(each)) for name, each in catalogue().items()},
    }


def _search(kind: SearchKind) -> dict[str, Any]:
    options = {name: option.default for name, option in kind.options.items() if name != "threads"}
    return {
        "takesHeuristic": kind.takes_heuristic,
        "defaultHeuristic": kind.default_heuristic,
        "takesLimit": kind.takes_limit,
        "defaultNodes": kind.default_nodes,
        "hasBook": kind.has_book,
        "options": options,
    }


def _heuristic(bound: Bound) -> dict[str, Any]:
    """Describe a heuristic: its run-time numbers by default, and how each parameter changes them."""
    weights = any(isinstance(names, Weights) for names in bound.heuristic.names.values())
    return {
        "numbers": [] if weights else bound.parameters.tolist(),
        "weights": WEIGHTS if weights else None,
        "parameters": {name: _parameter(bound, name) for name in bound.arguments},
    }


def _parameter(bound: Bound, name: str) -> dict[str, Any]:
    """Describe a parameter, with the place of its number or the names it takes."""
    default, names = bound.heuristic.defaults[name], bound.heuristic.names.get(name)
    if isinstance(default, (bool, int, float)):
        low, high = bound.heuristic.ranges.get(name, (None, None))
        kind = "switch" if isinstance(default, bool) else "whole" if isinstance(default, int) else "number"
        other = not default if kind == "switch" else default + (1 if high != default else -1)
        changed = np.flatnonzero(_numbers(bound, name, other) != bound.parameters)
        return {"kind": kind, "at": int(changed[0]), "alone": len(changed) == 1, "low": low, "high": high}
    if isinstance(names, Weights):
        return {"kind": "weights", "names": list(names.names)}
    if isinstance(names, Tabulated):
        tables_of = {each: _numbers(bound, name, each).tolist() for each in names.names}
        return {"kind": "table", "default": default, "names": tables_of}
    if names is None:
        return {"kind": "heuristic", "default": str(bound.arguments[name])}
    if name in compiled_names(bound):
        return {"kind": "compiled", "default": default, "names": list(names)}
    values = dict(names)
    (place,) = np.flatnonzero(_numbers(bound, name, _another(values, default)) != bound.parameters)
    return {"kind": "named", "at": int(place), "names": values}


def _another(values: dict[str, Any], default: str) -> str:
    return next(name for name in values if name != default)


def _numbers(bound: Bound, name: str, value: Any) -> Any:
    return bind(bound.heuristic, {name: value}).parameters


def data_files() -> dict[str, bytes]:
    """Return the files that the engine loads when it needs them, by name: the weights of `learned`."""
    words = np.array(learned.shipped_words(learned.SHIPPED), dtype="<i8")
    return {WEIGHTS: without_impossible_kinds(words).tobytes()}


def without_impossible_kinds(words: Words) -> Words:
    """Return weights with zeros for the kinds of squares that no position has, which compress to almost nothing.

    A square has at most eight neighbours, so the two counts of a kind never sum to more. These rows are never read.
    """
    found = words.copy()
    counts = np.add.outer(np.arange(9), np.arange(9)).ravel()
    for role in range(2):
        rows = found[role * learned.ROLE_WORDS :][: learned.OFFSETS * ROW_WORDS]
        rows.reshape(-1, learned.KINDS, ROW_WORDS)[:, counts > 8] = 0
    return found
