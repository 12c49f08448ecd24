"""`isolarium label`: positions whose every move is solved, for learners."""

from pathlib import Path
from typing import Annotated

import typer

from isolarium.cli import completion
from isolarium.cli.options import JsonOption, SeedOption, WorkersOption
from isolarium.errors import InputError
from isolarium.game.notation import parse_board

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
    from isolarium.cli.work.label import label_and_show
    from isolarium.labels.labeller import MOST_NODES, Reach
    from isolarium.labels.pipeline import make_plan

    reach = Reach(most_nodes or MOST_NODES, most_blanks, decisive_only, outcomes)
    label_and_show(make_plan(named, games, seed, agent or [], reach), out, workers, as_json)
