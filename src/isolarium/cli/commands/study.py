"""`isolarium study`: an experiment from a file, with the published figures beside ours."""

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from isolarium.cli import completion
from isolarium.cli.options import (
    DEFAULT_RUNS,
    ClusterOption,
    JsonOption,
    RunsOption,
    WorkersOption,
    connected,
)
from isolarium.errors import InputError
from isolarium.studies.study_file import find_study, read_study, shipped_studies

QUICK_SCALE = 1e-9
"""Every part has at least one pair."""

EXAMPLES = """\b
Examples:
  isolarium study
  isolarium study report-003 --part against-improved --quick
"""


def study(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[STUDY]",
            help="Its name, a TOML file, or the folder of one to go on with.",
            autocompletion=completion.studies,
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
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables as Markdown.")
    ] = False,
) -> None:
    """Run a study, or list those there are.

    A study is a TOML file that says everything: agents, boards, openings, seeds, and the figures
    it is compared with. Every part is a run of its own; Ctrl-C ends a study in good order, and
    isolarium resume continues from its folder.
    """
    if as_json and as_markdown:
        raise InputError("--json and --markdown: expected one of them")
    if name is None:
        _list_studies(as_json)
        return
    from isolarium.studies.study_runner import begin_study, is_study, open_study

    with connected(cluster, workers) as found:
        if is_study(Path(name)):
            if limit is not None or scale is not None or quick or part:
                told = "a study's settings stay as they are; expected none of them"
                raise InputError(f"{name}: {told}")
            begun = open_study(Path(name))
        else:
            pairs = _scale(scale, quick)
            begun = begin_study(find_study(name), runs, limit=limit, scale=pairs, parts=part or ())
        from isolarium.cli.study_output import play_study_and_show

        play_study_and_show(begun, workers, as_json, as_markdown, cluster=found)


def _scale(scale: float | None, quick: bool) -> float:
    if quick and scale is not None:
        raise InputError("--quick and --scale: expected one of them")
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
    typer.echo("\nisolarium study NAME runs one; a TOML file of your own works the same.")
