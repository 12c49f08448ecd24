"""The figures of `isolab bench`, as tables for people and as facts for programs."""

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from isolab import __version__

if TYPE_CHECKING:
    from isolab.bench.parts import Comparison, HeuristicSpeed, Plies, SearchSpeed

Figures = Any
"""What a part of the measurements gives: one of the four below, or a list of them."""


def machine() -> dict[str, str]:
    """What was measured, and on what."""
    from numba import __version__ as numba_version

    return {
        "isolab": __version__,
        "python": platform.python_version(),
        "numba": numba_version,
        "machine": _processor(),
    }


def about() -> str:
    """The same in a line."""
    facts = machine()
    return (
        f"isolab {facts['isolab']} · Python {facts['python']} · Numba {facts['numba']} · one core of "
        f"{facts['machine']}"
    )


def lines_of(part: str, found: Figures) -> Iterator[str]:
    """The table of a part."""
    tables: dict[str, Callable[[Figures], Iterator[str]]] = {
        "searches": _search_lines,
        "student": _student_lines,
        "heuristics": _heuristic_lines,
        "plies": _ply_lines,
    }
    return tables[part](found)


def facts_of(part: str, found: Figures) -> Any:
    """The figures of a part."""
    if part == "student":
        return {**asdict(found), "ratio": found.ratio}
    return [asdict(row) for row in found]


def _search_lines(found: "Sequence[SearchSpeed]") -> Iterator[str]:
    boards = list(found[0].speeds)
    yield "searches · million nodes a second, with improved where the search takes a heuristic"
    heads = "".join(f"{board:>9}" for board in boards)
    yield f"  {'':<20} {'':<14}{heads}   {boards[-1]} / {boards[0]}"
    for row in found:
        cells = "".join(f"{speed / 1e6:9.1f}" for speed in row.speeds.values())
        share = row.speeds[boards[-1]] / row.speeds[boards[0]]
        yield f"  {row.search:<20} {row.limit:<14}{cells}   {share:11.2f}"


def _student_lines(found: "Comparison") -> Iterator[str]:
    yield f"student · both to depth {found.depth} on 7x7, the same {found.nodes:,} nodes"
    for name, speed in (("alphabeta:improved", found.ours), ("plain Python", found.student)):
        yield f"  {name:<20} {speed / 1e6:8.2f} million nodes a second"
    yield f"  {'ratio':<20} {found.ratio:8.0f}"


def _heuristic_lines(found: "Sequence[HeuristicSpeed]") -> Iterator[str]:
    from isolab.bench.parts import HEURISTIC_LIMIT

    improved = next(row.speed for row in found if row.heuristic == "improved")
    yield f"heuristics · under alphabeta on 7x7, {HEURISTIC_LIMIT}"
    yield f"  {'':<20} {'million nodes a second':>22} {'of improved':>13}"
    for row in sorted(found, key=lambda row: -row.speed):
        yield f"  {row.heuristic:<20} {row.speed / 1e6:22.1f} {row.speed / improved:13.2f}"


def _ply_lines(found: "Sequence[Plies]") -> Iterator[str]:
    from isolab.bench.parts import TURN_MS, TURN_NODES

    yield "plies · looked ahead in full by alphabeta in a turn on 7x7, on average"
    yield f"  {'':<20} {f'{TURN_MS} ms':>12} {f'{TURN_NODES:,} nodes':>13}"
    for row in sorted(found, key=lambda row: -row.in_time):
        yield f"  {row.heuristic:<20} {row.in_time:12.1f} {row.in_nodes:13.1f}"


def _processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123 # no file to keep
            names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
