"""`isolab resume`: go on with a run that was interrupted."""

from pathlib import Path

from isolab.cli.options import (
    DEFAULT_RUNS,
    AccuracyOption,
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
    accuracy: AccuracyOption = True,
    as_json: JsonOption = False,
) -> None:
    """Play what is missing of a run or a study.

    Whatever ended it, no game is lost or played twice: it ends with exactly the games of a run that
    nothing disturbed, and shows their table. Of a finished run the table is shown. A study is gone
    on with in the same way. Accuracy is of matches.
    """
    from isolab.studies.playing import is_study, open_study

    for folder in (runs / run, Path(run)):
        if is_study(folder):
            from isolab.cli.work.study import play_study_and_show

            play_study_and_show(open_study(folder), workers, as_json)
            return
    from isolab.cli.work.runs import resume_and_show

    resume_and_show(run, runs, workers, as_json, accuracy=accuracy)
