"""Plays a tuning run, and shows what it found."""

from collections.abc import Callable
from contextlib import ExitStack
from json import dumps
from typing import TYPE_CHECKING

import typer

from isolarium.arena.aborting import RunAborted
from isolarium.arena.runner import Show
from isolarium.cli.cluster import connected
from isolarium.cli.console import Screen
from isolarium.cli.exits import FAILED, INTERRUPTED, interruptible
from isolarium.cli.progress_display import Display, display, notice
from isolarium.cli.work.runs import complain_of_abort, tell_of_run
from isolarium.cli.work.solve import compile_for
from isolarium.game.notation import parse_board
from isolarium.reporting.tuning_tables import tuning_blocks, tuning_json, tuning_title
from isolarium.tuning.tuning_config import Way
from isolarium.tuning.tuning_runner import BegunTuning, TuningFindings, Watcher, play_tuning

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster


def tune_and_show(
    begin: Callable[[], BegunTuning],
    workers: int | None,
    as_json: bool,
    cluster: str | None = None,
) -> None:
    """Play what is missing of a tuning run, print what it found and write its report.

    One that was interrupted ends the command as an interrupt does.
    """
    with connected(cluster, workers) as there:
        with notice("starting..."):
            begun = begin()
        found = _play(begun, workers, there)
    report = None
    if found.trials:
        with notice("writing the report..."):
            # Inside: it draws, and what draws takes longer to load than all the rest.
            from isolarium.reporting.tuning_report import write_tuning_report

            report = write_tuning_report(found, begun.folder)
    if as_json:
        where = {"run": str(begun.folder), "report": None if report is None else str(report)}
        typer.echo(dumps({**tuning_json(found), **where}))
    else:
        screen = Screen()
        screen.say(tuning_title(found), "head")
        screen.show(tuning_blocks(found, begun.folder, report))
    if not found.finished:
        raise typer.Exit(INTERRUPTED)


def _play(begun: BegunTuning, workers: int | None, cluster: "Cluster | None") -> TuningFindings:
    """Play what is missing; Ctrl-C ends it in good order, with what is finished kept."""
    name = begun.tuning.name
    with interruptible() as interrupted, ExitStack() as shown_last:

        def begin(label: str) -> Display:
            shown_last.close()
            return shown_last.enter_context(display(label, "starting..."))

        def watch(what: str) -> Show:
            shown = begin(f"{name}, {what}")
            return lambda progress: tell_of_run(progress, shown)

        solving = begin(name)
        if begun.tuning.on is Way.TRUTH:
            compile_for(parse_board(begun.tuning.board), False, solving)

        watcher = Watcher(watch, lambda words: solving.tell(lambda: words))
        try:
            return play_tuning(begun, workers, watcher, lambda: bool(interrupted), cluster)
        except RunAborted as error:
            shown_last.close()
            complain_of_abort(error, begun.folder)
            raise typer.Exit(FAILED) from None
