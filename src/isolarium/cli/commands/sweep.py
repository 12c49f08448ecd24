"""`isolarium sweep`: one agent with many values of its parameters, each against the same opponents."""

from typing import Annotated

import typer

from isolarium.arena.conditions import Conditions
from isolarium.cli import completion
from isolarium.cli.options import (
    DEFAULT_RUNS,
    ClusterOption,
    JsonOption,
    RunsOption,
    WorkersOption,
    takes_conditions,
)

EXAMPLES = """\b
Examples:
  isolarium sweep 'alphabeta:balanced(weight={})@nodes=500' --values 0,1 --against alphabeta:open@nodes=500 --pairs 100
  isolarium sweep 'mcts(c={})@nodes=500' --values 0.6:1.8:0.6 --against alphabeta:improved@nodes=500 --pairs 50
"""


@takes_conditions("500 for every two that meet")
def sweep(
    template: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="An agent with {} where the values go.",
            autocompletion=completion.agents,
        ),
    ],
    against: Annotated[
        list[str],
        typer.Option(
            "--against",
            metavar="AGENT",
            help="Whom they meet; may be repeated.",
            autocompletion=completion.agents,
        ),
    ],
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--values",
            metavar="LIST",
            help="0,0.5,1, or 0:1:0.25 for FROM:TO:STEP. Once for each {}: all combinations play.",
        ),
    ] = None,
    *,
    conditions: Conditions,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Try many values of a parameter.

    Each plays against the same opponents, from the same openings. Values may also stand in their
    place: {0|0.5|1}, {0..1 by 0.25} or {arctan|sigmoid}. Numbers are not part of the compiled code,
    so that a sweep compiles once.
    """
    from isolarium.arena.plan import sweep_plan
    from isolarium.cli.run_output import play_and_show

    play_and_show(
        lambda: sweep_plan(template, values or [], against, conditions),
        conditions.name or "sweep",
        runs,
        workers,
        cluster,
        as_json,
    )
