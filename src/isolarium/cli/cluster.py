"""`--cluster`: where a command's games are played if not in processes of this machine."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

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
    """See `arena.connecting`: the same, with a word about it if it takes long."""
    if text is None:
        yield None
        return
    from isolarium.arena.cluster import connection
    from isolarium.cli.progress_display import notice

    with ExitStack() as held:
        with notice("connecting to the cluster..."):
            cluster = held.enter_context(connection.connected(text, workers))
        yield cluster
