"""`isolarium bench`: the speed of searches and heuristics on this machine."""

import platform
from enum import StrEnum
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isolarium import __version__
from isolarium.cli.options import JsonOption
from isolarium.cli.progress_display import display
from isolarium.compat import processor_name

if TYPE_CHECKING:
    from isolarium.bench import Notice
    from isolarium.reporting.bench_tables import Figures


class Part(StrEnum):
    """A part of the benchmark."""

    SEARCHES = "searches"
    STUDENT = "student"
    HEURISTICS = "heuristics"
    PLIES = "plies"


def bench(
    only: Annotated[
        list[Part] | None,
        typer.Option(
            metavar="PART", help="Part to measure: searches, student, heuristics or plies.", show_default="all parts"
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Measure roughly, in less time.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the speed of searches and heuristics.

    Print the nodes per second of each search on three boards; the speed of alpha-beta and of a
    student's plain-Python program that visits the same nodes; the nodes per second of each
    heuristic under alpha-beta; and the heuristic's mean search depth per turn. A node is a position
    entered, including leaves. Takes about two minutes on one core, and longer the first time, to
    compile.

    Examples:
        isolarium bench --quick --only searches
        isolarium bench --quick --only student --json
    """
    from isolarium.cli.screen import Screen
    from isolarium.reporting.bench_tables import bench_json, bench_table

    facts: dict[str, Any] = _machine()
    screen = Screen()
    if not as_json:
        screen.say(_about(facts))
    for part in Part:
        if part not in (only or Part):
            continue
        with display(part, "loading...") as shown:
            found = _measured(
                part, quick, lambda what, done, total: shown.update(lambda: f"{done} of {total} · {what}")
            )
        facts[part] = bench_json(part, found)
        if not as_json:
            screen.say()
            screen.show([bench_table(part, found)])
    if as_json:
        typer.echo(dumps(facts))


def _measured(part: Part, quick: bool, notice: "Notice") -> "Figures":
    from isolarium import bench as suites

    effort = suites.QUICK if quick else suites.THOROUGH
    match part:
        case Part.SEARCHES:
            return suites.search_speeds(effort, notice)
        case Part.STUDENT:
            return suites.compare_with_student(effort, notice)
        case Part.HEURISTICS:
            return suites.heuristic_speeds(effort, notice)
        case Part.PLIES:
            return suites.plies_reached(notice, positions=2 if quick else None)


def _machine() -> dict[str, str]:
    """Return the versions and the processor."""
    import numba

    return {
        "isolarium": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "machine": processor_name(),
    }


def _about(facts: dict[str, Any]) -> str:
    """Return the versions and the processor as a line."""
    return (
        f"isolarium {facts['isolarium']} · Python {facts['python']} · Numba {facts['numba']} · one core of "
        f"{facts['machine']}"
    )
