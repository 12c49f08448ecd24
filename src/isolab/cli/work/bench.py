"""Measures searches and heuristics, and says it in tables for people and as facts for programs."""

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from json import dumps
from typing import Any

import numba
import typer

from isolab import __version__
from isolab.bench import measuring, parts
from isolab.bench.parts import Comparison, HeuristicSpeed, Notice, Plies, SearchSpeed
from isolab.cli.progress import display

Figures = Any
"""What a part of the measurements gives: one of the four below, or a list of them."""


def measure_and_show(names: Sequence[str], quick: bool, as_json: bool) -> None:
    """Measure some parts, and print each as soon as it is known, or all of them as one JSON object."""
    facts: dict[str, Any] = _machine()
    if not as_json:
        typer.echo(_about())
    for name in names:
        with display(name, "loading...") as shown:
            found = _measure(
                name,
                quick,
                lambda what, done, total: shown.tell(lambda: f"{done} of {total} · {what}"),
            )
        facts[name] = _facts_of(name, found)
        if not as_json:
            typer.echo("\n" + "\n".join(_lines_of(name, found)))
    if as_json:
        typer.echo(dumps(facts))


def _measure(part: str, quick: bool, notice: Notice) -> Figures:
    effort = measuring.QUICK if quick else measuring.THOROUGH
    if part == "searches":
        return parts.search_speeds(effort, notice)
    if part == "student":
        return parts.compare_with_student(effort, notice)
    if part == "heuristics":
        return parts.heuristic_speeds(effort, notice)
    return parts.plies_reached(notice, positions=2 if quick else None)


def _machine() -> dict[str, str]:
    """What was measured, and on what."""
    return {
        "isolab": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "machine": _processor(),
    }


def _about() -> str:
    """The same in a line."""
    facts = _machine()
    return (
        f"isolab {facts['isolab']} · Python {facts['python']} · Numba {facts['numba']} · one core of "
        f"{facts['machine']}"
    )


def _lines_of(part: str, found: Figures) -> Iterator[str]:
    """The table of a part."""
    tables: dict[str, Callable[[Figures], Iterator[str]]] = {
        "searches": _search_lines,
        "student": _student_lines,
        "heuristics": _heuristic_lines,
        "plies": _ply_lines,
    }
    return tables[part](found)


def _facts_of(part: str, found: Figures) -> Any:
    """The figures of a part."""
    if part == "student":
        return {**asdict(found), "ratio": found.ratio}
    return [asdict(row) for row in found]


def _search_lines(found: Sequence[SearchSpeed]) -> Iterator[str]:
    boards = list(found[0].speeds)
    yield "searches · million nodes a second, with improved where the search takes a heuristic"
    heads = "".join(f"{board:>9}" for board in boards)
    yield f"  {'':<20} {'':<14}{heads}   {boards[-1]} / {boards[0]}"
    for row in found:
        cells = "".join(f"{speed / 1e6:9.1f}" for speed in row.speeds.values())
        share = row.speeds[boards[-1]] / row.speeds[boards[0]]
        yield f"  {row.search:<20} {row.limit:<14}{cells}   {share:11.2f}"


def _student_lines(found: Comparison) -> Iterator[str]:
    yield f"student · both to depth {found.depth} on 7x7, the same {found.nodes:,} nodes"
    for name, speed in (("alphabeta:improved", found.ours), ("plain Python", found.student)):
        yield f"  {name:<20} {speed / 1e6:8.2f} million nodes a second"
    yield f"  {'ratio':<20} {found.ratio:8.0f}"


def _heuristic_lines(found: Sequence[HeuristicSpeed]) -> Iterator[str]:
    improved = next(row.speed for row in found if row.heuristic == "improved")
    yield f"heuristics · under alphabeta on 7x7, {parts.HEURISTIC_LIMIT}"
    yield f"  {'':<20} {'million nodes a second':>22} {'of improved':>13}"
    for row in sorted(found, key=lambda row: -row.speed):
        yield f"  {row.heuristic:<20} {row.speed / 1e6:22.1f} {row.speed / improved:13.2f}"


def _ply_lines(found: Sequence[Plies]) -> Iterator[str]:
    yield "plies · looked ahead in full by alphabeta in a turn on 7x7, on average"
    yield f"  {'':<20} {f'{parts.TURN_MS} ms':>12} {f'{parts.TURN_NODES:,} nodes':>13}"
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
