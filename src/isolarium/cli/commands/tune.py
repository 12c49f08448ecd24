"""`isolarium tune`: the best values of an agent's parameters, tested against its defaults."""

from collections.abc import Callable
from json import dumps
from typing import TYPE_CHECKING, Annotated

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
    connected,
)
from isolarium.errors import InputError, quoted

if TYPE_CHECKING:
    from isolarium.studies.tuning_runner import TuningRun


def tune(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="Agent with {0..4}, {0..4 by 1} or {a|b} in place of each tuned parameter.",
            autocompletion=completion.agents,
        ),
    ],
    against: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="Opponent of the trials.",
            show_default="the untuned agent",
            autocompletion=completion.agents,
        ),
    ] = None,
    on: Annotated[
        str,
        typer.Option(
            metavar="games|truth", help="Objective of a trial: results of games, or accuracy on solved positions."
        ),
    ] = "games",
    trials: Annotated[int, typer.Option(metavar="N", min=2, max=500, help="Total number of trials.")] = 40,
    round_: Annotated[
        int, typer.Option("--round", metavar="N", min=2, max=500, help="Number of trials per round (on games).")
    ] = 8,
    pairs: Annotated[
        int, typer.Option(metavar="N", min=2, max=100_000, help="Number of pairs of games per trial (on games).")
    ] = 200,
    positions: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=100_000, help="Number of solved positions per stage of the game (on truth)."
        ),
    ] = 500,
    gain: Annotated[
        float, typer.Option(metavar="ELO", help="Smallest gain worth having, in Elo, for the final test.")
    ] = 20.0,
    confirm: Annotated[
        int, typer.Option(metavar="N", min=1, max=100_000, help="Largest number of pairs in the final test.")
    ] = 5000,
    board: BoardOption = "7x7",
    seed: SeedOption = 1,
    plies: PliesOption = 2,
    name: Annotated[str, typer.Option(metavar="NAME", help="Name of the run.")] = "tune",
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find an agent's best parameter values and test them.

    The first round of trials is spread over the ranges; Optuna (the extra tune) chooses the later
    trials. The best trial, with allowance for the noise of each, then plays the untuned agent in a
    sequential test from openings that no trial has used. The interval of this test is the answer.
    Ctrl-C stops the run, and isolarium resume continues it.

    Exit status:
        1: The run cannot continue, for example because an agent keeps failing.
        130: Stopped by Ctrl-C; the results so far are printed, and isolarium resume continues.

    Examples:
        isolarium tune 'alphabeta:aggressive(weight={0..4})@nodes=500' --trials 6 --round 3 --pairs 20 --confirm 100
        isolarium tune 'greedy:staged(first={improved|open},at={0..1})' --on truth --trials 8 --positions 20 --confirm 50
    """  # noqa: E501 # lines to paste
    if against is not None and not against.strip():
        raise InputError(f"--against {quoted(against)}: expected an agent")
    from isolarium.studies.tuning_config import Tuning, read_objective
    from isolarium.studies.tuning_runner import begin_tuning

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


def tune_and_show(
    begin: "Callable[[], TuningRun]", workers: int | None, as_json: bool, cluster: str | None = None
) -> None:
    """Play the rest of a tuning run, print its results and write its report.

    For an interrupted run, exit with status 130.
    """
    from isolarium.cli.app import INTERRUPTED
    from isolarium.cli.progress_display import compile_for, notice
    from isolarium.cli.run_output import resumable, run_display
    from isolarium.cli.screen import Screen
    from isolarium.game.notation import parse_board
    from isolarium.studies.tuning_config import Objective
    from isolarium.studies.tuning_runner import play_tuning

    with connected(cluster, workers) as there:
        with notice("starting..."):
            begun = begin()
        tuning = begun.tuning
        with run_display(tuning.name) as listener, resumable(begun.folder, listener):
            if tuning.on is Objective.TRUTH:
                compile_for(parse_board(tuning.board), False, listener.shown)
            found = play_tuning(begun, listener, workers, there)
    report = None
    if found.trials:
        with notice("writing the report..."):
            # Imported here: it loads the charts, which takes longer than everything else.
            from isolarium.reporting.tuning_report import write_tuning_report

            report = write_tuning_report(found, begun.folder)
    from isolarium.reporting.tuning_tables import tuning_blocks, tuning_json, tuning_title

    if as_json:
        where = {"run": str(begun.folder), "report": None if report is None else str(report)}
        typer.echo(dumps({**tuning_json(found), **where}))
    else:
        screen = Screen()
        screen.say(tuning_title(found), "head")
        screen.show(tuning_blocks(found, begun.folder, report))
    if not found.finished:
        raise typer.Exit(INTERRUPTED)
