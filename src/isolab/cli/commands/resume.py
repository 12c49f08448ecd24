"""`isolab resume`: go on with a run that was interrupted."""

from typing import Annotated

import typer

from isolab.cli.options import (
    DEFAULT_RUNS,
    JsonOption,
    RunArgument,
    RunsOption,
    WorkersOption,
)

EXAMPLES = """\b
Examples:
  isolab resume last
  isolab resume last --workers 1 --json
"""


def resume(
    run: RunArgument,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    accuracy: Annotated[
        bool | None,
        typer.Option(
            "--accuracy/--no-accuracy",
            help="Solve a sample of the games at the end. [default: as the run was begun]",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play what is missing of a run or a study.

    Whatever ended it, no game is lost or played twice: it ends with exactly the games of a run that
    nothing disturbed, and shows their table. Of a finished run the table is shown. A study is gone
    on with in the same way. Accuracy is of matches.
    """
    from isolab.studies.playing import find_begun, open_study

    folder = find_begun(run, runs)
    if folder is not None:
        from isolab.cli.work.study import play_study_and_show

        play_study_and_show(open_study(folder), workers, as_json)
        return
    from isolab.cli.work.runs import resume_and_show

    resume_and_show(run, runs, workers, as_json, accuracy=accuracy)
