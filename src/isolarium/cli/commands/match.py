"""`isolarium match`: two agents, many pairs of games, and how sure the answer is."""

from typing import Annotated

import typer

from isolarium.arena.conditions import Conditions
from isolarium.cli import completion
from isolarium.cli.options import (
    DEFAULT_RUNS,
    AccuracyOption,
    ClusterOption,
    JsonOption,
    RunsOption,
    WorkersOption,
    takes_conditions,
)
from isolarium.errors import InputError, quoted
from isolarium.stats import SprtPlan

EXAMPLES = """\b
Examples:
  isolarium match alphabeta:improved alphabeta:open --pairs 200
  isolarium match strong:reachable@nodes=2000 strong:improved@nodes=2000 --test 0,20 --no-accuracy
"""


@takes_conditions("500; at most 20000 with --test")
def match(
    first: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="An agent, such as alphabeta:improved.",
            autocompletion=completion.agents,
        ),
    ],
    second: Annotated[
        str,
        typer.Argument(metavar="B", help="The agent it meets.", autocompletion=completion.agents),
    ],
    *,
    conditions: Conditions,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="Stop as soon as the difference is shown to be one or the other.",
        ),
    ] = None,
    alpha: Annotated[
        float, typer.Option(help="With --test: accepted error if ELO0 is true.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option(help="With --test: accepted error if ELO1 is true.")
    ] = 0.05,
    normalised: Annotated[
        bool,
        typer.Option(
            "--normalised",
            help="With --test: in normalised Elo, the lead in standard deviations of a game.",
        ),
    ] = False,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    accuracy: AccuracyOption = True,
    as_json: JsonOption = False,
) -> None:
    """Let two agents play pairs of games, and say who is better.

    A pair is one opening twice, with the sides swapped. Everything is kept as it happens: Ctrl-C
    ends a match in good order, and isolarium resume continues it.
    """
    from isolarium.arena.plan import match_plan
    from isolarium.cli.run_output import play_and_show

    play_and_show(
        lambda: match_plan(first, second, conditions, _test_plan(test, alpha, beta, normalised)),
        conditions.name or "match",
        runs,
        workers,
        cluster,
        as_json,
        accuracy=accuracy,
    )


def _test_plan(text: str | None, alpha: float, beta: float, normalised: bool) -> SprtPlan | None:
    """The bounds of a sequential test, from `ELO0,ELO1`.

    Raises:
        InputError: they are not two numbers, the smaller one first, or an error rate is none.
    """
    if text is None:
        if normalised:
            raise InputError("--normalised: expected --test too, such as --test 0,20")
        return None
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--test {quoted(text)}: expected two numbers, such as 0,20") from None
    try:
        return SprtPlan(elo0, elo1, alpha, beta, normalised=normalised)
    except ValueError as error:
        raise InputError(f"--test {quoted(text)}: {error}") from None
