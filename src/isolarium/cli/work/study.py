"""Plays a study part by part, and shows what it found."""

from contextlib import ExitStack
from json import dumps
from typing import TYPE_CHECKING, Final

import typer

from isolarium.arena.aborting import RunAborted
from isolarium.arena.runner import Show
from isolarium.cli.console import Screen
from isolarium.cli.exits import FAILED, INTERRUPTED, interruptible
from isolarium.cli.progress_display import display, notice
from isolarium.cli.work.runs import complain_of_abort, tell_of_run
from isolarium.course.study import with_lessons
from isolarium.reporting.markdown import write_sections
from isolarium.reporting.study_report import (
    study_facts,
    study_json,
    study_sections,
    write_study_report,
)
from isolarium.studies.study import Part
from isolarium.studies.study_results import StudyFindings
from isolarium.studies.study_runner import BegunStudy, play_study

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

PLAIN_WIDTH: Final = 160
"""In a pipe or a log the tables of a study may be this wide."""


def play_study_and_show(
    begun: BegunStudy,
    workers: int | None,
    as_json: bool,
    as_markdown: bool = False,
    *,
    cluster: "Cluster | None" = None,
) -> None:
    """Play what is missing of a study, print what it found and write its report.

    One that was interrupted ends the command as an interrupt does.
    """
    found = _play(begun, workers, cluster)
    if found.finished and found.study.lessons:
        with display(found.study.name, "looking at the agents...") as shown:
            found = with_lessons(found, begun, lambda told: shown.tell(lambda: told))
    screen = Screen(PLAIN_WIDTH)
    if as_markdown:
        typer.echo(write_sections(found.study.title, study_sections(found)))
    elif not as_json:
        screen.say(found.study.title, "head")
        screen.say()
        screen.show(study_sections(found))
        screen.say()
    with notice("writing the report..."):
        report = write_study_report(found, begun.folder)
    if as_json:
        where = {"run": str(begun.folder), "report": str(report)}
        typer.echo(dumps({**study_json(found), **where}, ensure_ascii=False))
    elif not as_markdown:
        screen.show([study_facts(found, begun.folder, report)])
    if not found.finished:
        raise typer.Exit(INTERRUPTED)


def _play(begun: BegunStudy, workers: int | None, cluster: "Cluster | None") -> StudyFindings:
    """Play what is missing of a study; Ctrl-C ends it in good order, with what is finished kept."""
    study, parts = begun.study, begun.parts
    with interruptible() as interrupted, ExitStack() as shown_last:

        def watch(number: int, part: Part) -> Show:
            shown_last.close()
            count = f" {number} of {len(parts)}," if len(parts) > 1 else ""
            label = f"{study.name}{count} {part.name}"
            shown = shown_last.enter_context(display(label, "starting..."))
            return lambda progress: tell_of_run(progress, shown, part.players)

        try:
            return play_study(begun, workers, watch, lambda: bool(interrupted), cluster)
        except RunAborted as error:
            shown_last.close()
            complain_of_abort(error, begun.folder)
            raise typer.Exit(FAILED) from None
