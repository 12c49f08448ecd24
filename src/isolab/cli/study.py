"""`isolab study`: an experiment from a file, with the published figures beside ours."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isolab.cli.running import DEFAULT_RUNS, RunsOption, WorkersOption

if TYPE_CHECKING:
    from isolab.studies.findings import StudyFindings

PLAIN_WIDTH = 160
"""In a pipe or a log the tables of a study may be this wide."""
QUICK_SCALE = 1e-9
"""Every part has at least one pair."""

EXAMPLES = """\b
Examples:
  isolab study
  isolab study seed-003 --part against-improved --quick
"""


def study(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[STUDY]", help="Its name, a TOML file, or the folder of one to go on with."
        ),
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="LIMIT",
            help="For agents that name none, such as ms=150 to play by the clock.",
        ),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(metavar="X", help="Play X pairs for each that the study asks for."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One pair a meeting, to see that it works.")
    ] = False,
    part: Annotated[
        list[str] | None,
        typer.Option(metavar="PART", help="Only this part; may be given more than once."),
    ] = None,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables as Markdown.")
    ] = False,
) -> None:
    """Run a study, or list those there are.

    A study is a TOML file that says everything: agents, boards, openings, seeds, and the figures
    it is compared with. Every part is a run of its own; Ctrl-C ends a study in good order, and
    isolab resume goes on with its folder.
    """
    from isolab.errors import InputError

    if as_json and as_markdown:
        raise InputError("--json and --markdown: expected one of them")
    if name is None:
        _list_studies(as_json)
        return
    from isolab.cli.study_running import is_study

    if is_study(Path(name)):
        if limit is not None or scale is not None or quick or part:
            raise InputError(f"{name}: a study's settings stay as they are; expected none of them")
        _resume(Path(name), workers, as_json, as_markdown)
        return
    from isolab.arena.runs import new_folder
    from isolab.arena.study import check_limit
    from isolab.arena.study_file import find_study
    from isolab.cli.study_running import Settings, begin_study, chosen_parts, play_study

    if limit is not None:
        check_limit(limit)
    wanted = find_study(name)
    settings = Settings(wanted.name, limit or "", _scale(scale, quick), tuple(part or ()))
    chosen_parts(wanted, settings.parts)
    folder = new_folder(runs, wanted.name)
    begin_study(wanted, settings, folder)
    _show(play_study(wanted, settings, folder, workers), folder, as_json, as_markdown)


def go_on_with_study(name: str, runs: Path, workers: int | None, as_json: bool) -> bool:
    """Go on with the study of that name or folder and show it; False if it is none."""
    from isolab.cli.study_running import is_study

    for folder in (runs / name, Path(name)):
        if is_study(folder):
            _resume(folder, workers, as_json, as_markdown=False)
            return True
    return False


def _resume(folder: Path, workers: int | None, as_json: bool, as_markdown: bool) -> None:
    from isolab.cli.study_running import open_study, play_study

    _show(play_study(*open_study(folder), folder, workers), folder, as_json, as_markdown)


def _scale(scale: float | None, quick: bool) -> float:
    from isolab.errors import InputError

    if quick and scale is not None:
        raise InputError("--quick and --scale: expected one of them")
    if scale is not None and not 0 < scale <= 1000:
        raise InputError(f"--scale {scale:g}: expected more than 0 and at most 1000")
    return QUICK_SCALE if quick else scale or 1.0


def _list_studies(as_json: bool) -> None:
    from json import dumps

    from isolab.arena.study_file import read_study, shipped_studies

    studies = [read_study(path) for path in shipped_studies().values()]
    if as_json:
        listed = [
            {
                "name": one.name,
                "title": one.title,
                "limit": one.limit,
                "parts": [
                    {"name": part.name, "title": part.title, "games": one.plan(part).games}
                    for part in one.parts
                ],
            }
            for one in studies
        ]
        typer.echo(dumps(listed))
        return
    for one in studies:
        games = sum(one.plan(part).games for part in one.parts)
        typer.echo(f"{one.name:<10} {one.title} ({games:,} games)")
        for part in one.parts:
            typer.echo(f"{'':<12} {part.name:<22} {part.title}")
    typer.echo("\nisolab study NAME runs one; a TOML file of your own works the same.")


def _show(found: "StudyFindings", folder: Path, as_json: bool, as_markdown: bool) -> None:
    """Print what a study found and write its report; an interrupted one ends the command as an interrupt does."""
    from json import dumps

    from isolab.cli.notice import notice_if_slow
    from isolab.cli.run_tables import TableScreen
    from isolab.cli.running import INTERRUPTED
    from isolab.reporting.markdown import write_sections
    from isolab.reporting.study_report import (
        study_facts,
        study_json,
        study_sections,
        write_study_report,
    )

    screen = TableScreen(PLAIN_WIDTH)
    if as_markdown:
        typer.echo(write_sections(found.study.title, study_sections(found)))
    elif not as_json:
        screen.say(found.study.title, "head")
        screen.say("")
        screen.show(study_sections(found))
        screen.say("")
    with notice_if_slow("writing the report..."):
        report = write_study_report(found, folder)
    if as_json:
        where = {"run": str(folder), "report": str(report)}
        typer.echo(dumps({**study_json(found), **where}, ensure_ascii=False))
    elif not as_markdown:
        screen.show([study_facts(found, folder, report)])
    if not found.finished:
        raise typer.Exit(INTERRUPTED)
