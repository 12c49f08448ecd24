"""`--cluster`: where a command's games are played if not in processes of this machine."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from isolab.errors import InputError

if TYPE_CHECKING:
    from isolab.arena.cluster import Cluster

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
    """The cluster that a person has named, for as long as the block takes; None if none was.

    Raises:
        InputError: there is none, Dask is not installed, or a number of processes was asked for too.
    """
    if text is None:
        yield None
        return
    if workers is not None:
        raise InputError("--cluster and --workers: expected one of them")
    try:
        import distributed  # noqa: F401 # whether it is there
    except ImportError:
        raise InputError("--cluster: Dask is missing; pip install 'isolab[cluster]'") from None
    from isolab.arena.cluster import Cluster
    from isolab.cli.progress import notice

    with notice("connecting to the cluster..."):
        cluster = Cluster(text)
    with closing(cluster):
        yield cluster
