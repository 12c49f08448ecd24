"""`isolarium tune`: the best values of an agent's parameters, and whether they are better than its own."""

from typing import Annotated

import typer

from isolarium.cli import completion
from isolarium.cli.options import (
    DEFAULT_RUNS,
    BoardOption,
    ClusterOption,
    JsonOption,
    PliesOption,
    RunsOption,
    SeedOption,
    WorkersOption,
)
from isolarium.errors import InputError, quoted

EXAMPLES = """\b
Examples:
  isolarium tune 'alphabeta:aggressive(weight={0..4})@nodes=500' --trials 6 --round 3 --pairs 20 --confirm 100
  isolarium tune 'greedy:staged(first={improved|open},at={0..1})' --on truth --trials 8 --positions 20 --confirm 50
"""


def tune(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="An agent with {0..4}, {0..4 by 1} or {a|b} for parameters.",
            autocompletion=completion.agents,
        ),
    ],
    against: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="Whom trials meet. [default: the untuned agent]",
            autocompletion=completion.agents,
        ),
    ] = None,
    on: Annotated[
        str,
        typer.Option(
            metavar="games|truth",
            help="What trials are judged by: games, or solved positions.",
        ),
    ] = "games",
    trials: Annotated[
        int, typer.Option(metavar="N", min=2, max=500, help="Values to try, in all.")
    ] = 40,
    round_: Annotated[
        int,
        typer.Option(
            "--round", metavar="N", min=2, max=500, help="Of these, tried at a time, on games."
        ),
    ] = 8,
    pairs: Annotated[
        int, typer.Option(metavar="N", min=2, max=100_000, help="Pairs of games of a trial.")
    ] = 200,
    positions: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=100_000,
            help="On truth: solved positions for each of the game's stages.",
        ),
    ] = 500,
    gain: Annotated[
        float,
        typer.Option(metavar="ELO", help="The least gain worth having, for the confirmation."),
    ] = 20.0,
    confirm: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=100_000, help="Pairs of that, at the most."),
    ] = 5000,
    board: BoardOption = "7x7",
    seed: SeedOption = 1,
    plies: PliesOption = 2,
    name: Annotated[str, typer.Option(metavar="NAME", help="What to call it.")] = "tune",
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the best values of an agent's parameters, and test them.

    The first round of trials is spread over the ranges; Optuna, which pip install optuna
    brings, chooses the others. The best is chosen with the noise of each trial in mind and then
    meets the untuned agent in a sequential test, from openings that no trial had: that interval is
    the answer. Ctrl-C ends it in good order, and isolarium resume goes on.
    """
    if against is not None and not against.strip():
        raise InputError(f"--against {quoted(against)}: expected an agent")
    from isolarium.cli.study_output import tune_and_show
    from isolarium.tuning.tuning_config import Tuning, read_objective
    from isolarium.tuning.tuning_runner import begin_tuning

    tuning = Tuning(
        agent=agent,
        against=against or "",
        on=read_objective(on),
        trials=trials,
        round=round_,
        pairs=pairs,
        positions=positions,
        gain=gain,
        confirm=confirm,
        board=board,
        seed=seed,
        plies=plies,
        name=name,
    )
    tune_and_show(lambda: begin_tuning(tuning, runs), workers, as_json, cluster)
