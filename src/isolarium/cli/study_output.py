"""Studies and tuning runs on the command line: played, shown and reported."""

from collections.abc import Callable
from json import dumps
from typing import TYPE_CHECKING, Final

import typer

from isolarium.cli.console import Screen
from isolarium.cli.exits import INTERRUPTED
from isolarium.cli.options import connected
from isolarium.cli.progress_display import compile_for, display, notice
from isolarium.cli.run_output import resumable, run_display
from isolarium.game.notation import parse_board
from isolarium.studies.study_runner import StudyRun, play_study
from isolarium.tuning.tuning_config import Objective
from isolarium.tuning.tuning_runner import TuningRun, play_tuning

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

PLAIN_WIDTH: Final = 160
"""In a pipe or a log the tables of a study may be this wide."""


def play_study_and_show(
    begun: StudyRun,
    workers: int | None,
    as_json: bool,
    as_markdown: bool = False,
    *,
    cluster: "Cluster | None" = None,
) -> None:
    """Play what is missing of a study, print its results and write its report.

    A study that was interrupted ends the command with the status of an interrupt.
    """
    with run_display() as listener, resumable(begun.folder, listener):
        found = play_study(begun, listener, workers, cluster)
    # Inside: they draw, and before the games they would keep the workers waiting.
    from isolarium.course.course_study import CourseGrading, grade_study
    from isolarium.reporting.markdown import write_sections
    from isolarium.reporting.study_report import (
        study_facts,
        study_json,
        study_sections,
        write_study_report,
    )

    grading = CourseGrading() if found.study.is_graded else None
    if found.finished and grading is not None:
        with display(found.study.name, "checking the agents...") as shown:
            grading = grade_study(found, begun, lambda text: shown.tell(lambda: text))
    screen = Screen(PLAIN_WIDTH)
    if as_markdown:
        typer.echo(write_sections(found.study.title, study_sections(found, grading)))
    elif not as_json:
        screen.say(found.study.title, "head")
        screen.say()
        screen.show(study_sections(found, grading))
        screen.say()
    with notice("writing the report..."):
        report = write_study_report(found, begun.folder, grading)
    if as_json:
        where = {"run": str(begun.folder), "report": str(report)}
        typer.echo(dumps({**study_json(found, grading), **where}, ensure_ascii=False))
    elif not as_markdown:
        screen.show([study_facts(found, begun.folder, report)])
    if not found.finished:
        raise typer.Exit(INTERRUPTED)


def tune_and_show(
    begin: Callable[[], TuningRun],
    workers: int | None,
    as_json: bool,
    cluster: str | None = None,
) -> None:
    """Play what is missing of a tuning run, print its results and write its report.

    A tuning run that was interrupted ends the command with the status of an interrupt.
    """
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
            # Inside: it draws, and what draws takes longer to load than all the rest.
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
