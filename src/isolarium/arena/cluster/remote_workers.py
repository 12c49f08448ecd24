"""A Dask cluster as the workers of a run.

Dask's client is in another process, the relay (`relay.py`).

This module, not Dask, assigns each batch to a worker, so that it is known which worker has each batch. A worker
introduces itself before it gets tasks. On each machine, the first worker compiles while the others wait. A worker gets
no more tasks once it fails, returns an invalid answer, or exceeds a time limit although it is alive.
"""

import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final
from uuid import uuid4

from isolarium.arena.cluster import check_address, no_scheduler, relay
from isolarium.arena.cluster.cluster_runner import CHECKED
from isolarium.arena.cluster.cluster_worker import Games, Job, Starts, answer, bundle_files, do, prepare
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
from isolarium.arena.local_workers import ClusterGone, Exited, Failed, Invalid, Joined, Refused, Returned, WorkerEvent
from isolarium.arena.plan import Plan
from isolarium.arena.provenance import own_definitions
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board
from isolarium.limits import Limit
from isolarium.processes.own_code import pack
from isolarium.text import duration, printable, shortened

CONNECT_S: Final = 20.0
"""How long a scheduler may take to accept the relay."""
LIST_S: Final = 60.0
"""How long the relay may take to list the workers; the scheduler's own limit is shorter."""
ROUND_S: Final = 0.5
"""The interval between requests for the list of workers."""
SILENT_S: Final = 60.0
"""How long a worker may be silent before others get its batches."""
SIGNS_S: Final = 5.0
"""The interval between checks for silent workers."""
READY_S: Final = 900.0
"""How long a worker may take to get ready, which includes compiling."""
STEP_S: Final = 5.0
"""The maximum time counted between two rounds, in case this process was suspended."""
MOST_REASON: Final = 300
"""The maximum length of the reason why an answer is invalid."""


TimeLimit = Callable[[str, int], float]
"""Returns how many seconds a worker may take for a task, given its name and the task's number."""


class Cluster:
    """A connection to a cluster, for any number of runs in succession.

    Args:
        text: An address accepted by `check_address`.
        silent_s: How long a worker may be silent.
        checked: The share of the batches that another worker plays again.

    Attributes:
        relay: The process that holds Dask's client.

    Raises:
        InputError: If there is no cluster.
    """

    def __init__(self, text: str, silent_s: float = SILENT_S, checked: float = CHECKED) -> None:
        self.name, self.checked, self._silent_s = text, checked, silent_s
        address = check_address(text)
        self.relay = Relay(text, address)
        try:
            if not self._is_connected(None if isinstance(address, int) else CONNECT_S):
                raise no_scheduler(text) if isinstance(address, str) else _not_started(text)
        except BaseException:
            self.relay.close()
            raise

    def _is_connected(self, seconds: float | None) -> bool:
        """Wait for the relay to connect within a time limit after its start."""
        with suppress(ClusterGone):
            received = [self.relay.receive(None), self.relay.receive(seconds)]
            return [one and one[0] for one in received] == [relay.Started(), relay.Connected()]
        return False

    def workers(self, plan: Plan, files: Mapping[str, bytes], time_limit: TimeLimit) -> "ClusterWorkers":
        """Return workers that play batches of one run.

        Args:
            plan: The run's plan.
            files: The contents of the agents' files, by name.
            time_limit: The time limit of a batch.

        Raises:
            InputError: If a file would not be found on other machines.
        """
        bundle = bundle_files(files, set(plan.files()), tuple(map(pack, own_definitions(plan))))
        job = Games(plan.players, plan.board, bundle, plan.is_timed)
        return ClusterWorkers(self.relay, self.name, job, time_limit, self._silent_s)

    def solvers(self, board: Board, limit: Limit) -> "ClusterWorkers":
        """Return workers that solve positions of a board, without a time limit."""
        job = Starts(board, limit)
        return ClusterWorkers(self.relay, self.name, job, lambda *_: inf, self._silent_s)

    def count(self) -> int:
        """Return the number of workers.

        Raises:
            ClusterGone: If the scheduler or the relay does not answer.
        """
        self.relay.list_workers()
        while True:
            match self.relay.receive(LIST_S):
                case None:
                    raise _no_answer(self.name)
                case Members(members=members), _:
                    return len(members)

    def close(self) -> None:
        """Disconnect, and stop a local cluster."""
        self.relay.close()


def _not_started(name: str) -> InputError:
    return InputError(f"cluster {quoted(name)}: its workers could not be started; use fewer, or a scheduler")


def _no_answer(name: str) -> ClusterGone:
    return ClusterGone(f"the relay of {name} does not answer")


@dataclass(slots=True)
class _Member:
    """A worker of the cluster.

    Attributes:
        address: The worker's address in Dask, and its name in the run.
        introduction: The worker's introduction; None until it has arrived.
        core: The worker's own core, in a timed run.
        is_ready: Whether the worker can be given batches.
        sign: When the worker was last active by the scheduler's clock, and when this was first seen by ours.
        running: The keys of the unanswered requests, starting with the current request.
        numbers: The task numbers of the requests that are tasks of the run.
        since: The start of the current request by the clock of `ClusterWorkers`.
    """

    address: str
    introduction: Introduction | None = None
    core: int | None = None
    is_ready: bool = False
    sign: tuple[float, float] = (0.0, 0.0)
    running: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class _Request:
    """An unanswered request, and the functions that read and handle its answer."""

    member: _Member
    read: Callable[[bytes], Any]
    handle: Callable[[_Member, Any], None]


class ClusterWorkers:
    """The workers of a cluster for one run; see `Workers`.

    Attributes:
        speeds: For a timed run, each worker's nodes per second, by name.
    """

    def __init__(self, relay: Relay, name: str, job: Job, time_limit: TimeLimit, silent_s: float) -> None:
        self.speeds: dict[str, float] = {}
        self._relay, self._name, self._silent_s = relay, name, silent_s
        self._run, self._job, self._time_limit = uuid4().hex, job, time_limit
        self._own_introduction = introduce()
        self._members: dict[str, _Member] = {}
        self._dismissed = set[str]()
        self._silent: dict[str, float] = {}  # Silent workers, and when each was last active
        self._compiling: dict[str, str] = {}  # the compiling worker of each machine
        self._compiled = set[str]()
        self._requests: dict[str, _Request] = {}
        self._events = list[WorkerEvent]()
        self._next_round = self._next_signs = 0.0
        self._clock, self._last_round = 0.0, time.monotonic()
        self._listed = 0.0  # The last request for a list of workers, by `_clock`

    # The protocol of `Workers`

    @property
    def starting(self) -> int:
        """See `Workers`."""
        return sum(not member.is_ready for member in self._members.values())

    def submit(self, worker: str, number: int, batch: Any) -> None:
        """See `Workers`; for solving, `batch` is a position."""
        member = self._members.get(worker)
        if member is None:
            return
        sent = time.monotonic()

        def read(data: bytes) -> Any:
            return self._job.read(batch, data, time.monotonic() - sent)

        def handle(member: _Member, result: Any) -> None:
            self._events.append(Returned(member.address, number, result))

        most_bytes = self._job.most_bytes(batch)
        task = pickle.dumps((answer, (do, self._run, batch)))
        key = self._ask(member, read, handle, most_bytes, relay.call, task)
        member.numbers[key] = number

    def poll(self, timeout_s: float) -> list[WorkerEvent]:
        """See `Workers`.

        Raises:
            ClusterGone: If the scheduler or the relay does not answer.
        """
        until = time.monotonic() + timeout_s
        while True:
            self._list_workers()
            left = 0.0 if self._events else max(0.0, until - time.monotonic())
            received = self._relay.receive(min(left, ROUND_S) or 1e-4)
            if received is not None:
                self._handle(*received)
            if time.monotonic() >= until or (received is None and self._events):
                break
        events, self._events = self._events, []
        return events

    def stop(self) -> None:
        """See `Workers`."""
        self._cancel([key for member in self._members.values() for key in member.running])
        self._members.clear()

    # Requests and answers

    def _ask(
        self,
        member: _Member,
        read: Callable[[bytes], Any],
        handle: Callable[[_Member, Any], None],
        most_bytes: int,
        function: Callable[..., Any],
        *arguments: Any,
    ) -> str:
        """Request that a member call a function, and return the request's key.

        `read` decodes the answer, and `handle` receives the result.
        """
        key = f"isolarium-{uuid4().hex}"
        if not member.running:
            member.since = self._clock
        member.running.append(key)
        self._requests[key] = _Request(member, read, handle)
        self._relay.ask(Ask(key, member.address, function, arguments, most_bytes))
        return key

    def _cancel(self, keys: list[str]) -> None:
        for key in keys:
            self._requests.pop(key, None)
        if keys:
            self._relay.cancel(keys)

    def _handle(self, message: relay.Message, data: bytes) -> None:
        match message:
            case Members(members=members):
                self._update_members({member.address: member for member in members})
            case relay.Answered() | relay.Lost() | relay.Failed() | relay.Invalid():
                request = self._requests.pop(message.key, None)
                if request is not None:  # Otherwise it was cancelled.
                    self._handle_answer(request, message, data)

    def _handle_answer(self, request: _Request, message: relay.AboutRequest, data: bytes) -> None:
        member = request.member
        member.running.remove(message.key)
        number, member.since = member.numbers.pop(message.key, None), self._clock
        match message:
            case relay.Lost():
                self._lose(member)
            case relay.Failed(why=why):
                self._fail(member, number, printable(why))
            case relay.Invalid(why=why):
                self._reject(member, number, printable(why))
            case relay.Answered():
                try:
                    result = request.read(data)
                except WorkerFailed as failure:
                    self._fail(member, number, str(failure))
                except ValueError as error:
                    self._reject(member, number, shortened(printable(str(error)), MOST_REASON))
                else:
                    request.handle(member, result)

    # Workers that join and exit

    def _list_workers(self) -> None:
        """Request the list of workers, at most every `ROUND_S`.

        Raises:
            ClusterGone: If the relay does not answer.
        """
        now = time.monotonic()
        self._clock += min(now - self._last_round, STEP_S)
        self._last_round = now
        if self._relay.is_listing:
            if self._clock - self._listed > LIST_S:
                raise _no_answer(self._name)
        elif now >= self._next_round:
            self._next_round, self._listed = now + ROUND_S, self._clock
            signs = now >= self._next_signs
            if signs:
                self._next_signs = now + min(SIGNS_S, self._silent_s / 4)
            self._relay.list_workers(signs=signs)

    def _update_members(self, there: dict[str, relay.Member]) -> None:
        """Drop members that have exited or are silent or late, and add new members."""
        now = time.monotonic()
        for member in [one for one in self._members.values() if one.address not in there]:
            self._lose(member)
        self._dismissed &= there.keys()
        self._drop_silent(there, now)
        self._drop_late()
        known = self._members.keys() | self._dismissed | self._silent.keys()
        for address in there.keys() - known:
            member = self._members[address] = _Member(address, sign=(0.0, now))
            threads = there[address].threads
            if threads != 1:
                why = f"it has {threads} threads; start it with dask worker --nthreads 1"
                self._refuse(member, why)
            else:
                self._ask(member, read_introduction, self._admit, MOST_SMALL_BYTES, eval, INTRODUCTION)

    def _drop_silent(self, there: dict[str, relay.Member], now: float) -> None:
        """Drop workers that are silent.

        The scheduler keeps listing such workers for a long time.
        """
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
            if address not in there or seen.get(address, sign) != sign:  # Gone, or back
                del self._silent[address]

    def _drop_late(self) -> None:
        """Drop workers that exceed the time limit of a request."""
        for member in [one for one in self._members.values() if one.running]:
            number = member.numbers.get(member.running[0])
            allowed = READY_S if number is None else self._time_limit(member.address, number)
            if self._clock - member.since > allowed:
                self._fail(member, number, f"no answer after {duration(allowed)}")

    def _admit(self, member: _Member, introduction: Introduction) -> None:
        """Tell a member to get ready, or refuse it."""
        member.introduction = introduction
        difference = self._own_introduction.difference(introduction)
        if difference is not None:
            self._refuse(member, difference)
            return
        if self._job.is_timed:
            others = [one for one in self._members.values() if one is not member]
            taken = {one.core for one in others if _machine(one) == introduction.machine}
            free = [core for core in introduction.cores if core not in taken]
            if not free:
                self._refuse(member, "in a timed run a machine can have no more workers than cores")
                return
            member.core = free[0]
        self._prepare_in_turn(member, introduction.machine)

    def _prepare_in_turn(self, member: _Member, machine: str) -> None:
        """Tell a member to get ready, unless its machine has to compile first."""
        if machine in self._compiled:
            self._prepare(member, self._join)
        elif machine not in self._compiling:
            self._compiling[machine] = member.address
            self._prepare(member, self._join_first, compiles=True)

    def _prepare(self, member: _Member, handle: Callable[[_Member, Any], None], *, compiles: bool = False) -> None:
        task = pickle.dumps((answer, (prepare, self._run, self._job, member.core, compiles)))
        self._ask(member, read_speed, handle, MOST_SMALL_BYTES, relay.call, task)

    def _join_first(self, member: _Member, speed: float | None) -> None:
        """Tell a machine's other workers to get ready once the first has compiled."""
        machine = _machine(member)
        assert machine is not None
        del self._compiling[machine]
        self._compiled.add(machine)
        self._join(member, speed)
        for other in self._members.values():
            if _machine(other) == machine and not other.is_ready and not other.running:
                self._prepare(other, self._join)

    def _join(self, member: _Member, speed: float | None) -> None:
        member.is_ready = True
        if speed is not None:
            self.speeds[member.address] = speed
        self._events.append(Joined(member.address))

    def _refuse(self, member: _Member, why: str) -> None:
        self._dismiss(member, Refused(member.address, _named(member, why)))

    def _fail(self, member: _Member, number: int | None, why: str) -> None:
        """Dismiss a member that failed at a task or could not get ready."""
        if number is None:
            self._refuse(member, f"it cannot get ready: {why}")
        else:
            reason = _named(member, f"it failed: {why}")
            self._dismiss(member, Failed(member.address, number, reason))

    def _reject(self, member: _Member, number: int | None, why: str) -> None:
        """Dismiss a member that returned an invalid answer."""
        problem = f"its answer is invalid: {why}"
        if number is None:
            self._refuse(member, problem)
        else:
            self._dismiss(member, Invalid(member.address, number, _named(member, problem)))

    def _dismiss(self, member: _Member, event: WorkerEvent) -> None:
        """Stop giving a member tasks."""
        self._events.append(event)
        self._dismissed.add(member.address)
        self._remove(member)

    def _lose(self, member: _Member) -> None:
        """Remove a member that exited."""
        self._remove(member)
        if member.is_ready:
            self._events.append(Exited(member.address))

    def _remove(self, member: _Member) -> None:
        self._members.pop(member.address, None)
        running, member.running = member.running, []
        self._cancel(running)
        machine = _machine(member)
        if machine is not None and self._compiling.get(machine) == member.address:
            del self._compiling[machine]
            waiting: Sequence[_Member] = [one for one in self._members.values() if _machine(one) == machine]
            for other in waiting[:1]:
                self._prepare_in_turn(other, machine)


def _named(member: _Member, why: str) -> str:
    name = "" if member.introduction is None else f"{printable(member.introduction.name)} "
    return f"worker {name}at {member.address}: {why}"


def _machine(member: _Member) -> str | None:
    return None if member.introduction is None else member.introduction.machine
