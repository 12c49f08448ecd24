"""The options that several commands take."""

from pathlib import Path
from typing import Annotated, Final

import typer

from isolarium.cli import completion

DEFAULT_RUNS: Final = Path("runs")

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Its name, its folder, or last: the one begun last.",
        autocompletion=completion.runs,
    ),
]
RunsOption = Annotated[
    Path, typer.Option("--runs", metavar="DIR", help="The folder that runs are kept in.")
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        max=256,
        help="Processes. [default: $ISOLARIUM_WORKERS, or one a core]",
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        max=256,
        help="[default: $ISOLARIUM_WORKERS, or one a core]",
    ),
]
AccuracyOption = Annotated[
    bool,
    typer.Option(
        "--accuracy/--no-accuracy", help="Solve a sample of the games, at most 200, at the end."
    ),
]

BoardOption = Annotated[str, typer.Option("--board", metavar="ROWSxCOLS")]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="The same seed, the same games.")
]
OpeningsOption = Annotated[
    str,
    typer.Option(
        "--openings",
        metavar="random|all|FILE",
        help="Random, every start up to symmetry, or a file's.",
    ),
]
PliesOption = Annotated[
    int, typer.Option("--plies", metavar="N", min=0, help="Random moves after the placements.")
]
MoveMsOption = Annotated[
    float | None,
    typer.Option("--move-ms", metavar="MS", help="Who takes longer for a move loses."),
]
LimitOption = Annotated[
    str | None,
    typer.Option(
        "--limit", metavar="LIMIT", help="A limit for all, such as ms=150, in place of their own."
    ),
]
NameOption = Annotated[str, typer.Option("--name", metavar="NAME", help="What to call the run.")]


def pairs_option(default: str) -> typer.models.OptionInfo:
    """`--pairs`, whose default a command says in words."""
    told = f"{default}, or each opening of a list once"
    option: typer.models.OptionInfo = typer.Option(
        "--pairs", metavar="N", min=1, help=f"Pairs of games. [default: {told}]"
    )
    return option
