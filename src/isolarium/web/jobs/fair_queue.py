"""A fair queue of waiting jobs.

The next job comes from the address with the fewest running jobs; among equals, from the address
that has recently used the least worker time. Within an address, the next job comes from the
connection with the least recent and expected time. Fifty connections from one address therefore get
no more time than a single connection from another, and short jobs do not wait behind long ones.
Some workers are reserved for light jobs, and no address gets all workers while other clients are
active.
"""

from collections import deque
from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Final, Generic, Protocol, TypeVar

from isolarium.web.connection_limits import SERVER, Client

HALF_LIFE_S: Final = 30.0
"""The half-life of the worker time that a client has used."""
RECENT_S: Final = 300.0
"""A client active within this time is expected to return."""
LIGHT_S: Final = 0.05
"""The limit for a light job, which does not delay other jobs noticeably."""
MOST_ACCOUNTS: Final = 2000


class Waiting(Protocol):
    """A job that can wait in the queue."""

    @property
    def client(self) -> Client:
        """The client that requested the job."""

    @property
    def cost_s(self) -> float:
        """The job's estimated time."""


J = TypeVar("J", bound=Waiting)


class FairQueue(Generic[J]):
    """Waiting jobs, and the worker time of each client.

    Args:
        most: The maximum number of waiting jobs.
        most_each: The maximum number of waiting jobs per address.
        kept: The number of workers reserved for light jobs.
        clock: A function that returns the time in seconds.
    """

    def __init__(self, most: int, most_each: int, kept: int = 0, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._most_each, self._kept, self._clock = most, most_each, kept, clock
        self._heavy: list[J] = []
        self._waiting: dict[str, dict[Client, deque[J]]] = {}
        self._addresses = _Accounts[str]()
        self._connections = _Accounts[Client]()

    def __len__(self) -> int:
        return sum(map(self._count, self._waiting))

    def __contains__(self, job: J) -> bool:
        return job in self._queues(job.client.address).get(job.client, ())

    def add(self, job: J) -> J | None:
        """Add a job, and return the job that loses its place, if any.

        The new job itself is returned if there is no place for it.

        If the queue is full, the client with the most waiting jobs loses one to a client with
        fewer.
        """
        loser = self._loser(job.client)
        if loser == job.client:
            return job
        lost = None if loser is None else self._waiting[loser.address][loser][-1]
        if lost is not None:
            self.remove(lost)
        queues = self._waiting.setdefault(job.client.address, {})
        queues.setdefault(job.client, deque()).append(job)
        return lost

    def remove(self, job: J) -> None:
        """Remove a waiting job."""
        queues = self._waiting[job.client.address]
        queues[job.client].remove(job)
        if not queues[job.client]:
            del queues[job.client]
        if not queues:
            del self._waiting[job.client.address]

    def take(self, workers: int) -> J | None:
        """Return the next job to run on one of `workers`; None if none may start now."""
        now, most = self._clock(), self._most_at_work(workers)
        has_room = len(self._heavy) < workers - self._kept
        for address in sorted(self._waiting, key=lambda one: self._addresses[one].had(now)):
            job = self._next_of(self._waiting[address], now)
            is_light = self._expected_s(job) < LIGHT_S
            if is_light or (has_room and self._addresses[address].at_work < most(address)):
                self._begin(job, is_light)
                return job
        return None

    def _next_of(self, queues: dict[Client, deque[J]], now: float) -> J:
        def rank(client: Client) -> tuple[int, float]:
            at_work, used_s = self._connections[client].had(now)
            return at_work, used_s + self._expected_s(queues[client][0])

        return queues[min(queues, key=rank)][0]

    def _expected_s(self, job: J) -> float:
        """Return the expected time of a job.

        This is the job's own estimate, or its connection's usual time if that is longer.
        """
        return max(job.cost_s, self._connections[job.client].usual_s)

    def _begin(self, job: J, is_light: bool) -> None:
        self.remove(job)
        self._addresses[job.client.address].at_work += 1
        self._connections[job.client].at_work += 1
        if not is_light:
            self._heavy.append(job)

    def finish(self, job: J, took_s: float) -> None:
        """Record the time that a job took."""
        now = self._clock()
        self._addresses[job.client.address].charge(took_s, now)
        self._connections[job.client].charge(took_s, now)
        if job in self._heavy:
            self._heavy.remove(job)

    def _loser(self, client: Client) -> Client | None:
        """Return the client that gives up a place for a new job of `client`.

        Return None if places are left, and `client` itself if no other client has more jobs.
        """
        if self._count(client.address) >= self._most_each:
            queues = self._queues(client.address)
            largest = _longest(queues)
            own = len(queues.get(client, ()))
            return largest if largest is not None and len(queues[largest]) >= own + 2 else client
        if len(self) < self._most:
            return None
        address = max(self._waiting, key=self._count, default=client.address)
        is_fair = self._count(address) >= self._count(client.address) + 2
        return _longest(self._queues(address)) if is_fair else client

    def _most_at_work(self, workers: int) -> Callable[[str], int]:
        """Return the number of workers that each address may use.

        An address may use all workers, or all but one if another client is likely to appear.
        """
        since = self._clock() - RECENT_S
        guests = {who for who, account in self._addresses.items() if account.is_there(since)}
        guests = (guests | set(self._waiting)) - {SERVER.address}
        return lambda address: workers if guests <= {address} else max(1, workers - 1)

    def _queues(self, address: str) -> dict[Client, deque[J]]:
        return self._waiting.get(address, {})

    def _count(self, address: str) -> int:
        return sum(map(len, self._queues(address).values()))


def _longest(queues: dict[Client, deque[J]]) -> Client | None:
    return max(queues, key=lambda one: len(queues[one]), default=None)


class _Account:
    """The running jobs and recent worker time of a client."""

    def __init__(self) -> None:
        self.at_work = 0
        self.when = -inf
        self.usual_s = 0.0
        self._used_s = 0.0

    def is_there(self, since: float) -> bool:
        return self.at_work > 0 or self.when >= since

    def had(self, now: float) -> tuple[int, float]:
        """Return the sort key of the queue: smaller comes first."""
        used_s = self._used_s and self._used_s * 0.5 ** ((now - self.when) / HALF_LIFE_S)
        return self.at_work, used_s

    def charge(self, took_s: float, now: float) -> None:
        self.at_work -= 1
        self._used_s, self.when = self.had(now)[1] + took_s, now
        self.usual_s = (self.usual_s + took_s) / 2


W = TypeVar("W", str, Client)


class _Accounts(dict[W, _Account]):
    """The accounts of all recent clients.

    The older half is dropped when there are too many.
    """

    def __missing__(self, who: W) -> _Account:
        if len(self) >= MOST_ACCOUNTS:
            for old in sorted(self, key=lambda one: self[one].when)[: MOST_ACCOUNTS // 2]:
                if not self[old].at_work:
                    del self[old]
        account = self[who] = _Account()
        return account
