"""Whose turn it is: jobs that wait for a lane, shared out fairly among those who asked.

The next turn is that of the address with least at work, then of the one that had least of the workers' time of late.
Within an address it is that of the connection which has had, and asks for, least. So fifty connections from one place
get no more than one from another, and who asks for little does not wait behind who asks for much. Some workers are kept
for light jobs, which take no time; and while others have been there, no address has all of the workers.
"""

from collections import deque
from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Final, Generic, Protocol, TypeVar

from isolarium.web.rate_limits import OURSELVES, Client

HALF_LIFE_S: Final = 30.0
"""Time that was had counts half after so long."""
RECENT_S: Final = 300.0
"""Who has been there within this is expected back."""
LIGHT_S: Final = 0.05
"""A job that is expected to take less is light: it holds nobody up."""
MOST_ACCOUNTS: Final = 2000


class Asked(Protocol):
    """Something that waits for its turn."""

    @property
    def client(self) -> Client:
        """Who asked for it."""

    @property
    def cost_s(self) -> float:
        """How long it says that it will take."""


J = TypeVar("J", bound=Asked)


class Turns(Generic[J]):
    """Jobs that wait, and how much everybody has had.

    Args:
        most: how many may wait.
        most_each: how many of one address.
        kept: workers that do light jobs only.
        clock: the time in seconds.
    """

    def __init__(
        self, most: int, most_each: int, kept: int = 0, clock: Callable[[], float] = monotonic
    ) -> None:
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
        """How long a job may take: what it says, or what those of its connection do."""
        return max(job.cost_s, self._connections[job.client].usual_s)

    def _begin(self, job: J, is_light: bool) -> None:
        self.remove(job)
        self._addresses[job.client.address].at_work += 1
        self._connections[job.client].at_work += 1
        if not is_light:
            self._heavy.append(job)

    def finish(self, job: J, took_s: float) -> None:
        """Write down what a job that was taken has cost."""
        now = self._clock()
        self._addresses[job.client.address].charge(took_s, now)
        self._connections[job.client].charge(took_s, now)
        if job in self._heavy:
            self._heavy.remove(job)

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
        self.usual_s = 0.0
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
        self.usual_s = (self.usual_s + took_s) / 2


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
