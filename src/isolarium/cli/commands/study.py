"""`isolarium study`: an experiment from a file; `isolarium tune`: the best values of an agent's parameters."""

from collections.abc import Callable
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

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
from isolarium.studies.study_file import find_study, read_study, shipped_studies
from isolarium.text import printable

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster
    from isolarium.studies.study_runner import StudyRun
    from isolarium.studies.tuning_runner import TuningRun

QUICK_SCALE: Final = 1e-9
"""A scale at which every meeting plays only one pair."""


def study(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY",
            help="Name of a study, a TOML file, or the folder of a study to continue.",
            autocompletion=completion.studies,
        ),
    ] = None,
    limit: Annotated[
        str | None, typer.Option(metavar="LIMIT", help="Search limit for agents whose specs have none, such as ms=150.")
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(
            metavar="X", help="Factor that multiplies the study's numbers of pairs, at most 1000.", show_default="1"
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Play one pair per meeting, as a trial run.")] = False,
    part: Annotated[
        list[str] | None, typer.Option(metavar="PART", help="Part to play.", show_default="all parts")
    ] = None,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print the tables as Markdown.")] = False,
    tables: Annotated[
        bool, typer.Option("--tables", help="Print the tables of all agents against all opponents, however wide.")
    ] = False,
) -> None:
    """Run a study, or list the available studies.

    A study is a TOML file that describes an experiment completely: agents, boards, openings, seeds,
    and the published figures it is compared with. Each part is a separate run. The output starts
    with the ranking and its verdicts; --tables adds the games of many agents against each opponent.
    Ctrl-C stops the study, and isolarium resume continues it.

    Exit status:
        1: The study cannot continue, for example because an agent keeps failing.
        130: Stopped by Ctrl-C; the results so far are printed, and isolarium resume continues.

    Examples:
        isolarium study
        isolarium study report-003 --part against-improved --quick
    """
    if as_json and as_markdown:
        raise InputError("--json and --markdown: use only one of them")
    if name is None:
        _list_studies(as_json)
        return
    from isolarium.studies.study_runner import begin_study, is_study, open_study

    with connected(cluster, workers) as found:
        if is_study(Path(name)):
            if limit is not None or scale is not None or quick or part:
                options = "--limit, --scale, --quick and --part"
                raise InputError(f"{name}: this study has already begun; leave out {options}")
            begun = open_study(Path(name))
        else:
            pairs = _scale(scale, quick)
            begun = begin_study(find_study(name), runs, limit=limit, scale=pairs, parts=part or ())
        play_study_and_show(begun, workers, as_json, as_markdown, tables=tables, cluster=found)


def _scale(scale: float | None, quick: bool) -> float:
    if quick and scale is not None:
        raise InputError("--quick and --scale: use only one of them")
    if scale is not None and not 0 < scale <= 1000:
        raise InputError(f"--scale {scale:g}: expected more than 0 and at most 1000")
    return QUICK_SCALE if quick else scale or 1.0


def _list_studies(as_json: bool) -> None:
    studies = [read_study(path) for path in shipped_studies().values()]
    if as_json:
        listed = [
            {
                "name": one.name,
                "title": one.title,
                "limit": one.limit,
                "parts": [{"name": part.name, "title": part.title, "games": one.games(part)} for part in one.parts],
            }
            for one in studies
        ]
        typer.echo(dumps(listed))
        return
    for one in studies:
        games = sum(map(one.games, one.parts))
        typer.echo(f"{one.name:<10} {one.title} ({games:,} games)")
        for part in one.parts:
            typer.echo(f"{'':<12} {part.name:<22} {part.title}")
    typer.echo("\nRun one with isolarium study NAME, or your own TOML file the same way.")


def play_study_and_show(
    begun: "StudyRun",
    workers: int | None,
    as_json: bool,
    as_markdown: bool = False,
    *,
    tables: bool = False,
    cluster: "Cluster | None" = None,
) -> None:
    """Play the rest of a study, print its results and write its report.

    Exit with status 130 if the study is interrupted, and with status 1 if a failing agent ends it.
    """
    from isolarium.cli.app import FAILED, INTERRUPTED
    from isolarium.cli.progress_display import display, notice
    from isolarium.cli.run_output import resumable, run_display
    from isolarium.cli.screen import Screen
    from isolarium.studies.study_runner import play_study

    with run_display() as listener, resumable(begun.folder, listener):
        found = play_study(begun, listener, workers, cluster)
    # Imported here: they load the charts, which would delay the start of the games.
    from isolarium.course.course_study import CourseGrading, grade_study
    from isolarium.reporting.markdown import write_sections
    from isolarium.reporting.model import Paragraph
    from isolarium.reporting.study_report import (
        study_answer,
        study_facts,
        study_json,
        study_sections,
        write_study_report,
    )

    screen = Screen()
    if not (found.games or found.failure or as_json or as_markdown):  # Ctrl-C came first.
        screen.say(found.study.title, "head")
        screen.say("No game is finished yet.")
        screen.show([study_facts(found, begun.folder)])
        raise typer.Exit(INTERRUPTED)
    grading = CourseGrading() if found.study.is_graded else None
    if (found.finished or found.failure) and grading is not None:
        with display(found.study.name, "checking the agents...") as shown:
            grading = grade_study(found, begun, lambda text: shown.update(lambda: text))
    if as_markdown:
        typer.echo(write_sections(found.study.title, study_sections(found, grading)))
    elif not as_json:
        screen.say(found.study.title, "head")
        for line in study_answer(found, grading):
            screen.show([Paragraph(line)])
        screen.say()
        screen.show(study_sections(found, grading, wide=tables))
        screen.say()
    with notice("writing the report..."):
        report = write_study_report(found, begun.folder, grading)
    if as_json:
        where = {"run": str(begun.folder), "report": str(report)}
        typer.echo(dumps({**study_json(found, grading), **where}, ensure_ascii=False))
    elif not as_markdown:
        screen.show([study_facts(found, begun.folder, report)])
    if found.failure:
        typer.echo(f"isolarium: {printable(found.failure)}", err=True)
        raise typer.Exit(FAILED)
    if not found.finished:
        raise typer.Exit(INTERRUPTED)


# Tuning


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
    from isolarium.game.board import parse_board
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
