"""Where games are played if not in processes of this machine: the one place from which Dask is loaded.

Whether anybody is there is found out before that, which takes long.
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
GREETS: Final = "tcp://"
"""Where a scheduler speaks first: Dask waits for that as long as it takes."""
SCHEMES: Final = (GREETS, "tls://", "ws://", "wss://")


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
        raise InputError("cluster: Dask is missing; pip install distributed brings it")
    check_address(text)
    # Inside: not everybody has installed it, and it takes a second to load.
    from isolarium.arena.cluster.remote_workers import Cluster

    with closing(Cluster(text)) as cluster:
        yield cluster


def check_address(text: str) -> str | int:
    """See that somebody answers where a cluster is said to be.

    Args:
        text: `tcp://HOST:PORT`, `local:N` for a cluster of our own, or the path of a scheduler's file.

    Returns:
        The scheduler's address, numeric where it is of TCP; or how many workers a cluster of our own is to have.

    Raises:
        InputError: it is none of these, or nobody answers.
    """
    if text.startswith(LOCAL):
        count = text.removeprefix(LOCAL)
        if not COUNT.fullmatch(count) or not 1 <= int(count) <= MOST_LOCAL:
            raise InputError(f"cluster {quoted(text)}: expected local:N, N from 1 to {MOST_LOCAL}")
        return int(count)
    address = text if text.startswith(SCHEMES) else _address_in(text)
    try:
        found = urlsplit(address)
        host, port = found.hostname, found.port
    except ValueError:  # such as a port that is no number
        host, port = None, None
    greets = address.startswith(GREETS)
    found_at = None if host is None or port is None else _answering(host, port, greets)
    if found_at is None:
        raise nobody_there(text)
    return f"{GREETS}{found_at}:{port}" if greets else address


def numeric_port(address: str) -> int | None:
    """Return the port of an address that can be connected to without looking anything up; None for others."""
    with suppress(ValueError):
        found = urlsplit(address)
        ip_address(found.hostname or "")
        return found.port if address.startswith(GREETS) else None
    return None


def nobody_there(text: str) -> InputError:
    """What is said where no scheduler answers."""
    return InputError(
        f"cluster {quoted(text)}: no scheduler answers there; dask scheduler starts one"
    )


def _address_in(file: str) -> str:
    """The address that a scheduler has written into a file."""
    expected = "expected tcp://HOST:PORT, local:N, or the file of a scheduler"
    try:
        found = json.loads(read_small(Path(file), MOST_TEXT, follow_links=True))["address"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        found = None
    if not isinstance(found, str) or not found.startswith(SCHEMES):
        raise InputError(f"cluster {quoted(file)}: {expected}")
    return found


def _answering(host: str, port: int, greets: bool) -> str | None:
    """Return the numeric address of a host that accepts connections, and speaks first where that is to be expected."""
    heard = list[str]()

    def connect() -> None:
        with (
            suppress(OSError, ValueError),
            socket.create_connection((host, port), CONNECT_S) as connection,
        ):
            if not greets or connection.recv(1):
                heard.append(connection.getpeername()[0])

    thread = Thread(target=connect, daemon=True)  # looking up the name of a host may be slow
    thread.start()
    thread.join(2 * CONNECT_S)
    if not heard:
        return None
    return f"[{heard[0]}]" if ":" in heard[0] else heard[0]
