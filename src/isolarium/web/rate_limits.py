"""Clients and their request rates.

A client is identified by its address and connection. The address is that of the peer, or the
address that a trusted proxy reports. Addresses are used only to share connections and places in
queues fairly.
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
NETWORK_BITS: Final = 64
"""The network part of an IPv6 address; the client can choose the rest freely."""

_numbers = count(1 << 16)  # Above all port numbers


@dataclass(frozen=True, slots=True)
class Client:
    """The sender of a request.

    Attributes:
        address: Its address.
        connection: Identifies the connection among those of the address.
    """

    address: str
    connection: int = 0


SERVER: Final = Client("")
"""The server itself, for work that all clients share."""


def client_of(connection: HTTPConnection) -> Client:
    """Return the client of a connection.

    Every request through a proxy counts as a new connection.
    """
    host, port = connection.scope.get("client") or ("", 0)
    return Client(network_of(host), port or next(_numbers))


@lru_cache(maxsize=4096)
def network_of(host: str) -> str:
    """Return the address under which a host is counted.

    For IPv6, this is the network of one household or machine.
    """
    try:
        found = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(found, IPv6Address):
        return host
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    network = int(found) >> (128 - NETWORK_BITS) << (128 - NETWORK_BITS)
    return f"{IPv6Address(network)}/{NETWORK_BITS}"


class RateLimiter:
    """A rate limit for each key, with a burst allowance.

    Args:
        per_s: The allowed rate.
        at_once: The allowed burst.
        clock: A function that returns the time in seconds.
    """

    def __init__(self, per_s: float, at_once: int, clock: Callable[[], float] = monotonic) -> None:
        self._step_s, self._slack_s, self._clock = 1 / per_s, at_once / per_s, clock
        self._next: dict[str, float] = {}

    def delay_s(self, who: str) -> float:
        """Count an event for `who`, and return its delay in seconds."""
        now = self._clock()
        if len(self._next) > MOST_KNOWN:
            self._next = {one: due for one, due in self._next.items() if due > now}
        due = max(self._next.get(who, now), now) + self._step_s
        self._next[who] = due
        return max(0.0, due - now - self._slack_s)
