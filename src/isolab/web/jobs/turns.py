"""Whose turn it is: jobs that wait for a lane, shared out fairly among those who asked.

The next turn is that of the address with least at work, then of the one that had least of the workers' time of late;
within an address the same goes for its connections, and a connection's own jobs are done in order. So fifty
connections from one place get no more than one from another, and who asks for little does not wait behind who asks for
much. While others have been there, no address has all the workers at once.
"""

from collections import deque
from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Final, Generic, Protocol, TypeVar

from isolab.web.clients import OURSELVES, Client

HALF_LIFE_S: Final = 30.0
"""Time that was had counts half after so long."""
RECENT_S: Final = 300.0
"""Who has been there within this is expected back."""
MOST_ACCOUNTS: Final = 2000


class Asked(Protocol):
    """Something that waits for its turn."""

    @property
    def client(self) -> Client:
        """Who asked for it."""


J = TypeVar("J", bound=Asked)


class Turns(Generic[J]):
    """Jobs that wait, and how much everybody has had.

    Args:
        most: how many may wait.
        most_each: how many of one address.
        clock: the time in seconds.
    """

    def __init__(self, most: int, most_each: int, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._most_each, self._clock = most, most_each, clock
        self._waiting: dict[str, dict[Client, deque[J]]] = {}
        self._addresses = _Accounts[str]()
        self._connections = _Accounts[Client]()

    def __len__(self) -> int:
        return sum(map(self._count, self._waiting))

    def __contains__(self, job: J) -> bool:
        return job in self._queues(job.client.address).get(job.client, ())

    def add(self, job: J) -> J | None:
        """Let a job wait; the one that loses its place by that, or the job itself if there is no place for it.

        Where all places are taken, who has most jobs waiting gives one up for who has fewer.
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
        """Let a job wait no longer."""
        queues = self._waiting[job.client.address]
        queues[job.client].remove(job)
        if not queues[job.client]:
            del queues[job.client]
        if not queues:
            del self._waiting[job.client.address]

    def take(self, workers: int) -> J | None:
        """The job whose turn it is, of a lane with so many workers; None if none may begin now."""
        most, now = self._most_at_work(workers), self._clock()
        addresses = [one for one in self._waiting if self._addresses[one].at_work < most(one)]
        if not addresses:
            return None
        queues = self._waiting[min(addresses, key=lambda one: self._addresses[one].had(now))]
        job = queues[min(queues, key=lambda one: self._connections[one].had(now))][0]
        self.remove(job)
        self._addresses[job.client.address].at_work += 1
        self._connections[job.client].at_work += 1
        return job

    def finish(self, job: J, took_s: float) -> None:
        """Write down what a job that was taken has cost."""
        now = self._clock()
        self._addresses[job.client.address].charge(took_s, now)
        self._connections[job.client].charge(took_s, now)

    def _loser(self, client: Client) -> Client | None:
        """Who gives up a place when a client asks for one: nobody, somebody with more of them, or the client."""
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
        """How many workers each address may have: all but one, where anybody else may come."""
        since = self._clock() - RECENT_S
        guests = {who for who, account in self._addresses.items() if account.is_there(since)}
        guests = (guests | set(self._waiting)) - {OURSELVES.address}
        return lambda address: workers if guests <= {address} else max(1, workers - 1)

    def _queues(self, address: str) -> dict[Client, deque[J]]:
        return self._waiting.get(address, {})

    def _count(self, address: str) -> int:
        return sum(map(len, self._queues(address).values()))


def _longest(queues: dict[Client, deque[J]]) -> Client | None:
    return max(queues, key=lambda one: len(queues[one]), default=None)


class _Account:
    """What somebody has at work, and has had of late."""

    def __init__(self) -> None:
        self.at_work = 0
        self.when = -inf
        self._used_s = 0.0

    def is_there(self, since: float) -> bool:
        return self.at_work > 0 or self.when >= since

    def had(self, now: float) -> tuple[int, float]:
        """What turns go by: who has had less comes first."""
        used_s = self._used_s and self._used_s * 0.5 ** ((now - self.when) / HALF_LIFE_S)
        return self.at_work, used_s

    def charge(self, took_s: float, now: float) -> None:
        self.at_work -= 1
        self._used_s, self.when = self.had(now)[1] + took_s, now


W = TypeVar("W", str, Client)


class _Accounts(dict[W, _Account]):
    """Of all who have been there; of too many, only the later half."""

    def __missing__(self, who: W) -> _Account:
        if len(self) >= MOST_ACCOUNTS:
            for old in sorted(self, key=lambda one: self[one].when)[: MOST_ACCOUNTS // 2]:
                if not self[old].at_work:
                    del self[old]
        account = self[who] = _Account()
        return account
