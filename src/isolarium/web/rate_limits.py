"""Who asks: the address that a request comes from, and the connection within it; and how fast one may ask.

An address is that of the other end of the connection, or what a proxy says that the operator has named. It is what
places in queues and connections are shared out by; nobody is known by it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from itertools import count
from time import monotonic
from typing import Final

from starlette.requests import HTTPConnection

MOST_KNOWN: Final = 2000
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


class Pace:
    """How fast each may go: so much a second, after so much at once.

    Args:
        per_s: what is let through each second.
        at_once: what is let through before that counts.
        clock: the time in seconds.
    """

    def __init__(self, per_s: float, at_once: int, clock: Callable[[], float] = monotonic) -> None:
        self._step_s, self._slack_s, self._clock = 1 / per_s, at_once / per_s, clock
        self._next: dict[str, float] = {}

    def delay_s(self, who: str) -> float:
        """How long somebody is to wait before the next thing, which is counted with that."""
        now = self._clock()
        if len(self._next) > MOST_KNOWN:
            self._next = {one: due for one, due in self._next.items() if due > now}
        due = max(self._next.get(who, now), now) + self._step_s
        self._next[who] = due
        return max(0.0, due - now - self._slack_s)
