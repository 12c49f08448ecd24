"""A Dask cluster as the workers of a run, without Dask: a relay (`relay.py`) holds the client.

Each batch is given to a worker that we name, so that we know what is where. A worker introduces itself before it is
given anything; on each machine the first compiles while the others wait. One that fails, returns what cannot be, or
takes too long though it gives signs of life, is given nothing more.
"""

import pickle
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final
from uuid import uuid4

from isolarium.arena.cluster import relay
from isolarium.arena.cluster.cluster_worker import Games, Job, Starts, answer, do, prepare
from isolarium.arena.cluster.connection import check_address, nobody_there
from isolarium.arena.cluster.file_bundle import Cargo
from isolarium.arena.cluster.relay import Ask, Members, Relay
from isolarium.arena.cluster.worker_answers import (
    INTRODUCTION,
    MOST_SMALL_BYTES,
    Introduction,
    WorkerFailed,
    introduce,
    read_introduction,
    read_speed,
)
from isolarium.arena.cluster.worker_audit import CHECKED
from isolarium.arena.local_workers import (
    Came,
    ClusterGone,
    Event,
    Failed,
    Invalid,
    Played,
    Refused,
    Went,
)
from isolarium.arena.plan import Plan
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board
from isolarium.limits import Limit
from isolarium.text import duration, printable, shortened

ANSWER_S: Final = 20.0
"""How long a scheduler may take to greet the relay."""
LOOK_S: Final = 60.0
"""How long the relay may take to name the workers; it waits for the scheduler itself, but not for that long."""
ROUND_S: Final = 0.5
"""How often it is asked to."""
SILENT_S: Final = 60.0
"""How long a worker may show no sign of life before its batches are given to others."""
SIGNS_S: Final = 5.0
"""How often signs of life are looked at."""
READY_S: Final = 900.0
"""How long a worker may take to get ready: it compiles."""
STEP_S: Final = 5.0
"""How much time counts at most between two looks: if this process was stopped, no worker is late for that."""
MOST_WHY: Final = 300
"""Characters of why an answer is invalid."""


Patience = Callable[[str, int], float]
"""Of a worker and the number of its task: for how many seconds it may be at that, as is known by now."""


class Cluster:
    """A connection to a cluster, for as many runs as are played over it, one after the other.

    Args:
        text: what `check_address` takes.
        silent_s: how long a worker may show no sign of life.
        checked: which share of the batches is played again by another worker.

    Attributes:
        relay: the process that holds Dask's client.

    Raises:
        InputError: If there is no cluster.
    """

    def __init__(self, text: str, silent_s: float = SILENT_S, checked: float = CHECKED) -> None:
        self.name, self.checked, self._silent_s = text, checked, silent_s
        address = check_address(text)
        self.relay = Relay(text, address)
        try:
            if not self._is_connected(None if isinstance(address, int) else ANSWER_S):
                raise nobody_there(text) if isinstance(address, str) else _not_started(text)
        except BaseException:
            self.relay.close()
            raise

    def _is_connected(self, seconds: float | None) -> bool:
        """Wait for the relay to connect, for so long once it has imported what it needs."""
        with suppress(ClusterGone):
            heard = [self.relay.hear(None), self.relay.hear(seconds)]
            return [one and one[0] for one in heard] == [relay.Started(), relay.Connected()]
        return False

    def workers(self, plan: Plan, cargo: Cargo, patience: Patience) -> "ClusterWorkers":
        """Return its workers, to play batches of one run."""
        job = Games(plan.players, plan.board, cargo, plan.is_timed)
        return ClusterWorkers(self.relay, self.name, job, patience, self._silent_s)

    def solvers(self, board: Board, limit: Limit) -> "ClusterWorkers":
        """Return its workers, to solve positions of a board; nobody knows how long that takes."""
        job = Starts(board, limit)
        return ClusterWorkers(self.relay, self.name, job, lambda *_: inf, self._silent_s)

    def count(self) -> int:
        """Return how many workers there are.

        Raises:
            ClusterGone: If the scheduler or the relay does not answer.
        """
        self.relay.look()
        while True:
            match self.relay.hear(LOOK_S):
                case None:
                    raise _no_answer(self.name)
                case Members(members=members), _:
                    return len(members)

    def close(self) -> None:
        """Disconnect; a cluster of our own ends."""
        self.relay.close()


def _not_started(name: str) -> InputError:
    return InputError(
        f"cluster {quoted(name)}: its workers could not be started; expected fewer, or a scheduler"
    )


def _no_answer(name: str) -> ClusterGone:
    return ClusterGone(f"the relay of {name} does not answer")


@dataclass(slots=True)
class _Member:
    """A worker of the cluster.

    Attributes:
        address: where Dask finds it, and our name for it.
        who: its introduction.
        core: the core of its own, in a timed run.
        is_ready: whether it can be given batches.
        sign: its last sign of life by the scheduler's clock, and when we first saw that by ours.
        running: the keys of its unanswered requests; it is at the first.
        numbers: the numbers of those that are tasks of the run.
        since: when it began with the first, by the clock of `ClusterWorkers`.
    """

    address: str
    who: Introduction | None = None
    core: int | None = None
    is_ready: bool = False
    sign: tuple[float, float] = (0.0, 0.0)
    running: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class _Request:
    """An unanswered request: how its answer is read, and what is done with the result."""

    member: _Member
    read: Callable[[bytes], Any]
    heed: Callable[[_Member, Any], None]


class ClusterWorkers:
    """The workers of a cluster for one run; see `Workers`.

    Attributes:
        speeds: for a timed run, nodes a second of each by its name.
    """

    def __init__(
        self, relay: Relay, name: str, job: Job, patience: Patience, silent_s: float
    ) -> None:
        self.speeds: dict[str, float] = {}
        self._relay, self._name, self._silent_s = relay, name, silent_s
        self._run, self._job, self._patience = uuid4().hex, job, patience
        self._us = introduce()
        self._members: dict[str, _Member] = {}
        self._dismissed = set[str]()
        self._silent: dict[str, float] = {}  # with the last sign of life
        self._compiling: dict[str, str] = {}  # on which machine, by whom
        self._compiled = set[str]()
        self._requests: dict[str, _Request] = {}
        self._told = list[Event]()
        self._next_round = self._next_signs = 0.0
        self._clock, self._looked = 0.0, time.monotonic()
        self._answered = 0.0  # when the relay last named the workers, by our clock

    # What is asked of workers

    @property
    def coming(self) -> int:
        """See `Workers`."""
        return sum(not member.is_ready for member in self._members.values())

    def submit(self, worker: str, number: int, batch: Any) -> None:
        """See `Workers`; a position where they solve."""
        member = self._members.get(worker)
        if member is None:
            return
        given = time.monotonic()

        def read(data: bytes) -> Any:
            return self._job.read(batch, data, time.monotonic() - given)

        def heed(member: _Member, played: Any) -> None:
            self._told.append(Played(member.address, number, played))

        most_bytes = self._job.most_bytes(batch)
        task = pickle.dumps((answer, (do, self._run, batch)))
        key = self._ask(member, read, heed, most_bytes, relay.call, task)
        member.numbers[key] = number

    def hear(self, seconds: float) -> list[Event]:
        """See `Workers`.

        Raises:
            ClusterGone: If the scheduler or the relay does not answer.
        """
        until = time.monotonic() + seconds
        while True:
            self._look_round()
            left = 0.0 if self._told else max(0.0, until - time.monotonic())
            heard = self._relay.hear(min(left, ROUND_S) or 1e-4)
            if heard is not None:
                self._heed(*heard)
            if time.monotonic() >= until or (heard is None and self._told):
                break
        told, self._told = self._told, []
        return told

    def stop(self) -> None:
        """See `Workers`."""
        self._cancel([key for member in self._members.values() for key in member.running])
        self._members.clear()

    # Questions and answers

    def _ask(
        self,
        member: _Member,
        read: Callable[[bytes], Any],
        heed: Callable[[_Member, Any], None],
        most_bytes: int,
        function: Callable[..., Any],
        *arguments: Any,
    ) -> str:
        """Have a member call a function; its answer is read and heeded when it comes. Return the request's key."""
        key = f"isolarium-{uuid4().hex}"
        if not member.running:
            member.since = self._clock
        member.running.append(key)
        self._requests[key] = _Request(member, read, heed)
        self._relay.ask(Ask(key, member.address, function, arguments, most_bytes))
        return key

    def _cancel(self, keys: list[str]) -> None:
        for key in keys:
            self._requests.pop(key, None)
        if keys:
            self._relay.cancel(keys)

    def _heed(self, message: relay.Message, data: bytes) -> None:
        match message:
            case Members(members=members):
                self._see({member.address: member for member in members})
            case relay.Answered() | relay.Lost() | relay.Failed() | relay.Invalid():
                request = self._requests.pop(message.key, None)
                if request is not None:  # else it was cancelled
                    self._heed_answer(request, message, data)

    def _heed_answer(self, request: _Request, message: relay.AboutRequest, data: bytes) -> None:
        member = request.member
        member.running.remove(message.key)
        number, member.since = member.numbers.pop(message.key, None), self._clock
        match message:
            case relay.Lost():
                self._lose(member)
            case relay.Failed(why=why):
                self._give_up(member, number, printable(why))
            case relay.Invalid(why=why):
                self._reject(member, number, printable(why))
            case relay.Answered():
                try:
                    result = request.read(data)
                except WorkerFailed as failure:
                    self._give_up(member, number, str(failure))
                except ValueError as error:
                    self._reject(member, number, shortened(printable(str(error)), MOST_WHY))
                else:
                    request.heed(member, result)

    # Who comes and goes

    def _look_round(self) -> None:
        """Ask who is there, unless that was done just now.

        Raises:
            ClusterGone: If the relay does not answer.
        """
        now = time.monotonic()
        self._clock += min(now - self._looked, STEP_S)
        self._looked = now
        if self._relay.is_looking:
            if self._clock - self._answered > LOOK_S:
                raise _no_answer(self._name)
        elif now >= self._next_round:
            self._next_round, self._answered = now + ROUND_S, self._clock
            signs = now >= self._next_signs
            if signs:
                self._next_signs = now + min(SIGNS_S, self._silent_s / 4)
            self._relay.look(signs=signs)

    def _see(self, there: dict[str, relay.Member]) -> None:
        """See who came and who went."""
        now = time.monotonic()
        for member in [one for one in self._members.values() if one.address not in there]:
            self._lose(member)
        self._dismissed &= there.keys()
        self._look_for_signs(there, now)
        self._look_for_late()
        known = self._members.keys() | self._dismissed | self._silent.keys()
        for address in there.keys() - known:
            member = self._members[address] = _Member(address, sign=(0.0, now))
            threads = there[address].threads
            if threads != 1:
                why = f"it has {threads} threads; expected dask worker --nthreads 1"
                self._refuse(member, why)
            else:
                self._ask(
                    member, read_introduction, self._meet, MOST_SMALL_BYTES, eval, INTRODUCTION
                )

    def _look_for_signs(self, there: dict[str, relay.Member], now: float) -> None:
        """Give up on workers that vanished without a word: the scheduler goes on counting them for long."""
        seen = {address: member.seen for address, member in there.items() if member.seen}
        for member in list(self._members.values()):
            sign = seen.get(member.address)
            if sign is None:
                continue
            if sign != member.sign[0]:
                member.sign = (sign, now)
            elif now - member.sign[1] > self._silent_s:
                self._lose(member)
                self._silent[member.address] = sign
        for address, sign in list(self._silent.items()):
            if address not in there or seen.get(address, sign) != sign:  # gone, or back
                del self._silent[address]

    def _look_for_late(self) -> None:
        """Give up on those who are at something for too long."""
        for member in [one for one in self._members.values() if one.running]:
            number = member.numbers.get(member.running[0])
            allowed = READY_S if number is None else self._patience(member.address, number)
            if self._clock - member.since > allowed:
                self._give_up(member, number, f"no answer after {duration(allowed)}")

    def _meet(self, member: _Member, who: Introduction) -> None:
        """Let a member in, or not, and have it get ready."""
        member.who = who
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
        task = pickle.dumps((answer, (prepare, self._run, self._job, member.core, compiles)))
        self._ask(member, read_speed, heed, MOST_SMALL_BYTES, relay.call, task)

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

    def _reject(self, member: _Member, number: int | None, why: str) -> None:
        """Have nothing more to do with a member that returned what cannot be."""
        told = f"its answer is invalid: {why}"
        if number is None:
            self._refuse(member, told)
            return
        self._told.append(Invalid(member.address, number, _named(member, told)))
        self._dismissed.add(member.address)
        self._forget(member)

    def _lose(self, member: _Member) -> None:
        """Take leave of a member that is there no more."""
        self._forget(member)
        if member.is_ready:
            self._told.append(Went(member.address))

    def _forget(self, member: _Member) -> None:
        self._members.pop(member.address, None)
        running, member.running = member.running, []
        self._cancel(running)
        machine = _machine(member)
        if machine is not None and self._compiling.get(machine) == member.address:
            del self._compiling[machine]
            waiting: Sequence[_Member] = [
                one for one in self._members.values() if _machine(one) == machine
            ]
            for other in waiting[:1]:
                self._have_ready(other, machine)


def _named(member: _Member, why: str) -> str:
    name = "" if member.who is None else f"{printable(member.who.name)} "
    return f"worker {name}at {member.address}: {why}"


def _machine(member: _Member) -> str | None:
    return None if member.who is None else member.who.machine
