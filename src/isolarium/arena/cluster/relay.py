"""The coordinator's end of the relay.

The relay is the process that holds Dask's client (`relay_main.py`).

Dask unpickles all data from workers and schedulers, so they can execute code in the process that
holds Dask's client. Therefore a different process plays the run and writes its database. Requests
to the relay come from our own code and are pickled. Messages from the relay are never unpickled:
each is a line of JSON of one of the kinds below, followed by at most the number of bytes that the
request allowed. A relay that sends anything else is terminated.
"""

import os
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from queue import Empty, Queue
from threading import Thread
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, TypeAdapter, ValidationError

from isolarium.arena.cluster.worker_answers import MOST_BYTES, MOST_TEXT, describe_fault
from isolarium.arena.local_workers import ClusterGone
from isolarium.processes.forkserver import can_fork, start_pythons_own
from isolarium.processes.worker import ONE_THREAD, STDERR, STDOUT, Inbox, Worker, clean_start

MOST_HEADER_BYTES: Final = 8 << 20
"""The maximum length of a message without its answer, enough to list 50,000 workers."""
CLOSE_S: Final = 10.0
"""How long the relay and any local cluster may take to exit normally."""


# Requests


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that a worker call a function.

    Attributes:
        key: The request's key; the relay answers each request exactly once.
        worker: The worker's address.
        function: A function that returns bytes. The relay imports the function's module; use
            `call` for functions with further imports.
        arguments: The function's arguments.
        most_bytes: The maximum length of the answer.
    """

    key: str
    worker: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    most_bytes: int


@dataclass(frozen=True, slots=True)
class Cancel:
    """A request to cancel others, each of which is still answered, if only with `Lost`."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListWorkers:
    """A request to list the workers and, with `signs`, when each was last active."""

    signs: bool


@dataclass(frozen=True, slots=True)
class Close:
    """A request to exit."""


Request = Ask | Cancel | ListWorkers | Close


# Messages


class _Message(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


Key = Annotated[str, Field(pattern=r"^isolarium-[0-9a-f]{32}$")]
Why = Annotated[str, Field(max_length=MOST_TEXT)]
Address = Annotated[str, Field(max_length=300, pattern=r"^[a-z]+://[!-~]+$")]


class Started(_Message):
    """The relay has imported Dask and is connecting to its scheduler."""

    kind: Literal["started"] = "started"


class Connected(_Message):
    """The relay is connected to the scheduler."""

    kind: Literal["connected"] = "connected"


class Unreachable(_Message):
    """The relay cannot reach a scheduler."""

    kind: Literal["unreachable"] = "unreachable"


class Member(_Message):
    """A worker known to the scheduler and, if requested, when it was last active."""

    address: Address
    threads: Annotated[int, Field(ge=0, lt=1 << 20)]
    seen: float | None


class Members(_Message):
    """The answer to `ListWorkers`."""

    kind: Literal["members"] = "members"
    members: Annotated[list[Member], FailFast(), Field(max_length=50_000)]


class Answered(_Message):
    """A worker returned the bytes that follow."""

    kind: Literal["answered"] = "answered"
    key: Key


class Lost(_Message):
    """A worker exited, or its request was cancelled."""

    kind: Literal["lost"] = "lost"
    key: Key


class Failed(_Message):
    """A worker could not call the function."""

    kind: Literal["failed"] = "failed"
    key: Key
    why: Why


class Invalid(_Message):
    """A worker returned something other than bytes, or too many."""

    kind: Literal["invalid"] = "invalid"
    key: Key
    why: Why


class Gone(_Message):
    """The scheduler no longer answers."""

    kind: Literal["gone"] = "gone"


Message = Started | Connected | Unreachable | Members | Answered | Lost | Failed | Invalid | Gone
AboutRequest = Answered | Lost | Failed | Invalid
_message: Final[TypeAdapter[Message]] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def message_bytes(message: Message, answer: bytes = b"") -> bytes:
    """Encode a message as the relay sends it."""
    return b"%b\n%b" % (message.model_dump_json().encode(), answer)


class Relay:
    """A relay process for one cluster.

    Args:
        name: The cluster's name in messages.
        address: The scheduler's address, or the number of workers of a local cluster.

    Raises:
        OSError: If the process cannot be started.
    """

    def __init__(self, name: str, address: str | int) -> None:
        self._name = name
        self._process = Worker(run, address, first=partial(prepare, address))
        self._asked: dict[str, int] = {}  # the maximum length of each answer, by key
        self._listings = self._listed = 0  # requests sent, and answered
        self._notices = set[type]()
        self._requests, self._received = Queue[bytes | None](), Queue[Any]()
        self._reader = Thread(target=self._read_messages, daemon=True)
        self._reader.start()
        Thread(target=self._write_requests, daemon=True).start()

    @property
    def number(self) -> int | None:
        """The relay's process id."""
        return self._process.number

    @property
    def is_listing(self) -> bool:
        """Whether a `ListWorkers` request is unanswered."""
        return self._listings > self._listed

    def ask(self, request: Ask) -> None:
        """Send a request to a worker."""
        self._asked[request.key] = request.most_bytes
        self._send(request)

    def cancel(self, keys: Iterable[str]) -> None:
        """Cancel requests."""
        self._send(Cancel(tuple(keys)))

    def list_workers(self, *, signs: bool = False) -> None:
        """Request the list of workers."""
        self._listings += 1
        self._send(ListWorkers(signs))

    def receive(self, timeout_s: float | None) -> tuple[Message, bytes] | None:
        """Return the next message with its answer; None if none arrives in time.

        Raises:
            ClusterGone: If the scheduler does not answer, or the relay has exited or sent something invalid.
        """
        try:
            received = self._received.get(timeout=timeout_s)
        except Empty:
            return None
        if isinstance(received, str):
            self._received.put(received)  # For the next call
            raise ClusterGone(received)
        message, answer = received
        return message, answer

    def close(self) -> None:
        """Terminate the process and any local cluster."""
        self._send(Close())
        self._requests.put(None)
        self._reader.join(CLOSE_S)
        self._process.kill()
        self._reader.join(CLOSE_S)
        self._process.end()

    def _send(self, request: Request) -> None:
        self._requests.put(pickle.dumps(request))

    def _write_requests(self) -> None:
        """Send requests in a separate thread.

        Without the thread, a relay that does not read its input would block the run forever.
        """
        try:
            while (request := self._requests.get()) is not None:
                self._process.line.send_bytes(request)
        except (OSError, ValueError, TypeError):  # TypeError if the pipe is closed meanwhile
            # The relay has exited, which the reader reports.
            pass

    def _read_messages(self) -> None:
        """Receive messages in a thread: a relay may stop in the middle of a message."""
        line = self._process.line
        try:
            while True:
                message, answer = self._checked(line.recv_bytes(MOST_HEADER_BYTES + MOST_BYTES))
                if isinstance(message, Gone):
                    self._received.put(f"the scheduler of {self._name} is gone")
                else:
                    self._received.put((message, answer))
        except ValueError as error:
            self._process.kill()
            self._received.put(f"the relay of {self._name} sent something invalid: {error}")
        except (EOFError, OSError, TypeError):  # TypeError if the pipe is closed meanwhile
            self._received.put(f"the relay of {self._name} has ended")

    def _checked(self, data: bytes) -> tuple[Message, bytes]:
        """Decode a message and its answer.

        Raises:
            ValueError: If the message is invalid or unexpected at this point.
        """
        header, _, answer = data.partition(b"\n")
        if len(header) > MOST_HEADER_BYTES:
            raise ValueError("a header that is too long")
        try:
            message = _message.validate_json(header)
        except ValidationError as error:
            raise ValueError(describe_fault(error)) from None
        most = 0
        if isinstance(message, AboutRequest):
            asked = self._asked.pop(message.key, None)
            if asked is None:
                raise ValueError("an answer to no request")
            most = asked if isinstance(message, Answered) else 0
        elif isinstance(message, Members):
            if not self.is_listing:
                raise ValueError("a list of workers that was not requested")
            self._listed += 1
        elif type(message) in self._notices:
            raise ValueError(f"{message.kind} for the second time")
        self._notices.add(type(message))
        if len(answer) > most:
            raise ValueError(f"an answer of {len(answer):,} bytes; expected at most {most:,}")
        return message, answer


def call(pickled: bytes) -> bytes:
    """Call a pickled function with its arguments, on a worker.

    The relay then does not have to import the modules that the function uses.
    """
    function, arguments = pickle.loads(pickled)
    answer: bytes = function(*arguments)
    return answer


# In the relay's process; importing this module does not import Dask


WORKER_MODULES: Final = ["distributed", "isolarium.arena.cluster.cluster_worker"]
"""The modules that a local cluster's workers need; importing them takes most of a worker's start."""


def prepare(address: str | int) -> None:
    """Discard this process's output, and enter the sandbox before the relay's second thread starts.

    Meanwhile, the process that forks a local cluster's workers imports what they need.
    """
    os.environ.update(ONE_THREAD)  # Numerical libraries that Dask imports would start threads.
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (STDOUT, STDERR):
        os.dup2(nothing, stream)  # Output would appear on the terminal.
    os.close(nothing)
    if isinstance(address, int) and can_fork():
        with clean_start():
            start_pythons_own(WORKER_MODULES)
    from isolarium.arena.cluster.relay_main import sandbox_relay

    sandbox_relay(address)


def run(inbox: Inbox, address: str | int) -> None:
    """Run the relay."""
    from isolarium.arena.cluster.relay_main import serve

    serve(inbox, address)
