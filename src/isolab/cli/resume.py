"""`isolab resume`: go on with a run that was interrupted."""

from typing import Annotated

import typer

from isolab.cli.plan_options import AccuracyOption, JsonOption
from isolab.cli.running import DEFAULT_RUNS, RunsOption, WorkersOption

EXAMPLES = """\b
Examples:
  isolab resume last
  isolab resume last --workers 1 --json
"""

RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="Its name, its folder, or last: the one begun last.")
]


def resume(
    run: RunArgument,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    accuracy: AccuracyOption = True,
    as_json: JsonOption = False,
) -> None:
    """Play what is missing of a run or a study.

    Whatever ended it, no game is lost or played twice: it ends with exactly the games of a run that
    nothing disturbed, and shows their table. Of a finished run the table is shown. A study is gone
    on with in the same way. Accuracy is of matches.
    """
    from isolab.cli.running import find_run, match_accuracy, resume_run, show_and_exit
    from isolab.cli.study import go_on_with_study

    if go_on_with_study(run, runs, workers, as_json):
        return
    folder = find_run(run, runs)
    results = resume_run(folder, workers)
    found = match_accuracy(results, folder, workers) if accuracy else None
    show_and_exit(results, folder, as_json, found)
