"""`isolarium study`: an experiment from a file, with the published figures beside ours."""

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from isolarium.cli import completion
from isolarium.cli.options import DEFAULT_RUNS, ClusterOption, JsonOption, RunsOption, WorkersOption, connected
from isolarium.errors import InputError
from isolarium.studies.study_file import find_study, read_study, shipped_studies
from isolarium.text import printable

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster
    from isolarium.studies.study_runner import StudyRun

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
