"""`isolab match`: two agents, many pairs of games, and how sure the answer is."""

from typing import TYPE_CHECKING, Annotated

import typer

from isolab.cli.plan_options import (
    AccuracyOption,
    BoardOption,
    JsonOption,
    LimitOption,
    MoveMsOption,
    NameOption,
    OpeningsOption,
    PliesOption,
    SeedOption,
    pairs_option,
    test_plan,
)
from isolab.cli.running import DEFAULT_RUNS, RunsOption, WorkersOption

if TYPE_CHECKING:
    from isolab.arena.plan import Plan

EXAMPLES = """\b
Examples:
  isolab match alphabeta:improved alphabeta:open --pairs 200
  isolab match strong:reachable@nodes=2000 strong:improved@nodes=2000 --test 0,20 --no-accuracy
"""


def match(
    first: Annotated[
        str, typer.Argument(metavar="A", help="An agent, such as alphabeta:improved.")
    ],
    second: Annotated[str, typer.Argument(metavar="B", help="The agent it meets.")],
    pairs: Annotated[int | None, pairs_option("500; at most 20000 with --test")] = None,
    board: BoardOption = "7x7",
    seed: SeedOption = 1,
    openings: OpeningsOption = "random",
    plies: PliesOption = 0,
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
    move_ms: MoveMsOption = None,
    limit: LimitOption = None,
    name: NameOption = "",
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    accuracy: AccuracyOption = True,
    as_json: JsonOption = False,
) -> None:
    """Let two agents play pairs of games, and say who is better.

    A pair is one opening twice, with the sides swapped. Everything is kept as it happens: Ctrl-C
    ends a match in good order, and isolab resume goes on with it.
    """
    from isolab.cli.running import play_and_show

    def make_plan() -> "Plan":
        from isolab.arena.plans import Conditions, match_plan

        conditions = Conditions(pairs, board, seed, openings, plies, move_ms, limit, name)
        return match_plan(first, second, conditions, test_plan(test, alpha, beta))

    play_and_show(make_plan, name or "match", runs, workers, as_json, accuracy=accuracy)
