"""`isolarium export`: the games of a run, for other programs."""

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from isolarium.cli.options import DEFAULT_RUNS, RunArgument, RunsOption
from isolarium.errors import InputError

EXAMPLES = """\b
Examples:
  isolarium export last --csv
  isolarium export last --json --no-times
"""


def export(
    run: RunArgument,
    as_csv: Annotated[bool, typer.Option("--csv", help="A table, one game a row.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One object: the plan and all games.")
    ] = False,
    as_replay: Annotated[
        bool, typer.Option("--replay", help="One game a line, for the course's replay page.")
    ] = False,
    as_text: Annotated[
        bool, typer.Option("--text", help="One game a line, such as 7x7: d4 b3.")
    ] = False,
    no_times: Annotated[
        bool,
        typer.Option("--no-times", help="Leave out all that differs between two equal runs."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where to. [default: the screen]"),
    ] = None,
    runs: RunsOption = DEFAULT_RUNS,
) -> None:
    """Write the games of a run as data.

    The run may be finished or not; every move has its score, depth, nodes and time. With --no-times
    two runs of one plan and one seed give the same bytes, however many workers played them.
    """
    forms = {"csv": as_csv, "json": as_json, "replay": as_replay, "text": as_text}
    chosen = [form for form, wanted in forms.items() if wanted]
    if len(chosen) != 1:
        told = " and ".join(f"--{form}" for form in chosen) or "no form"
        raise InputError(f"{told}: expected one of --csv, --json, --replay and --text")
    from isolarium.arena.export import WRITERS
    from isolarium.arena.run_store import find_run
    from isolarium.cli.run_output import opened

    write = WRITERS[chosen[0]]
    with closing(opened(find_run(run, runs))) as record:
        if out is None:
            write(record, sys.stdout, not no_times)
            return
        try:
            with out.open("w", encoding="utf-8", newline="") as file:
                write(record, file, not no_times)
        except OSError as error:
            raise InputError(f"{out}: {error.strerror}; expected a file to write to") from None
