"""Options that several commands share, and options for the conditions of a run."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from isolarium.arena import Conditions
from isolarium.cli import completion

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

DEFAULT_RUNS: Final = Path("runs")
USUAL_WORKERS: Final = "$ISOLARIUM_WORKERS, or one per core"

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Name or folder of the run, or 'last' for the most recent one.",
        autocompletion=completion.runs,
    ),
]
RunsOption = Annotated[Path, typer.Option("--runs", metavar="DIR", help="Folder that holds the runs.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", metavar="N", min=1, max=256, help="Number of worker processes.", show_default=USUAL_WORKERS
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, max=256, help="Number of threads.", show_default=USUAL_WORKERS),
]
AccuracyOption = Annotated[
    bool,
    typer.Option(
        "--accuracy/--no-accuracy", help="Compare a sample of at most 200 games with perfect play at the end."
    ),
]
MatchAccuracyOption = Annotated[
    bool | None,
    typer.Option(
        "--accuracy/--no-accuracy",
        help="Compare a sample of at most 200 games with perfect play.",
        show_default="with --details and --json",
    ),
]
DetailsOption = Annotated[bool, typer.Option("--details", help="Print everything about a match, not only the verdict.")]
BoardOption = Annotated[str, typer.Option("--board", metavar="ROWSxCOLS", help="Board size, 3x3 to 13x13.")]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="Random seed; the same seed reproduces the same results.")
]
PliesOption = Annotated[
    int, typer.Option("--plies", metavar="N", min=0, help="Number of random moves in an opening, after the placements.")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", help="Dask cluster to use: tcp://HOST:PORT, local:N, or a scheduler file."
    ),
]


@contextmanager
def connected(address: str | None, workers: int | None) -> "Iterator[Cluster | None]":
    """Connect to the cluster given by `--cluster`; show a notice if it takes a while."""
    if address is None:
        yield None
        return
    from isolarium.arena import cluster
    from isolarium.cli.progress_display import notice

    with ExitStack() as stack:
        with notice("connecting to the cluster..."):
            found = stack.enter_context(cluster.connected(address, workers))
        yield found


# The conditions of a run

CONDITIONS: Final[dict[str, Any]] = {
    "board": BoardOption,
    "seed": SeedOption,
    "openings": Annotated[
        str,
        typer.Option(
            "--openings",
            metavar="random|all|FILE",
            help="Openings to play: random ones, every start up to symmetry, or those of a file.",
        ),
    ],
    "plies": PliesOption,
    "move_ms": Annotated[
        float | None,
        typer.Option(
            "--move-ms", metavar="MS", help="Time limit per move in milliseconds; exceeding it forfeits the game."
        ),
    ],
    "limit": Annotated[
        str | None,
        typer.Option(
            "--limit", metavar="LIMIT", help="Search limit for all agents, such as ms=150; overrides their own."
        ),
    ],
    "name": Annotated[str, typer.Option("--name", metavar="NAME", help="Name of the run.")],
}
"""The option of each field of `Conditions` except `pairs`.

The default of `--pairs` differs between commands."""


def takes_conditions(usual_pairs: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace a command's parameter `conditions` with an option for each condition.

    Args:
        usual_pairs: the default of `--pairs`, in words.
    """
    pairs = Annotated[
        int | None,
        typer.Option(
            "--pairs",
            metavar="N",
            min=1,
            help="Number of pairs of games between two agents that meet.",
            show_default=f"{usual_pairs}, or each opening once with --openings all or FILE",
        ),
    ]
    kinds = {"pairs": pairs, **CONDITIONS}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            conditions = Conditions(**{one.name: given.pop(one.name) for one in fields(Conditions)})
            command(conditions=conditions, **given)

        options = [
            Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=kinds[one.name])
            for one in fields(Conditions)
        ]
        found = list[Parameter]()
        for one in signature(command).parameters.values():
            is_place = one.name == "conditions"
            found += options if is_place else [one.replace(kind=Parameter.KEYWORD_ONLY)]
        # Typer reads these two attributes.
        run.__signature__ = Signature(found)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in found}
        return run

    return decorate
