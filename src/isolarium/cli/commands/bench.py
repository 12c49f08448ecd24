"""`isolarium bench`: how fast searches and heuristics are on this machine."""

from enum import StrEnum
from typing import Annotated

import typer

from isolarium.cli.options import JsonOption

EXAMPLES = """\b
Examples:
  isolarium bench --quick --only searches
  isolarium bench --quick --only student --json
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
    as_json: JsonOption = False,
) -> None:
    """Measure searches and heuristics on this machine.

    Prints the nodes a second of each search on three boards; how alpha-beta compares with a
    student's in plain Python that visits the same nodes; the nodes a second of each heuristic under
    alpha-beta; and the plies that it looks ahead in a turn. A node is a position entered, leaves
    included. Takes about two minutes on one core, and longer once, to compile.
    """
    from isolarium.cli.work.bench import measure_and_show

    measure_and_show([part.value for part in Part if part in (only or Part)], quick, as_json)
