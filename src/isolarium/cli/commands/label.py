"""`isolarium label`: positions with the exact value of every move, as training data."""

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isolarium.cli import completion
from isolarium.cli.app import FAILED, INTERRUPTED, interruptible
from isolarium.cli.options import JsonOption, SeedOption, WorkersOption
from isolarium.cli.progress_display import COMPILING, display
from isolarium.errors import InputError, RunAborted
from isolarium.game.board import parse_board
from isolarium.text import duration, printable

if TYPE_CHECKING:
    from isolarium.analysis.label_pipeline import Progress


def label(
    boards: Annotated[str, typer.Option(metavar="ROWSxCOLS,...", help="Boards; each gets its own file.")],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Output folder; use the same folder to continue an interrupted command.")
    ],
    games: Annotated[int, typer.Option(metavar="N", min=1, max=10_000_000, help="Number of games per board.")] = 1000,
    seed: SeedOption = 1,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="Agent that plays the games.",
            show_default="a mixture, from random to strong",
            autocompletion=completion.agents,
        ),
    ] = None,
    most_nodes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Largest number of solver nodes that a position may be expected to cost.",
            show_default="50000",
        ),
    ] = None,
    most_blanks: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=169, help="Largest number of blank squares of a position, instead of --most-nodes."
        ),
    ] = None,
    decisive_only: Annotated[
        bool, typer.Option("--decisive-only", help="Keep only positions with both winning and losing moves.")
    ] = False,
    outcomes: Annotated[
        bool, typer.Option("--outcomes", help="Keep earlier positions as well, with the result of strong play.")
    ] = False,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Annotate many positions with exact values, for training.

    Play games and solve their positions once the solver can finish: find which moves keep the win
    and, with few blank squares, how soon the game ends. Symmetric positions are kept only once. The
    games, and with them the positions, are split into training, validation and test sets. An
    interrupted command continues when you run it again; a larger --games adds to the result.

    Exit status:
        1: The work cannot continue, for example because workers keep failing.
        130: Stopped by Ctrl-C; the same command continues.

    Examples:
        isolarium label --boards 5x5,6x6 --games 20 --out labels
        isolarium label --boards 6x6 --games 20 --decisive-only --out decisive --json
    """
    if most_nodes is not None and most_blanks is not None:
        raise InputError("--most-nodes and --most-blanks: use only one of them")
    parsed = [parse_board(text) for text in boards.split(",")]
    from isolarium.analysis.label_pipeline import make_labels, make_plan
    from isolarium.analysis.labeller import MOST_NODES, Reach
    from isolarium.cli.screen import ANY_WIDTH, Screen
    from isolarium.reporting.exact_tables import label_blocks

    reach = Reach(most_nodes or MOST_NODES, most_blanks, decisive_only, outcomes)
    plan = make_plan(parsed, games, seed, agent or [], reach)
    with display("", "starting...") as shown, interruptible() as interrupted:

        def tell(progress: "Progress") -> None:
            shown.update(lambda: _line(progress))

        try:
            facts = make_labels(plan, out, workers, tell, lambda: bool(interrupted))
        except RunAborted as error:
            shown.clear()
            typer.echo(f"isolarium: {printable(str(error))}; the same command continues", err=True)
            raise typer.Exit(FAILED) from None
    if facts is None:
        typer.echo("isolarium: stopped; the same command continues", err=True)
        raise typer.Exit(INTERRUPTED)
    if as_json:
        typer.echo(dumps(facts))
    else:
        Screen(ANY_WIDTH).show(label_blocks(facts, out))


def _line(progress: "Progress") -> str:
    """Return a line such as `9x11: 120 of 2,000 games · 3,012 positions · ...`."""
    if progress.stage == "compiling":
        return f"{progress.board}: {COMPILING}"
    parts = [
        f"{progress.board}: {progress.games:,} of {progress.wanted:,} games",
        f"{progress.positions:,} positions",
        f"{progress.rate:,.0f} a second",
    ]
    left = progress.seconds_left
    return " · ".join(parts if left is None else [*parts, f"{duration(left)} left"])
