"""The options that every command that plays many games takes."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from isolab.stats import SprtPlan

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
AccuracyOption = Annotated[
    bool,
    typer.Option(
        "--accuracy/--no-accuracy", help="Solve a sample of the games, at most 200, at the end."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def pairs_option(default: str) -> typer.models.OptionInfo:
    """`--pairs`, whose default a command says in words."""
    told = f"{default}, or each opening of a list once"
    option: typer.models.OptionInfo = typer.Option(
        "--pairs", metavar="N", min=1, help=f"Pairs of games. [default: {told}]"
    )
    return option


def test_plan(text: str | None, alpha: float, beta: float) -> "SprtPlan | None":
    """The bounds of a sequential test, from `ELO0,ELO1`.

    Raises:
        InputError: they are not two numbers, the smaller one first, or an error rate is none.
    """
    from isolab.errors import InputError, quoted
    from isolab.stats import SprtPlan

    if text is None:
        return None
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--test {quoted(text)}: expected two numbers, such as 0,20") from None
    try:
        return SprtPlan(elo0, elo1, alpha, beta)
    except ValueError as error:
        raise InputError(f"--test {quoted(text)}: {error}") from None
