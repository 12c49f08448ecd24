"""`isolarium tournament`: everybody meets everybody, or agents under test meet a field."""

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
  isolarium tournament alphabeta:open alphabeta:improved alphabeta:balanced --pairs 50
  isolarium tournament alphabeta:improved alphabeta:ratio --field course --pairs 20
"""


@takes_conditions("100 for every two that meet")
def tournament(
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT...", help="The agents.", autocompletion=completion.agents),
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="AGENT",
            help="An opponent for each of them; may be repeated.",
            autocompletion=completion.agents,
        ),
    ] = None,
    field: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A field of opponents: course or fixed-depth.",
            autocompletion=completion.fields,
        ),
    ] = "",
    self_play: Annotated[
        bool, typer.Option("--self", help="Let each agent also meet itself.")
    ] = False,
    *,
    conditions: Conditions,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let every agent meet every other, or a field of opponents.

    The course's tournament is the latter. All meet from the same openings, and each two play every
    opening twice, with the sides swapped.
    """
    from isolarium.arena.plan import tournament_plan
    from isolarium.cli.run_output import play_and_show

    play_and_show(
        lambda: tournament_plan(agents, conditions, against or (), field, self_play),
        conditions.name or "tournament",
        runs,
        workers,
        cluster,
        as_json,
    )
