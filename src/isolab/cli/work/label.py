"""Makes labelled positions, and says what was made."""

import json
from pathlib import Path

import typer

from isolab.arena.aborting import RunAborted
from isolab.cli.console import ANY_WIDTH, Screen
from isolab.cli.endings import FAILED, INTERRUPTED, interruptible
from isolab.cli.progress import COMPILING, display
from isolab.labels.making import LabelPlan, Progress, make_labels
from isolab.reporting.labels import label_blocks
from isolab.text import duration, printable


def label_and_show(plan: LabelPlan, folder: Path, workers: int | None, as_json: bool) -> None:
    """Label what a folder lacks of a plan, and print what there is then."""
    with display("", "starting...") as shown, interruptible() as interrupted:

        def tell(progress: Progress) -> None:
            shown.tell(lambda: _line(progress))

        try:
            facts = make_labels(plan, folder, workers, tell, lambda: bool(interrupted))
        except RunAborted as error:
            shown.clear()
            typer.echo(f"isolab: {printable(str(error))}; the same command goes on", err=True)
            raise typer.Exit(FAILED) from None
    if facts is None:
        typer.echo("isolab: ended early; the same command goes on", err=True)
        raise typer.Exit(INTERRUPTED)
    if as_json:
        typer.echo(json.dumps(facts))
    else:
        Screen(ANY_WIDTH).show(label_blocks(facts, folder))


def _line(progress: Progress) -> str:
    """`9x11: 120 of 2,000 games · 3,012 positions · 512 a second · 1 min 30 s left`."""
    if progress.stage == "compiling":
        return f"{progress.board}: {COMPILING}"
    parts = [
        f"{progress.board}: {progress.games:,} of {progress.wanted:,} games",
        f"{progress.positions:,} positions",
        f"{progress.rate:,.0f} a second",
    ]
    left = progress.seconds_left
    return " · ".join(parts if left is None else [*parts, f"{duration(left)} left"])
