"""`isolarium resume`: go on with a run that was interrupted."""

from typing import Annotated

import typer

from isolarium.cli.options import (
    DEFAULT_RUNS,
    ClusterOption,
    JsonOption,
    RunArgument,
    RunsOption,
    WorkersOption,
    connected,
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
    from isolarium.cli.run_output import check_trusted, resume_and_show
    from isolarium.studies import study_runner
    from isolarium.tuning import tuning_runner

    studied = study_runner.find_study_run(run, runs)
    tuned = None if studied is not None else tuning_runner.find_tuning(run, runs)
    if studied is None and tuned is None:
        resume_and_show(run, runs, workers, cluster, as_json, accuracy=accuracy, trust=trust)
        return
    from isolarium.cli.study_output import play_study_and_show, tune_and_show

    if studied is not None:
        check_trusted(run, study_runner.untrusted_files(studied), trust)
        with connected(cluster, workers) as found:
            begun = study_runner.open_study(studied)
            play_study_and_show(begun, workers, as_json, cluster=found)
    elif tuned is not None:
        check_trusted(run, tuning_runner.untrusted_files(tuned), trust)
        tune_and_show(lambda: tuning_runner.open_tuning(tuned), workers, as_json, cluster)
