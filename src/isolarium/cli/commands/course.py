"""`isolarium course`: the course's tournament for somebody's file, and what a teacher would say of it."""

from pathlib import Path
from typing import Annotated

import typer

from isolarium.cli.options import (
    DEFAULT_RUNS,
    ClusterOption,
    JsonOption,
    RunsOption,
    SeedOption,
    WorkersOption,
    connected,
)
from isolarium.errors import InputError

EXAMPLES = """\b
Examples:
  isolarium course game_agent.py --pairs 1 --calls 200
  isolarium course --shim modules
"""


def course(
    path: Annotated[
        str | None,
        typer.Argument(metavar="[PATH]", help="The agent's file, or the folder that it is in."),
    ] = None,
    pairs: Annotated[
        int, typer.Option(metavar="N", min=1, help="Pairs of games against each opponent.")
    ] = 5,
    calls: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Positions its agents may ask for in a move. [default: 8000]"
        ),
    ] = None,
    ms: Annotated[
        float | None,
        typer.Option(metavar="MS", help="By the clock instead; the course has 150."),
    ] = None,
    seed: SeedOption = 1,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
    shim: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Write modules isolation and sample_players there instead."
        ),
    ] = None,
    later: Annotated[
        bool, typer.Option("--later", help="With --shim: those of the later project, on 9x11.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="With --shim: overwrite files that are not Isolarium's.")
    ] = False,
) -> None:
    """Play a game_agent.py in its course's tournament, and judge it.

    Its agents, each with its custom_score functions, meet the course's seven opponents in pairs of
    games; time losses and forfeits are told by agent. Then each score, search and agent is looked
    at as a teacher would, and every finding comes with a position. One page to hand in is written.
    The file runs in a sandbox; what it restricts on this machine is printed first. An interrupted
    run continues with isolarium resume.
    """
    if shim is not None:
        if path is not None:
            raise InputError(f"--shim and {path}: expected one of them")
        _write_shim(shim, later, force)
        return
    if path is None:
        raise InputError("expected the path of a game_agent.py, or --shim FOLDER")
    if later or force:
        raise InputError(f"--{'later' if later else 'force'}: expected --shim FOLDER with it")
    if calls is not None and ms is not None:
        raise InputError("--calls and --ms: expected one of them")
    from isolarium.cli.progress_display import notice
    from isolarium.cli.study_output import play_study_and_show
    from isolarium.course.course_study import course_study, find_agent_file
    from isolarium.processes.sandboxed_process import protection_here
    from isolarium.studies.study_runner import begin_study

    with notice("reading the agents..."):
        file = find_agent_file(path)
        study = course_study(file, calls=calls, ms=ms, pairs=pairs, seed=seed)
        protection = protection_here()
    typer.echo(f"sandbox: {protection.line}", err=True)
    if protection.warning is not None:
        typer.echo(f"isolarium: warning: {protection.warning}", err=True)
    with connected(cluster, workers) as found:
        play_study_and_show(begin_study(study, runs), workers, as_json, cluster=found)


def _write_shim(folder: Path, later: bool, force: bool) -> None:
    from isolarium.course.loader import ModuleSet, write_modules

    which = ModuleSet.LATER if later else ModuleSet.FIRST
    for path in write_modules(which, folder, force=force):
        typer.echo(path)
    typer.echo(
        f"\nIn a project's folder, its own scripts run on them with\n"
        f"  PYTHONSAFEPATH=1 PYTHONPATH={folder.resolve()}:. python tournament.py"
    )
