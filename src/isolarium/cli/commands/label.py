"""`isolarium label`: positions whose every move is solved, for learners."""

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isolarium.cli import completion
from isolarium.cli.exits import FAILED, INTERRUPTED, interruptible
from isolarium.cli.options import JsonOption, SeedOption, WorkersOption
from isolarium.cli.progress_display import COMPILING, display
from isolarium.errors import InputError, RunAborted
from isolarium.game.notation import parse_board
from isolarium.text import duration, printable

if TYPE_CHECKING:
    from isolarium.labels.pipeline import Progress

EXAMPLES = """\b
Examples:
  isolarium label --boards 5x5,6x6 --games 20 --out labels
  isolarium label --boards 6x6 --games 20 --decisive-only --out decisive --json
"""


def label(
    boards: Annotated[
        str, typer.Option(metavar="ROWSxCOLS,...", help="The boards, each in a file of its own.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="A new folder, or one that was begun so.")
    ],
    games: Annotated[
        int, typer.Option(metavar="N", min=1, max=10_000_000, help="Games on each board.")
    ] = 1000,
    seed: SeedOption = 1,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="Who plays; may be given repeatedly. [default: a mixture, from random to strong]",
            autocompletion=completion.agents,
        ),
    ] = None,
    most_nodes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Label positions likely to cost the solver no more. [default: 50000]",
        ),
    ] = None,
    most_blanks: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=169, help="Those with no more blanks, instead."),
    ] = None,
    decisive_only: Annotated[
        bool,
        typer.Option("--decisive-only", help="Keep positions with winning and losing moves alone."),
    ] = False,
    outcomes: Annotated[
        bool,
        typer.Option("--outcomes", help="Keep what strong play made of positions before these."),
    ] = False,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Solve every move of many positions, for learners.

    Plays games, and from where the solver can finish finds out of every position which moves keep
    the win, and where few squares are blank how soon the game ends. Alike positions are kept once;
    games, and so positions, are split into train, validation and test. Whatever ends the work, the
    same command goes on, and with more --games it adds to them.
    """
    if most_nodes is not None and most_blanks is not None:
        raise InputError("--most-nodes and --most-blanks: expected one of them")
    named = [parse_board(text) for text in boards.split(",")]
    from isolarium.cli.console import ANY_WIDTH, Screen
    from isolarium.labels.labeller import MOST_NODES, Reach
    from isolarium.labels.pipeline import make_labels, make_plan
    from isolarium.reporting.exact_tables import label_blocks

    reach = Reach(most_nodes or MOST_NODES, most_blanks, decisive_only, outcomes)
    plan = make_plan(named, games, seed, agent or [], reach)
    with display("", "starting...") as shown, interruptible() as interrupted:

        def tell(progress: "Progress") -> None:
            shown.tell(lambda: _line(progress))

        try:
            facts = make_labels(plan, out, workers, tell, lambda: bool(interrupted))
        except RunAborted as error:
            shown.clear()
            typer.echo(f"isolarium: {printable(str(error))}; the same command goes on", err=True)
            raise typer.Exit(FAILED) from None
    if facts is None:
        typer.echo("isolarium: ended early; the same command goes on", err=True)
        raise typer.Exit(INTERRUPTED)
    if as_json:
        typer.echo(dumps(facts))
    else:
        Screen(ANY_WIDTH).show(label_blocks(facts, out))


def _line(progress: "Progress") -> str:
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
