"""`isolab report`: what a run shows, as a page, as Markdown and as pictures."""

from pathlib import Path
from typing import Annotated

import typer

from isolab.cli.plan_options import AccuracyOption, JsonOption
from isolab.cli.resume import RunArgument
from isolab.cli.running import DEFAULT_RUNS, RunsOption, WorkersOption

EXAMPLES = """\b
Examples:
  isolab report last
  isolab report last --out report --json
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
    from contextlib import closing

    from isolab.arena.record import Record
    from isolab.cli.notice import notice_if_slow
    from isolab.cli.running import find_run
    from isolab.cli.truth import accuracy_of_run

    folder = find_run(run, runs)
    found = accuracy_of_run(folder, workers) if accuracy else None
    with closing(Record(folder)) as record, notice_if_slow("writing the report..."):
        from isolab.reporting.run_report import write_report

        written = write_report(record, out or folder, found)
    if as_json:
        from json import dumps

        typer.echo(dumps(written.for_programs()))
        return
    top = written.headline
    typer.echo(f"{top.answer}: {top.figure} {top.figure_is}")
    typer.echo(written.page)
