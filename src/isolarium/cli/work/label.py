"""Makes labelled positions, and says what was made."""

import json
from pathlib import Path

import typer

from isolarium.arena.aborting import RunAborted
from isolarium.cli.console import ANY_WIDTH, Screen
from isolarium.cli.exits import FAILED, INTERRUPTED, interruptible
from isolarium.cli.progress_display import COMPILING, display
from isolarium.labels.pipeline import LabelPlan, Progress, make_labels
from isolarium.reporting.label_tables import label_blocks
from isolarium.text import duration, printable


def label_and_show(plan: LabelPlan, folder: Path, workers: int | None, as_json: bool) -> None:
    """Label what a folder lacks of a plan, and print what there is then."""
    with display("", "starting...") as shown, interruptible() as interrupted:

        def tell(progress: Progress) -> None:
            shown.tell(lambda: _line(progress))

        try:
            facts = make_labels(plan, folder, workers, tell, lambda: bool(interrupted))
        except RunAborted as error:
            shown.clear()
            typer.echo(f"isolarium: {printable(str(error))}; the same command goes on", err=True)
            raise typer.Exit(FAILED) from None
    if facts is None:
        typer.echo("isolarium: ended early; the same command goes on", err=True)
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
