"""The commands for recorded runs: `runs`, `resume`, `export` and `report`."""

import sys
from contextlib import closing
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isolarium.cli.options import (
    DEFAULT_RUNS,
    AccuracyOption,
    ClusterOption,
    DetailsOption,
    JsonOption,
    RunArgument,
    RunsOption,
    WorkersOption,
    connected,
)
from isolarium.errors import InputError
from isolarium.text import printable

if TYPE_CHECKING:
    from isolarium.arena.run_store import RunFacts


def runs(runs: RunsOption = DEFAULT_RUNS, as_json: JsonOption = False) -> None:
    """List the runs and their progress.

    Each run is listed with its name, its state, the games played so far, and
    the agents.

    Examples:
        isolarium runs
        isolarium runs --json
    """
    from isolarium.arena.run_store import list_runs

    found = list_runs(runs)
    if as_json:
        typer.echo(dumps([_facts(run) for run in found]))
    elif not found:
        typer.echo(f"No runs in {runs}. Start one with isolarium match.")
    else:
        _list(found)


def _facts(run: "RunFacts") -> dict[str, object]:
    facts = asdict(run)
    names = ("name", "folder", "title", "played", "started", "games", "games_planned", "state")
    return {name: facts[name] for name in names} | {"folder": str(run.folder)}


def _list(found: "list[RunFacts]") -> None:
    from isolarium.cli.screen import ANY_WIDTH, Screen
    from isolarium.reporting.model import Column, Table, rows_of

    columns = (
        Column("name", "run", "<", repeats=True),
        Column("state", "state", "<"),
        Column("games", "games"),
        Column("title", "what was played", "<", shrinks=True),
    )
    short = sys.stdout.isatty()
    rows = [(run.name, _state(run), _games(run), _title(run, short)) for run in found]
    Screen(plain_width=ANY_WIDTH).show([Table("runs", "", columns, rows_of(columns, rows))])


def _state(run: "RunFacts") -> str:
    if run.is_readable:
        return run.state
    return "damaged" if "damaged" in run.state else "unreadable"


def _title(run: "RunFacts", short: bool) -> str:
    """Return a run's title with its agents, or why it cannot be read."""
    from isolarium.arena.run_db import FILE_NAME

    if not run.is_readable:
        return run.state.removeprefix(f"{run.folder / FILE_NAME}: ")
    title = run.short_title if short else run.title
    return f"{title}: {run.played}" if run.played else title


def _games(run: "RunFacts") -> str:
    if not run.is_readable:
        return ""
    if run.state == "finished":
        return f"{run.games:,}"
    return f"{run.games:,} of {run.games_planned:,}"


def resume(
    run: RunArgument,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    details: DetailsOption = False,
    accuracy: Annotated[
        bool | None,
        typer.Option(
            "--accuracy/--no-accuracy",
            help="Compare a sample of a match's games with perfect play.",
            show_default="as in the original command, with --details and --json",
        ),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run the agent files of a run made elsewhere without asking first.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Resume an interrupted run, study or tuning run.

    No game is lost or played twice: the result is the same as without the interruption. For a
    finished run, print its results. If several runs have the name, the last unfinished one is
    resumed, and a line on stderr names its folder. Accuracy is reported for matches only. If a run made elsewhere
    uses agents from files, the command lists the files and asks before running them.

    Exit status:
        1: The run cannot continue, for example because an agent keeps failing.
        130: Stopped by Ctrl-C; the same command continues.

    Examples:
        isolarium resume last
        isolarium resume last --workers 1 --json
    """
    from isolarium.cli.run_output import check_trusted, resume_and_show, show_choice
    from isolarium.course import class_run
    from isolarium.studies import study_runner, tuning_runner

    class_folder = class_run.find_class(run, runs)
    study = study_runner.find_study_run(run, runs)
    tuning = None if study is not None else tuning_runner.find_tuning(run, runs)
    group = study or class_folder or tuning
    if group is not None:
        show_choice(run, runs, group)
    if study is not None:
        from isolarium.cli.commands.study import play_study_and_show

        check_trusted(run, study_runner.untrusted_files(study), trust)
        with connected(cluster, workers) as found, study_runner.in_its_directory(study) as folder:
            begun = study_runner.open_study(folder)
            play_study_and_show(begun, workers, as_json, cluster=found)
    elif class_folder is not None:
        from isolarium.cli.commands.course import play_class_and_show

        check_trusted(run, class_run.untrusted_files(class_folder), trust)
        with connected(cluster, workers) as found:
            play_class_and_show(class_run.open_class(class_folder), workers, as_json, cluster=found)
    elif tuning is not None:
        from isolarium.cli.commands.study import tune_and_show

        check_trusted(run, tuning_runner.untrusted_files(tuning), trust)
        tune_and_show(lambda: tuning_runner.open_tuning(tuning), workers, as_json, cluster)
    else:
        resume_and_show(run, runs, workers, cluster, as_json, accuracy=accuracy, details=details, trust=trust)


def export(
    run: RunArgument,
    as_csv: Annotated[bool, typer.Option("--csv", help="Write a CSV table with one game per row.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object with the plan and all games.")] = False,
    as_replay: Annotated[
        bool, typer.Option("--replay", help="Write one game per line for the course's replay page.")
    ] = False,
    as_text: Annotated[bool, typer.Option("--text", help="Write one game per line, such as 7x7: d4 b3.")] = False,
    as_parquet: Annotated[
        bool, typer.Option("--parquet", help="Write a Parquet table to --out; needs pyarrow or polars.")
    ] = False,
    no_times: Annotated[
        bool, typer.Option("--no-times", help="Leave out everything that differs between repetitions, such as times.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Output file.", show_default="stdout")
    ] = None,
    runs: RunsOption = DEFAULT_RUNS,
) -> None:
    """Export the games of a run.

    Works for unfinished runs, too. CSV, JSON and Parquet contain the score, depth, nodes and time
    of every move. With --no-times, two runs with the same plan and seed export identical bytes, regardless
    of the number of workers.

    Examples:
        isolarium export last --csv
        isolarium export last --json --no-times
        isolarium export last --parquet --out games.parquet
    """
    forms = {"csv": as_csv, "json": as_json, "replay": as_replay, "text": as_text, "parquet": as_parquet}
    chosen = [form for form, wanted in forms.items() if wanted]
    if len(chosen) != 1:
        given = " and ".join(f"--{form}" for form in chosen) or "no format given"
        raise InputError(f"{given}: choose one of --csv, --json, --replay, --text, --parquet")
    from isolarium.arena.export import WRITERS
    from isolarium.arena.run_store import find_run
    from isolarium.cli.run_output import open_record, show_choice

    if as_parquet and out is None:
        raise InputError("--parquet: name a file with --out")
    folder = find_run(run, runs)
    show_choice(run, runs, folder)
    with closing(open_record(folder)) as record:
        if out is None:
            WRITERS[chosen[0]](record, sys.stdout, not no_times)
            return
        try:
            if as_parquet:
                from isolarium.arena.export import write_parquet

                write_parquet(record, out, not no_times)
                return
            with out.open("w", encoding="utf-8", newline="") as file:
                WRITERS[chosen[0]](record, file, not no_times)
        except OSError as error:
            raise InputError(f"{out}: {error.strerror}; expected a file to write to") from None


def report(
    run: RunArgument,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Output folder.", show_default="the run's")
    ] = None,
    runs: RunsOption = DEFAULT_RUNS,
    workers: WorkersOption = None,
    accuracy: AccuracyOption = True,
    as_json: JsonOption = False,
) -> None:
    """Write the report of a run: a page with charts and tables.

    Works for unfinished runs, too. The report consists of report.html, which needs no other file
    and no network; report.md; every chart as SVG and PNG; and every table as CSV. Studies and
    tuning runs write their reports themselves; for these, the command only shows where the report
    is.

    Examples:
        isolarium report last
        isolarium report last --json
    """
    from isolarium.analysis.run_statistics import overview_of
    from isolarium.arena.results import MOST_SAMPLED
    from isolarium.arena.run_store import find_run
    from isolarium.cli.progress_display import notice
    from isolarium.cli.run_output import accuracy_of_run, open_record, show_choice
    from isolarium.reporting.report_folder import make_folder
    from isolarium.reporting.run_report import write_report
    from isolarium.studies import study_runner, tuning_runner

    group = study_runner.find_study_run(run, runs) or tuning_runner.find_tuning(run, runs)
    if group is not None:
        show_choice(run, runs, group)
        _show_group_report(group, out, as_json)
        return
    folder = find_run(run, runs)
    show_choice(run, runs, folder)
    make_folder(out or folder)
    with closing(open_record(folder)) as record:
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


def _show_group_report(folder: Path, out: Path | None, as_json: bool) -> None:
    """Print the location of the report of a study or a tuning run."""
    from isolarium.arena.run_store import REPORT_PAGE

    page = folder / REPORT_PAGE
    if out is not None:
        raise InputError(f"--out {out}: works only for a single run; the report of all parts is {page}")
    if not page.is_file():
        problem = "it has no report yet"
        raise InputError(f"{folder}: {problem}", advice=f"; isolarium resume {folder} writes it")
    typer.echo(dumps({"report": str(page)}) if as_json else page)
