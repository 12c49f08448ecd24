"""The commands that play runs: `match`, `tournament` and `sweep`."""

from typing import Annotated

import typer

from isolarium.arena import Conditions
from isolarium.cli import completion
from isolarium.cli.options import (
    DEFAULT_RUNS,
    ClusterOption,
    DetailsOption,
    JsonOption,
    MatchAccuracyOption,
    RunsOption,
    WorkersOption,
    takes_conditions,
)
from isolarium.errors import InputError, quoted
from isolarium.stats import SprtPlan


@takes_conditions("500 (up to 20,000 with --test)")
def match(
    first: Annotated[
        str,
        typer.Argument(metavar="A", help="First agent, such as alphabeta:improved.", autocompletion=completion.agents),
    ],
    second: Annotated[str, typer.Argument(metavar="B", help="Second agent.", autocompletion=completion.agents)],
    *,
    conditions: Conditions,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1", help="Bounds of a sequential test (SPRT) in Elo; the match stops when one is rejected."
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(metavar="P", help="Error rate of --test if the difference is ELO0.")] = 0.05,
    beta: Annotated[float, typer.Option(metavar="P", help="Error rate of --test if the difference is ELO1.")] = 0.05,
    normalised: Annotated[
        bool,
        typer.Option(
            "--normalised", help="Use normalised Elo for --test: differences in standard deviations of a game's result."
        ),
    ] = False,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    details: DetailsOption = False,
    accuracy: MatchAccuracyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play pairs of games between two agents and compare them.

    A pair is one opening played twice, with the sides swapped. Every game is
    saved as soon as it ends: Ctrl-C stops the match, and isolarium resume
    continues it. The verdict comes first; --details and isolarium report add
    the evidence.

    Exit status:
        1: The match cannot continue, for example because an agent keeps failing.
        130: Stopped by Ctrl-C; the results so far are printed, and isolarium resume continues.

    Examples:
        isolarium match alphabeta:improved alphabeta:open --pairs 200
        isolarium match strong:reachable@nodes=2000 strong:improved@nodes=2000 --test 0,20 --no-accuracy
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
        details=details,
    )


def _test_plan(text: str | None, alpha: float, beta: float, normalised: bool) -> SprtPlan | None:
    """Return the plan of a sequential test from the text `ELO0,ELO1`.

    Raises:
        InputError: If the text is not two numbers with the smaller one first, or an error rate is
            invalid.
    """
    if text is None:
        if normalised:
            raise InputError("--normalised: needs --test, such as --test 0,20")
        return None
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--test {quoted(text)}: expected two numbers, such as 0,20") from None
    try:
        return SprtPlan(elo0, elo1, alpha, beta, normalised=normalised)
    except ValueError as error:
        raise InputError(f"--test {quoted(text)}: {error}") from None


@takes_conditions("100")
def tournament(
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT", help="Agents that compete.", autocompletion=completion.agents)
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="AGENT",
            help="Opponent that every agent meets, instead of each other.",
            autocompletion=completion.agents,
        ),
    ] = None,
    field: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Named field of opponents, course or fixed-depth, in addition to --against.",
            autocompletion=completion.fields,
        ),
    ] = "",
    self_play: Annotated[bool, typer.Option("--self", help="Let each agent also play itself.")] = False,
    *,
    conditions: Conditions,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play a round robin, or agents against a field of opponents.

    All agents play the same openings. Two agents that meet play each opening twice, with the sides
    swapped. --field course is the course's tournament.

    Exit status:
        1: The tournament cannot continue, for example because an agent keeps failing.
        130: Stopped by Ctrl-C; the results so far are printed, and isolarium resume continues.

    Examples:
        isolarium tournament alphabeta:open alphabeta:improved alphabeta:balanced --pairs 50
        isolarium tournament alphabeta:improved alphabeta:ratio --field course --pairs 20
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


@takes_conditions("500")
def sweep(
    template: Annotated[
        str,
        typer.Argument(
            metavar="AGENT", help="Agent with {} in place of each swept value.", autocompletion=completion.agents
        ),
    ],
    against: Annotated[
        list[str],
        typer.Option("--against", metavar="AGENT", help="Opponent of every variant.", autocompletion=completion.agents),
    ],
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--values",
            metavar="LIST",
            help="Values for one {}: 0,0.5,1, or 0:1:0.25 for FROM:TO:STEP. "
            "Give one list for each {}; all combinations play.",
        ),
    ] = None,
    *,
    conditions: Conditions,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play one agent with many parameter values.

    Every variant plays the same opponents from the same openings. You can also write the values in
    the agent itself: {0|0.5|1}, {0..1 by 0.25} or {arctan|sigmoid}. Numbers are not compiled into
    the code, so a sweep over numbers compiles once.

    Exit status:
        1: The sweep cannot continue, for example because an agent keeps failing.
        130: Stopped by Ctrl-C; the results so far are printed, and isolarium resume continues.

    Examples:
        isolarium sweep 'alphabeta:balanced(weight={})@nodes=500' --values 0,1 --against alphabeta:open@nodes=500 --pairs 100
        isolarium sweep 'mcts(c={})@nodes=500' --values 0.6:1.8:0.6 --against alphabeta:improved@nodes=500 --pairs 50
    """  # noqa: E501 # lines to paste
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
