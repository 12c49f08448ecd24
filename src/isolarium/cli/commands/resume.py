"""`isolarium resume`: go on with a run that was interrupted."""

from typing import Annotated

import typer

from isolarium.cli.cluster import ClusterOption, connected
from isolarium.cli.options import (
    DEFAULT_RUNS,
    JsonOption,
    RunArgument,
    RunsOption,
    WorkersOption,
)

TrustOption = Annotated[
    bool,
    typer.Option("--trust", help="Run the files that its agents name, though made elsewhere."),
]

EXAMPLES = """\b
Examples:
  isolarium resume last
  isolarium resume last --workers 1 --json
"""


def resume(
    run: RunArgument,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    accuracy: Annotated[
        bool | None,
        typer.Option(
            "--accuracy/--no-accuracy",
            help="Solve a sample of the games at the end. [default: as the run was begun]",
        ),
    ] = None,
    trust: TrustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Play what is missing of a run, a study or a tuning.

    Whatever ended it, no game is lost or played twice: it ends with exactly the games of a run that
    nothing disturbed, and shows their table. Of a finished run the table is shown. A study and a
    tuning run are gone on with in the same way. Accuracy is of matches. If agents of a run that was made elsewhere
    are in files, they are named and asked about first.
    """
    from isolarium.cli.work.runs import check_trusted, resume_and_show
    from isolarium.studies.study_runner import files_of_strangers, find_begun, open_study
    from isolarium.tuning import tuning_runner as tuning

    folder = find_begun(run, runs)
    if folder is not None:
        from isolarium.cli.work.study import play_study_and_show

        check_trusted(run, files_of_strangers(folder), trust)
        with connected(cluster, workers) as found:
            play_study_and_show(open_study(folder), workers, as_json, cluster=found)
        return
    tuned = tuning.find_tuning(run, runs)
    if tuned is not None:
        from isolarium.cli.work.tune import tune_and_show

        check_trusted(run, tuning.files_of_strangers(tuned), trust)
        tune_and_show(lambda: tuning.open_tuning(tuned), workers, as_json, cluster)
        return
    resume_and_show(run, runs, workers, as_json, cluster, accuracy=accuracy, trust=trust)
