"""Who asks: the address that a request comes from, and the connection within it.

An address is that of the other end of the connection, or what a proxy says that the operator has named. It is what
places in queues and connections are shared out by; nobody is known by it.
"""

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from itertools import count
from typing import Final

from starlette.requests import HTTPConnection

HOME_BITS: Final = 64
"""Of an IPv6 address: the rest is for whoever has it to choose."""

_numbers = count(1 << 16)  # past all ports


@dataclass(frozen=True, slots=True)
class Client:
    """Who asks for something.

    Attributes:
        address: where it is.
        connection: a number of its own among those from there.
    """

    address: str
    connection: int = 0


OURSELVES: Final = Client("")
"""The server, which asks for things that all share."""


def client_of(connection: HTTPConnection) -> Client:
    """Who is at the other end; what came through a proxy is a connection of its own each time."""
    host, port = connection.scope.get("client") or ("", 0)
    return Client(home_of(host), port or next(_numbers))


@lru_cache(maxsize=4096)
def home_of(host: str) -> str:
    """What counts as one address: of IPv6, a network such as one household or one machine has."""
    try:
        found = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(found, IPv6Address):
        return host
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    network = int(found) >> (128 - HOME_BITS) << (128 - HOME_BITS)
    return f"{IPv6Address(network)}/{HOME_BITS}"
