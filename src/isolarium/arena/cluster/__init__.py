"""Runs on the untrusted workers of a Dask cluster, and the connection to a cluster.

The user gives the address of the cluster, which is checked before Dask is loaded, because loading Dask takes a while.
"""

import json
import re
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from isolarium.errors import InputError, quoted
from isolarium.safe_files import MOST_TEXT, read_small

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

DASK: Final = "distributed"
CONNECT_S: Final = 3.0
LOCAL: Final = "local:"
MOST_LOCAL: Final = 256
COUNT: Final = re.compile(r"\d{1,9}")
TCP: Final = "tcp://"
"""The TCP scheme; Dask would wait forever for a server that sends nothing first."""
SCHEMES: Final = (TCP, "tls://", "ws://", "wss://")


@contextmanager
def connected(text: str | None, workers: int | None) -> "Iterator[Cluster | None]":
    """Connect to a cluster for the duration of the block.

    Args:
        text: The address, in a form that `check_address` accepts; None yields None.
        workers: The number of local processes that the user chose; excludes a cluster.

    Raises:
        InputError: If there is no cluster, if Dask is not installed, or if `workers` is also given.
    """
    if text is None:
        yield None
        return
    if workers is not None:
        raise InputError("cluster and workers: use one of them, not both")
    if find_spec(DASK) is None:
        raise InputError("cluster: Dask is not installed; run pip install '.[cluster]' in a clone")
    check_address(text)
    # Imported here because Dask is optional and takes a second to load.
    from isolarium.arena.cluster.remote_workers import Cluster

    with closing(Cluster(text)) as cluster:
        yield cluster


def check_address(text: str) -> str | int:
    """Check that a scheduler answers at an address.

    Args:
        text: `tcp://HOST:PORT`, `local:N` for a local cluster of N workers, or the path of a scheduler's file.

    Returns:
        The scheduler's address (numeric for TCP), or the number of workers of a local cluster.

    Raises:
        InputError: If the address is invalid, or no scheduler answers.
    """
    if text.startswith(LOCAL):
        count = text.removeprefix(LOCAL)
        if not COUNT.fullmatch(count) or not 1 <= int(count) <= MOST_LOCAL:
            raise InputError(f"cluster {quoted(text)}: use local:N, with N from 1 to {MOST_LOCAL}")
        return int(count)
    address = text if text.startswith(SCHEMES) else _address_in(text)
    try:
        found = urlsplit(address)
        host, port = found.hostname, found.port
    except ValueError:  # Such as a port that is not a number
        host, port = None, None
    is_tcp = address.startswith(TCP)
    numeric = None if host is None or port is None else _numeric_host(host, port, is_tcp)
    if numeric is None:
        raise no_scheduler(text)
    return f"{TCP}{numeric}:{port}" if is_tcp else address


def numeric_port(address: str) -> int | None:
    """Return the port of a numeric TCP address, which needs no name lookup.

    Return None for other addresses.
    """
    with suppress(ValueError):
        found = urlsplit(address)
        ip_address(found.hostname or "")
        return found.port if address.startswith(TCP) else None
    return None


def no_scheduler(text: str) -> InputError:
    """Return the error for an address at which no scheduler answers."""
    return InputError(f"cluster {quoted(text)}: no scheduler answers there; start one with dask scheduler")


def _address_in(file: str) -> str:
    """Return the address that a scheduler has written to a file."""
    expected = "use tcp://HOST:PORT, local:N, or a scheduler's file"
    try:
        found = json.loads(read_small(Path(file), MOST_TEXT, follow_links=True))["address"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        found = None
    if not isinstance(found, str) or not found.startswith(SCHEMES):
        raise InputError(f"cluster {quoted(file)}: {expected}")
    return found


def _numeric_host(host: str, port: int, sends_first: bool) -> str | None:
    """Return the numeric address of a host that accepts connections.

    Return None if the host does not accept connections or does not start with the expected data.
    """
    found = list[str]()

    def connect() -> None:
        with suppress(OSError, ValueError), socket.create_connection((host, port), CONNECT_S) as connection:
            if not sends_first or connection.recv(1):
                found.append(connection.getpeername()[0])

    thread = Thread(target=connect, daemon=True)  # Looking up a host's name may be slow.
    thread.start()
    thread.join(2 * CONNECT_S)
    if not found:
        return None
    return f"[{found[0]}]" if ":" in found[0] else found[0]
