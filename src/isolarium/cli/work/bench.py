"""Measures searches and heuristics, and says it in tables for people and as facts for programs."""

import platform
from collections.abc import Sequence
from json import dumps
from typing import Any

import numba
import typer

from isolarium import __version__
from isolarium.bench import suites, timing
from isolarium.bench.suites import Notice
from isolarium.cli.console import Screen
from isolarium.cli.progress_display import display
from isolarium.compat import processor_name
from isolarium.reporting.bench_tables import Figures, bench_json, bench_table


def measure_and_show(names: Sequence[str], quick: bool, as_json: bool) -> None:
    """Measure some parts, and print each as soon as it is known, or all of them as one JSON object."""
    facts: dict[str, Any] = _machine()
    screen = Screen()
    if not as_json:
        screen.say(_about())
    for name in names:
        with display(name, "loading...") as shown:
            found = _measure(
                name,
                quick,
                lambda what, done, total: shown.tell(lambda: f"{done} of {total} · {what}"),
            )
        facts[name] = bench_json(name, found)
        if not as_json:
            screen.say()
            screen.show([bench_table(name, found)])
    if as_json:
        typer.echo(dumps(facts))


def _measure(part: str, quick: bool, notice: Notice) -> Figures:
    effort = timing.QUICK if quick else timing.THOROUGH
    if part == "searches":
        return suites.search_speeds(effort, notice)
    if part == "student":
        return suites.compare_with_student(effort, notice)
    if part == "heuristics":
        return suites.heuristic_speeds(effort, notice)
    return suites.plies_reached(notice, positions=2 if quick else None)


def _machine() -> dict[str, str]:
    """What was measured, and on what."""
    return {
        "isolarium": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "machine": processor_name(),
    }


def _about() -> str:
    """The same in a line."""
    facts = _machine()
    return (
        f"isolarium {facts['isolarium']} · Python {facts['python']} · Numba {facts['numba']} · one core of "
        f"{facts['machine']}"
    )
