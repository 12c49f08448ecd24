"""Where games are played if not in processes of this machine: the one place from which Dask is loaded."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from isolab.errors import InputError

if TYPE_CHECKING:
    from isolab.arena.cluster import Cluster

DASK: Final = "distributed"


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
        raise InputError("cluster and workers: expected one of them")
    if find_spec(DASK) is None:
        raise InputError("cluster: Dask is missing; pip install 'isolab[cluster]' brings it")
    # Inside: not everybody has installed it, and it takes a second to load.
    from isolab.arena.cluster import Cluster

    with closing(Cluster(text)) as cluster:
        yield cluster
