"""Plays a study part by part, each part a run of its own in the study's folder, and shows what it found."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from json import dumps
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Final

import typer

from isolab.agents.warming import warm_up
from isolab.analysis.study.part_result import PartResult, read_part
from isolab.analysis.study.study_report import write_study_report
from isolab.analysis.study.study_result import StudyFindings, findings
from isolab.arena.plan import Plan
from isolab.arena.record import FILE_NAME, Record
from isolab.arena.runner import play_run
from isolab.arena.study import Part
from isolab.arena.study_folder import BegunStudy
from isolab.cli.endings import INTERRUPTED, interruptible
from isolab.cli.progress import Display, display, notice
from isolab.cli.work.runs import tell_of_run
from isolab.game.notation import parse_board

SLOW_S: Final = 0.3
"""An agent that takes longer to be ready is being compiled, not loaded."""
PLAIN_WIDTH: Final = 160
"""In a pipe or a log lines may be this long."""


def play_study_and_show(
    begun: BegunStudy, workers: int | None, as_json: bool, as_markdown: bool = False
) -> None:
    """Play what is missing of a study, print what it found and write its report.

    One that was interrupted ends the command as an interrupt does.
    """
    found = _play(begun, workers)
    if as_markdown:
        typer.echo("\n".join(_markdown_lines(found)))
    elif not as_json:
        typer.echo("\n".join(_screen_lines(found)) + "\n")
    with notice("writing the report..."):
        report = write_study_report(found, begun.folder)
    if as_json:
        where = {"run": str(begun.folder), "report": str(report)}
        typer.echo(dumps({**found.facts(), **where}, ensure_ascii=False))
    elif not as_markdown:
        typer.echo("\n".join(_ending_lines(found, begun.folder, report)))
    if not found.finished:
        raise typer.Exit(INTERRUPTED)


def _play(begun: BegunStudy, workers: int | None) -> StudyFindings:
    """Play what is missing of a study; Ctrl-C ends it in good order, with what is finished kept."""
    study, settings, parts = begun.study, begun.settings, begun.parts
    found = []
    with interruptible() as interrupted:
        for number, part in enumerate(parts, start=1):
            count = f" {number} of {len(parts)}," if len(parts) > 1 else ""
            plan = study.plan(part, settings.limit or None, settings.scale)
            with display(f"{study.name}{count} {part.name}", "starting...") as shown:
                result = _play_part(
                    part, plan, begun.folder / part.name, workers, shown, lambda: bool(interrupted)
                )
            found.append(findings(result))
            if interrupted:
                break
    return StudyFindings(study, settings.limit, settings.scale, len(parts), tuple(found))


def _play_part(
    part: Part,
    plan: Plan,
    folder: Path,
    workers: int | None,
    shown: Display,
    stop: Callable[[], bool],
) -> PartResult:
    """Play what is missing of one part."""
    with closing(_record(folder, plan)) as record:
        if not record.is_finished:
            _compile_agents(record.plan, shown)
            play_run(record, workers, lambda progress: tell_of_run(progress, shown), stop)
        shown.say("reading the games")
        return read_part(record, part)


def _record(folder: Path, plan: Plan) -> Record:
    """The record of a part, begun if it was not."""
    if not (folder / FILE_NAME).is_file():
        return Record.create(folder, plan, plan.openings_in_order())
    record = Record(folder)
    if record.is_finished:
        return record
    record.close()
    return Record(folder, writes=True)


def _compile_agents(plan: Plan, shown: Display) -> None:
    """Have everything compiled that the run needs, so that its workers find it done."""
    specs = list(dict.fromkeys(plan.players))
    board = parse_board(plan.board)
    compiling = False
    for number, spec in enumerate(specs, start=1):
        verb = "compiling" if compiling else "loading"
        shown.say(f"{verb} {number} of {len(specs)}{' (first time only)' * compiling}")
        started = time.monotonic()
        warm_up(spec, board)
        compiling = time.monotonic() - started > SLOW_S


def _screen_lines(found: StudyFindings) -> Iterator[str]:
    """Every table of a study."""
    width = get_terminal_size().columns if sys.stdout.isatty() else PLAIN_WIDTH
    yield f"{found.study.title}"
    for part in found.parts:
        yield ""
        yield f"{part.result.part.title}"
        yield part.settings
        if part.result.part.about:
            yield fill(" ".join(part.result.part.about.split()), min(width, 100))
        for table in part.tables:
            yield ""
            yield table.text(width)


def _ending_lines(found: StudyFindings, folder: Path, report: Path) -> Iterator[str]:
    """How many claims hold, and where the rest is."""
    judged, outside = found.claims
    if judged:
        yield (
            f"claims       {judged} figures judged, {outside} outside the noise "
            f"(chance alone: about {0.05 * judged:.0f})"
        )
    yield f"games        {found.games:,}"
    if not found.finished:
        yield f"stopped      isolab resume {folder} goes on"
    yield f"run          {folder}"
    yield f"report       {report}"


def _markdown_lines(found: StudyFindings) -> Iterator[str]:
    """The same as Markdown."""
    yield f"## {found.study.title}"
    for part in found.parts:
        yield f"\n### {part.result.part.title}\n\n{part.settings}"
        for table in part.tables:
            yield f"\n{table.markdown()}"
