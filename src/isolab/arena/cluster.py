"""A Dask cluster as the workers of a run. Nothing else here imports Dask but what its workers do.

Each batch is given to a worker that we name, so that we know what is where: Dask carries it there and back. A worker is
asked who it is before it is given anything; on each machine the first compiles while the others wait. One that fails,
or is at something for too long though it gives signs of life, is given nothing more.
"""

import logging
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from math import inf
from queue import Empty, SimpleQueue
from typing import Any, Final
from uuid import uuid4

from distributed import Client, Future, LocalCluster, as_completed
from distributed.client import FutureCancelledError

from isolab.arena.cargo import Cargo
from isolab.arena.cluster_worker import (
    INTRODUCTION,
    Answer,
    Games,
    Introduction,
    Job,
    Starts,
    answer,
    do,
    introduce,
    prepare,
)
from isolab.arena.connecting import CONNECT_S, check_address, nobody_there
from isolab.arena.plan import Plan
from isolab.arena.trust import CHECKED
from isolab.arena.workers import Came, ClusterGone, Event, Failed, Played, Refused, Went
from isolab.game.board import Board
from isolab.limits import Limit
from isolab.processes import birth
from isolab.text import duration

ANSWER_S: Final = 20.0
"""How long the scheduler may take to say who is there."""
ROUND_S: Final = 0.5
"""How often it is asked."""
SILENT_S: Final = 60.0
"""How long a worker may show no sign of life before its batches are given to others."""
SIGNS_S: Final = 5.0
"""How often signs of life are looked at."""
READY_S: Final = 900.0
"""How long a worker may take to get ready: it compiles."""
STEP_S: Final = 5.0
"""How much time counts at most between two looks: whoever stopped us did not make workers late."""


Patience = Callable[[str, int], float]
"""Of a worker, and the number of what it was given: for how many seconds it may be at that, as is known by now."""


class Cluster:
    """A connection to a cluster, for as many runs as are played over it.

    Args:
        text: what `check_address` takes.
        silent_s: how long a worker may show no sign of life.
        checked: which share of the batches is played again by another worker.

    Raises:
        InputError: there is none.
    """

    def __init__(self, text: str, silent_s: float = SILENT_S, checked: float = CHECKED) -> None:
        self.name, self.checked, self._silent_s = text, checked, silent_s
        for logger in filter(_is_of_dask, logging.root.manager.loggerDict):
            logging.getLogger(logger).setLevel(logging.CRITICAL)  # what is wrong, we say
        warnings.filterwarnings("ignore", "Sending large graph")  # agents' files, once a worker
        with ExitStack() as held:
            self._client = held.enter_context(_connected(text, held))
            self._held = held.pop_all()

    def workers(self, plan: Plan, cargo: Cargo, patience: Patience) -> "ClusterWorkers":
        """Its workers, to play batches of one run."""
        job = Games(plan.players, plan.board, cargo, plan.is_timed)
        return ClusterWorkers(self._client, self.name, job, patience, self._silent_s)

    def solvers(self, board: Board, limit: Limit) -> "ClusterWorkers":
        """Its workers, to solve positions of a board; nobody knows how long that takes."""
        job = Starts(board, limit)
        return ClusterWorkers(self._client, self.name, job, lambda *_: inf, self._silent_s)

    def count(self) -> int:
        """How many workers are there."""
        return len(_workers_there(self._client, self.name))

    def close(self) -> None:
        """Let go of it; a cluster of our own ends."""
        self._held.close()


def _is_of_dask(logger: str) -> bool:
    return logger.partition(".")[0] == "distributed"


def _connected(text: str, held: ExitStack) -> Client:
    address = check_address(text)
    if isinstance(address, int):
        return Client(held.enter_context(_own_cluster(address)), timeout=CONNECT_S)
    client = _client_at(address)
    if client is None:
        raise nobody_there(text)
    return client


def _client_at(address: str) -> Client | None:
    """A client of the scheduler at an address; None where none answers as one does, and in time.

    Dask waits for the end of a greeting as long as it takes: so that is waited for in a thread.
    """
    found, is_late = SimpleQueue[Client | None](), threading.Event()

    def connect() -> None:
        try:
            client = Client(address, timeout=CONNECT_S)
        except Exception:  # whoever answers there may answer anything
            client = None
        found.put(client)
        if client is not None and is_late.is_set():
            client.close()

    threading.Thread(target=connect, daemon=True).start()
    with suppress(Empty):
        return found.get(timeout=ANSWER_S)
    is_late.set()
    return None


def _own_cluster(workers: int) -> LocalCluster:
    with birth():
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        )


def _workers_there(client: Client, name: str) -> dict[str, int]:
    """The addresses of the workers that the scheduler knows, with their threads.

    Raises:
        ClusterGone: it does not answer.
    """
    if client.status == "running":
        with suppress(OSError, TimeoutError, ValueError):
            there: dict[str, int] = client.sync(client.scheduler.ncores, callback_timeout=ANSWER_S)
            if client.status == "running":
                return there
    raise ClusterGone(f"the scheduler of {name} is gone")


@dataclass(slots=True)
class _Member:
    """A worker of the cluster.

    Attributes:
        address: where Dask finds it, and our name for it.
        who: what it said of itself.
        core: the one that is its own.
        is_ready: whether it can be given batches.
        sign: its last sign of life by the scheduler's clock, and when we first saw that by ours.
        running: what it was given and has not answered, the first of which it is at.
        numbers: of that, what it was given to do once it was ready.
        since: when it began with the first, by the clock of those whose member it is.
    """

    address: str
    who: Introduction | None = None
    core: int | None = None
    is_ready: bool = False
    sign: tuple[float, float] = (0.0, 0.0)
    running: dict[str, Future] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    since: float = 0.0


class ClusterWorkers:
    """The workers of a cluster for one run; see `Workers`.

    Attributes:
        speeds: for a timed run, nodes a second of each by its name.
    """

    def __init__(
        self, client: Client, name: str, job: Job, patience: Patience, silent_s: float
    ) -> None:
        self.speeds: dict[str, float] = {}
        self._client, self._name, self._silent_s = client, name, silent_s
        self._run, self._job, self._patience = uuid4().hex, job, patience
        self._us = introduce()
        self._members: dict[str, _Member] = {}
        self._dismissed = set[str]()
        self._silent: dict[str, float] = {}  # with the last sign of life
        self._compiling: dict[str, str] = {}  # on which machine, by whom
        self._compiled = set[str]()
        self._answers = SimpleQueue[tuple[_Member, str, Answer | None]]()
        self._heeding: dict[str, Callable[[_Member, Any], None]] = {}
        self._told = list[Event]()
        self._next_round = self._next_signs = 0.0
        self._clock, self._looked = 0.0, time.monotonic()

    # What is asked of workers

    @property
    def coming(self) -> int:
        """See `Workers`."""
        return sum(not member.is_ready for member in self._members.values())

    def submit(self, worker: str, number: int, batch: Any) -> None:
        """See `Workers`; a position where they solve."""
        member = self._members.get(worker)
        if member is not None:
            key = self._ask(member, self._heard_batch(number), answer, do, self._run, batch)
            member.numbers[key] = number

    def hear(self, seconds: float) -> list[Event]:
        """See `Workers`.

        Raises:
            ClusterGone: the scheduler does not answer.
        """
        self._look_round()
        until = time.monotonic() + seconds
        while True:
            left = 0.0 if self._told else max(0.0, until - time.monotonic())
            try:
                self._heed(*self._answers.get(timeout=min(left, ROUND_S) or 1e-4))
            except Empty:
                self._look_round()
                if self._told or time.monotonic() >= until:
                    break
        told, self._told = self._told, []
        return told

    def stop(self) -> None:
        """See `Workers`."""
        running = [one for member in self._members.values() for one in member.running.values()]
        self._members.clear()
        if self._client.status == "running":
            with suppress(OSError, TimeoutError):
                self._client.cancel(running)

    # Questions and answers

    def _ask(
        self,
        member: _Member,
        heed: Callable[[_Member, Any], None],
        function: Callable[..., Any],
        *arguments: Any,
    ) -> str:
        """Have a member do something; what it answers is heeded when it is heard. The key by which Dask knows it."""
        key = f"isolab-{uuid4().hex}"
        future = self._client.submit(
            function,
            *arguments,
            key=key,
            pure=False,
            workers=[member.address],
            allow_other_workers=False,
        )
        if not member.running:
            member.since = self._clock
        member.running[key], self._heeding[key] = future, heed
        self._client.loop.add_callback(self._wait_for, member, key, future)
        return key

    async def _wait_for(self, member: _Member, key: str, future: Future) -> None:
        """Wait for an answer, on Dask's own thread.

        Each is asked for by itself: Dask asks for those that come together at once, five at a time, and whoever has
        fallen silent with one of them would hold up the others'.
        """
        try:
            await anext(aiter(as_completed([future], loop=self._client.loop)))
            if future.status != "finished":
                await self._client.gather([future], asynchronous=True)  # raises why
            found = await self._client.scheduler.gather(keys=[key])
            if found["status"] != "OK":
                raise ConnectionError("it is gone with its answer")
            heard = found["data"][key]
            self._answers.put((member, key, heard if isinstance(heard, Answer) else Answer(heard)))
        except (FutureCancelledError, OSError):  # nobody is at the other end
            self._answers.put((member, key, None))
        except BaseException as error:  # such as that it has no Isolab
            self._answers.put((member, key, Answer(failure=f"{type(error).__name__}: {error}")))

    def _heed(self, member: _Member, key: str, heard: Answer | None) -> None:
        heed = self._heeding.pop(key, None)
        if heed is None or member.running.pop(key, None) is None:
            return  # from a member that went
        number, member.since = member.numbers.pop(key, None), self._clock
        if heard is None:
            self._check_scheduler()
            self._lose(member)
        elif heard.failure is None:
            heed(member, heard.value)
        else:
            self._give_up(member, number, heard.failure)

    def _heard_batch(self, number: int) -> Callable[[_Member, Any], None]:
        return lambda member, played: self._told.append(Played(member.address, number, played))

    # Who comes and goes

    def _check_scheduler(self) -> None:
        if self._client.status != "running":
            raise ClusterGone(f"the scheduler of {self._name} is gone")

    def _look_round(self) -> None:
        """See who came and who went, if that was not done just now."""
        self._check_scheduler()
        now = time.monotonic()
        self._clock += min(now - self._looked, STEP_S)
        self._looked = now
        if now < self._next_round:
            return
        self._next_round = now + ROUND_S
        there = _workers_there(self._client, self._name)
        for member in [one for one in self._members.values() if one.address not in there]:
            self._lose(member)
        self._dismissed &= there.keys()
        if now >= self._next_signs:
            self._next_signs = now + min(SIGNS_S, self._silent_s / 4)
            self._look_for_signs(now)
        self._look_for_late()
        known = self._members.keys() | self._dismissed | self._silent.keys()
        for address in there.keys() - known:
            member = self._members[address] = _Member(address, sign=(0.0, now))
            if there[address] != 1:
                why = f"it has {there[address]} threads; expected dask worker --nthreads 1"
                self._refuse(member, why)
            else:
                self._ask(member, self._meet, eval, INTRODUCTION)

    def _look_for_signs(self, now: float) -> None:
        """Give up on those who have vanished without a word: the scheduler goes on counting them for long."""
        known = self._client.scheduler_info(n_workers=-1)["workers"]
        for member in list(self._members.values()):
            sign = known.get(member.address, {}).get("last_seen", 0.0)
            if sign != member.sign[0]:
                member.sign = (sign, now)
            elif now - member.sign[1] > self._silent_s:
                self._lose(member)
                self._silent[member.address] = sign
        for address, sign in list(self._silent.items()):
            if known.get(address, {}).get("last_seen") != sign:  # it is back, or really gone
                del self._silent[address]

    def _look_for_late(self) -> None:
        """Give up on those who are at something for too long."""
        for member in [one for one in self._members.values() if one.running]:
            number = member.numbers.get(next(iter(member.running)))
            allowed = READY_S if number is None else self._patience(member.address, number)
            if self._clock - member.since > allowed:
                self._give_up(member, number, f"no answer after {duration(allowed)}")

    def _meet(self, member: _Member, said: tuple[Any, ...]) -> None:
        """Let a member in, or not, and have it get ready."""
        who = member.who = Introduction(*said)
        difference = self._us.difference(who)
        if difference is not None:
            self._refuse(member, difference)
            return
        if self._job.is_timed:
            others = [one for one in self._members.values() if one is not member]
            taken = {one.core for one in others if _machine(one) == who.machine}
            free = [core for core in who.cores if core not in taken]
            if not free:
                self._refuse(member, "the clock decides; expected no more workers than cores")
                return
            member.core = free[0]
        self._have_ready(member, who.machine)

    def _have_ready(self, member: _Member, machine: str) -> None:
        """Have a member get ready, unless another of its machine has to compile first."""
        if machine in self._compiled:
            self._prepare(member, self._welcome)
        elif machine not in self._compiling:
            self._compiling[machine] = member.address
            self._prepare(member, self._welcome_machine, compiles=True)

    def _prepare(
        self, member: _Member, heed: Callable[[_Member, Any], None], *, compiles: bool = False
    ) -> None:
        self._ask(member, heed, answer, prepare, self._run, self._job, member.core, compiles)

    def _welcome_machine(self, member: _Member, speed: float | None) -> None:
        """Have the others of a machine get ready once its first has compiled."""
        machine = _machine(member)
        assert machine is not None
        del self._compiling[machine]
        self._compiled.add(machine)
        self._welcome(member, speed)
        for other in self._members.values():
            if _machine(other) == machine and not other.is_ready and not other.running:
                self._prepare(other, self._welcome)

    def _welcome(self, member: _Member, speed: float | None) -> None:
        member.is_ready = True
        if speed is not None:
            self.speeds[member.address] = speed
        self._told.append(Came(member.address))

    def _refuse(self, member: _Member, why: str) -> None:
        self._told.append(Refused(member.address, _named(member, why)))
        self._dismissed.add(member.address)
        self._forget(member)

    def _give_up(self, member: _Member, number: int | None, why: str) -> None:
        """Have nothing more to do with a member that failed at what it was given, or in getting ready."""
        if number is None:
            self._refuse(member, f"it cannot get ready: {why}")
            return
        self._told.append(Failed(member.address, number, _named(member, f"it failed: {why}")))
        self._dismissed.add(member.address)
        self._forget(member)

    def _lose(self, member: _Member) -> None:
        """Take leave of a member that is there no more."""
        self._forget(member)
        if member.is_ready:
            self._told.append(Went(member.address))

    def _forget(self, member: _Member) -> None:
        self._members.pop(member.address, None)
        running, member.running = list(member.running.values()), {}
        if running:
            self._client.cancel(running)
        machine = _machine(member)
        if machine is not None and self._compiling.get(machine) == member.address:
            del self._compiling[machine]
            waiting: Sequence[_Member] = [
                one for one in self._members.values() if _machine(one) == machine
            ]
            for other in waiting[:1]:
                self._have_ready(other, machine)


def _named(member: _Member, why: str) -> str:
    name = "" if member.who is None else f"{member.who.name} "
    return f"worker {name}at {member.address}: {why}"


def _machine(member: _Member) -> str | None:
    return None if member.who is None else member.who.machine
