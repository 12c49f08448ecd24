"""The options that several commands take."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from isolarium.arena.conditions import Conditions
from isolarium.cli import completion

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

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
PliesOption = Annotated[
    int, typer.Option("--plies", metavar="N", min=0, help="Random moves after the placements.")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on a Dask cluster: tcp://HOST:PORT, local:N, or a scheduler's file.",
    ),
]


@contextmanager
def connected(text: str | None, workers: int | None) -> "Iterator[Cluster | None]":
    """Connect to the cluster of `--cluster`, as `arena.connecting` does; show a notice if it takes long."""
    if text is None:
        yield None
        return
    from isolarium.arena.cluster import connection
    from isolarium.cli.progress_display import notice

    with ExitStack() as held:
        with notice("connecting to the cluster..."):
            cluster = held.enter_context(connection.connected(text, workers))
        yield cluster


# The conditions of a run

CONDITIONS: Final[dict[str, Any]] = {
    "board": BoardOption,
    "seed": SeedOption,
    "openings": Annotated[
        str,
        typer.Option(
            "--openings",
            metavar="random|all|FILE",
            help="Random, every start up to symmetry, or a file's.",
        ),
    ],
    "plies": PliesOption,
    "move_ms": Annotated[
        float | None,
        typer.Option("--move-ms", metavar="MS", help="Who takes longer for a move loses."),
    ],
    "limit": Annotated[
        str | None,
        typer.Option(
            "--limit",
            metavar="LIMIT",
            help="A limit for all, such as ms=150, in place of their own.",
        ),
    ],
    "name": Annotated[str, typer.Option("--name", metavar="NAME", help="What to call the run.")],
}
"""The option of each field of `Conditions` but `pairs`, whose default differs between commands."""


def takes_conditions(usual_pairs: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for each of the conditions of a run, instead of its parameter `conditions`.

    Args:
        usual_pairs: the default of `--pairs`, in words.
    """
    about = f"Pairs of games. [default: {usual_pairs}, or each opening of a list once]"
    pairs = Annotated[int | None, typer.Option("--pairs", metavar="N", min=1, help=about)]
    kinds = {"pairs": pairs, **CONDITIONS}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            conditions = Conditions(**{one.name: given.pop(one.name) for one in fields(Conditions)})
            command(conditions=conditions, **given)

        options = [
            Parameter(
                one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=kinds[one.name]
            )
            for one in fields(Conditions)
        ]
        found = list[Parameter]()
        for one in signature(command).parameters.values():
            is_place = one.name == "conditions"
            found += options if is_place else [one.replace(kind=Parameter.KEYWORD_ONLY)]
        # What Typer reads of a command:
        run.__signature__ = Signature(found)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in found}
        return run

    return decorate
