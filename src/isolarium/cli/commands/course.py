"""`isolarium course`: a student's file in the course's tournament, with checks."""

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from isolarium.limits import MOST_MS

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster
    from isolarium.course.class_run import ClassRun


def course(
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH", help="File of the agents, the folder that contains it, or a folder of submissions."
        ),
    ] = None,
    pairs: Annotated[int, typer.Option(metavar="N", min=1, help="Number of pairs of games per opponent.")] = 5,
    calls: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Number of positions an agent may generate per move.", show_default="8000"
        ),
    ] = None,
    ms: Annotated[
        float | None,
        typer.Option(
            metavar="MS", help="Time limit per move in milliseconds, instead of --calls; the course uses 150."
        ),
    ] = None,
    seed: SeedOption = 1,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Run only this check, without games: its name, or NAME:FUNCTION as the report prints it.",
        ),
    ] = None,
    pseudonyms: Annotated[bool, typer.Option("--pseudonyms", help="Show drawn names on the pages of a class.")] = False,
    shim: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder to write the course's modules to (isolation, sample_players), instead of playing.",
        ),
    ] = None,
    later: Annotated[
        bool, typer.Option("--later", help="Write the modules of the later project, on 9x11 (with --shim).")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite files that Isolarium did not write (with --shim).")
    ] = False,
) -> None:
    """Play and grade a game_agent.py, or a class of them.

    The agents, each with its custom_score functions, play the course's seven
    opponents in pairs of games, and so does the baseline: the same agent with
    the course's improved_score. The first line states which heuristics are better than the baseline. Then every score,
    search and agent is checked as a teacher would, and each failed check shows a position and the command that repeats
    it. The result is one page to hand in. The file runs in a sandbox; its restrictions on this machine are printed
    first.

    A folder with one submission in each subfolder is a class: each is checked
    and must qualify, and all play one tournament with the course's opponents.
    The result is a leaderboard, a page for each student, and a results.json for
    Gradescope. An estimate of the time is printed first.

    Exit status:
        1: The tournament cannot continue, for example because an agent keeps failing.
        130: Stopped by Ctrl-C; the results so far are printed, and isolarium resume continues.

    Examples:
        isolarium course game_agent.py --pairs 1 --calls 200
        isolarium course game_agent.py --check prunes
        isolarium course --shim modules
    """
    if shim is not None:
        if path is not None:
            raise InputError(f"--shim and {path}: use only one of them")
        _write_shim(shim, later, force)
        return
    if path is None:
        raise InputError("expected the path of a game_agent.py, or --shim FOLDER")
    if later or force:
        raise InputError(f"--{'later' if later else 'force'}: needs --shim FOLDER")
    if calls is not None and ms is not None:
        raise InputError("--calls and --ms: use only one of them")
    if ms is not None and not 0 < ms <= MOST_MS:
        raise InputError(f"--ms {ms:g}: expected more than 0 and at most {MOST_MS:g}")
    from isolarium.course.roster import submission_folders

    folders = submission_folders(path)
    if folders and check is not None:
        raise InputError(f"{path}: --check: expected one submission, not a class")
    if pseudonyms and not folders:
        raise InputError(f"{path}: --pseudonyms: expected a folder with a submission in each subfolder")
    if check is not None:
        _run_check(path, check, seed)
        return
    from isolarium.cli.commands.study import play_study_and_show
    from isolarium.cli.progress_display import display, notice
    from isolarium.course.course_study import course_study, find_agent_file
    from isolarium.studies.study_runner import begin_study

    if folders:
        from isolarium.course.class_run import begin_class

        name = Path(path).resolve().name
        with display(f"class {name}", "reading the submissions...") as shown:
            begun = begin_class(
                name,
                folders,
                runs,
                calls=calls,
                ms=ms,
                pairs=pairs,
                seed=seed,
                pseudonyms=pseudonyms,
                progress=lambda line: shown.update(lambda: line),
            )
        _show_protection()
        with connected(cluster, workers) as found:
            play_class_and_show(begun, workers, as_json, cluster=found)
        return
    with notice("reading the agents..."):
        file = find_agent_file(path)
        study = course_study(file, calls=calls, ms=ms, pairs=pairs, seed=seed)
    _show_protection()
    with connected(cluster, workers) as found:
        play_study_and_show(begin_study(study, runs), workers, as_json, cluster=found)


def _show_protection() -> None:
    from isolarium.processes.sandboxed_process import protection_here

    protection = protection_here()
    typer.echo(f"sandbox: {protection.line}", err=True)
    if protection.warning is not None:
        typer.echo(f"isolarium: warning: {protection.warning}", err=True)


def play_class_and_show(
    begun: "ClassRun", workers: int | None, as_json: bool, *, cluster: "Cluster | None" = None
) -> None:
    """Play the rest of a class, print its leaderboard and write its pages.

    Exit with status 130 if it is interrupted.
    """
    from isolarium.cli.app import INTERRUPTED
    from isolarium.cli.progress_display import notice
    from isolarium.cli.run_output import resumable, run_display
    from isolarium.cli.screen import Screen
    from isolarium.course.class_run import play_class

    with run_display() as listener, resumable(begun.folder, listener):
        found = play_class(begun, listener, workers, cluster, lambda text: typer.echo(f"class: {text}", err=True))
    # Imported here: they load the charts, which would delay the start of the games.
    from isolarium.course.class_report import class_blocks, class_warnings, write_class_report
    from isolarium.course.leaderboard import STUDENTS, Leaderboard, class_answer, class_json
    from isolarium.reporting.model import Fact, Facts, Paragraph

    board, screen = Leaderboard(found), Screen()
    with notice("writing the pages..."):
        report = write_class_report(found)
    where = {"run": str(begun.folder), "report": str(report)}
    if as_json:
        typer.echo(dumps({**class_json(board), **where}, ensure_ascii=False))
    else:
        screen.say(f"class {begun.roster.name}", "head")
        screen.show([Paragraph(line) for line in (class_answer(board), *class_warnings(board))])
        screen.say()
        screen.show([*class_blocks(board)])
        screen.say()
        facts = {**where, "students": str(begun.folder / STUDENTS)}
        screen.show([Facts([Fact(label, (text,)) for label, text in facts.items()])])
    if not found.is_finished:
        raise typer.Exit(INTERRUPTED)


def _run_check(path: str, text: str, seed: int) -> None:
    from isolarium.cli.progress_display import display
    from isolarium.cli.screen import Screen
    from isolarium.course.course_agent import CourseFile
    from isolarium.course.course_study import find_agent_file
    from isolarium.course.grader import check_applies, check_file, parse_filter
    from isolarium.course.grading_report import check_command, checks_table, failed_check

    wanted = parse_filter(text)
    file = find_agent_file(path)
    with display(f"course {file}", "reading the agents...") as shown:
        loaded = CourseFile(file)
        check_applies(loaded, wanted)
        found = check_file(loaded, seed, lambda line: shown.update(lambda: line), wanted)
    screen = Screen()
    screen.show([checks_table(found)])
    for one in found:
        if one.wrong:
            screen.say()
            screen.show(failed_check(one, check_command(one, file, seed)))


def _write_shim(folder: Path, later: bool, force: bool) -> None:
    from isolarium.course.loader import ModuleSet, write_modules

    which = ModuleSet.LATER if later else ModuleSet.FIRST
    for path in write_modules(which, folder, force=force):
        typer.echo(path)
    typer.echo(
        f"\nTo run a project's own scripts with these modules, in its folder:\n"
        f"  PYTHONSAFEPATH=1 PYTHONPATH={folder.resolve()}:. python tournament.py"
    )
