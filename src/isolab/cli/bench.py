"""`isolab bench`: how fast searches and heuristics are on this machine."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from isolab.bench.parts import Notice

EXAMPLES = """\b
Examples:
  isolab bench --quick --only searches
  isolab bench --quick --only student --json
"""


class Part(StrEnum):
    """What can be measured."""

    SEARCHES = "searches"
    STUDENT = "student"
    HEURISTICS = "heuristics"
    PLIES = "plies"


def bench(
    only: Annotated[
        list[Part] | None,
        typer.Option(
            metavar="PART", help="searches, student, heuristics or plies; may be given repeatedly."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Rough figures in less time.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure searches and heuristics on this machine.

    Prints the nodes a second of each search on three boards; how alpha-beta compares with a
    student's in plain Python that visits the same nodes; the nodes a second of each heuristic under
    alpha-beta; and the plies that it looks ahead in a turn. A node is a position entered, leaves
    included. Takes about two minutes on one core, and longer once, to compile.
    """
    from isolab.cli.bench_display import BenchDisplay
    from isolab.cli.bench_table import about, lines_of

    parts = [part for part in Part if part in (only or Part)]
    display = BenchDisplay()
    figures: dict[str, Any] = {}
    if not as_json:
        typer.echo(about())
    for part in parts:
        with display.shown(part):
            found = _measure(part, quick, display.update)
        figures[part.value] = found
        if not as_json:
            typer.echo("\n" + "\n".join(lines_of(part.value, found)))
    if as_json:
        from json import dumps

        from isolab.cli.bench_table import facts_of, machine

        told = {part: facts_of(part, found) for part, found in figures.items()}
        typer.echo(dumps({**machine(), **told}))


def _measure(part: Part, quick: bool, notice: "Notice") -> Any:
    from isolab.bench import parts
    from isolab.bench.measuring import QUICK, THOROUGH

    effort = QUICK if quick else THOROUGH
    if part is Part.SEARCHES:
        return parts.search_speeds(effort, notice)
    if part is Part.STUDENT:
        return parts.compare_with_student(effort, notice)
    if part is Part.HEURISTICS:
        return parts.heuristic_speeds(effort, notice)
    return parts.plies_reached(notice, positions=2 if quick else None)
