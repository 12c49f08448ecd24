"""`isolarium report`: what a run shows, as a page, as Markdown and as pictures."""

from contextlib import closing
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from isolarium.cli.options import (
    DEFAULT_RUNS,
    AccuracyOption,
    JsonOption,
    RunArgument,
    RunsOption,
    WorkersOption,
)
from isolarium.cli.progress_display import notice
from isolarium.text import printable

EXAMPLES = """\b
Examples:
  isolarium report last
  isolarium report last --out report --json
"""


def report(
    run: RunArgument,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where to. [default: the run's folder]"),
    ] = None,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    accuracy: AccuracyOption = True,
    as_json: JsonOption = False,
) -> None:
    """Write the report of a run: a page with its charts and tables.

    The run may be finished or not. The report is report.html, report.md, and every chart and table.
    The page needs no other file and no other host. Its charts are beside it as SVG and PNG, its
    tables as CSV.
    """
    from isolarium.analysis.run_statistics import overview_of
    from isolarium.arena.results import MOST_SAMPLED
    from isolarium.arena.run_store import find_run
    from isolarium.cli.run_output import accuracy_of_run, opened
    from isolarium.reporting.report_folder import make_folder
    from isolarium.reporting.run_report import write_report

    folder = find_run(run, runs)
    make_folder(out or folder)
    with closing(opened(folder)) as record:
        with notice("reading the games..."):
            overview = overview_of(record, sample=MOST_SAMPLED if accuracy else 0)
        sample = overview.results.sample
        found = accuracy_of_run(folder, workers, sample) if accuracy else None
        with notice("writing the report..."):
            written = write_report(record, out or folder, found, overview)
    if as_json:
        typer.echo(dumps(written.for_programs()))
        return
    top = written.headline
    typer.echo(printable(f"{top.answer}: {top.figure} {top.figure_is}"))
    typer.echo(written.page)
