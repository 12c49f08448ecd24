"""The coordinator's end of the relay, the process that holds Dask's client (`relay_main.py`).

Dask unpickles whatever a worker or a scheduler sends, so either can execute code in the process that holds its client.
That is why the process that plays a run and writes its record is another one. Requests to the relay are pickled: they
are ours. What comes back is never unpickled: a message is a line of JSON of one of the kinds below, then at most as
many bytes as the request allowed. A relay that sends anything else is ended.
"""

import os
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, TypeAdapter, ValidationError

from isolarium.arena.cluster.worker_answers import MOST_BYTES, MOST_TEXT, fault_told
from isolarium.arena.local_workers import ClusterGone
from isolarium.processes.worker import ONE_THREAD, Inbox, Worker

MOST_HEADER_BYTES: Final = 8 << 20
"""Of a message without its answer: 50,000 workers with their addresses."""
CLOSE_S: Final = 10.0
"""How long the relay may take to end in an orderly way; a cluster of our own ends with it."""


# Requests


@dataclass(frozen=True, slots=True)
class Ask:
    """Have a worker call a function.

    Attributes:
        key: names the request; the relay answers it exactly once.
        worker: its address.
        function: returns bytes. The relay imports its module; see `call` for functions that need more.
        arguments: for the function.
        most_bytes: how long its answer may be.
    """

    key: str
    worker: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    most_bytes: int


@dataclass(frozen=True, slots=True)
class Cancel:
    """Cancel requests; each is still answered, as `Lost` if nothing else is known."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """Ask which workers there are; `signs`: also when the scheduler last heard from each."""

    signs: bool


@dataclass(frozen=True, slots=True)
class Close:
    """End."""


Request = Ask | Cancel | Look | Close


# Messages


class _Message(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


Key = Annotated[str, Field(pattern=r"^isolarium-[0-9a-f]{32}$")]
Why = Annotated[str, Field(max_length=MOST_TEXT)]
Address = Annotated[str, Field(max_length=300, pattern=r"^[a-z]+://[!-~]+$")]


class Started(_Message):
    """The relay has imported Dask and looks for its scheduler."""

    kind: Literal["started"] = "started"


class Connected(_Message):
    """The scheduler answers."""

    kind: Literal["connected"] = "connected"


class Unreachable(_Message):
    """No scheduler answers."""

    kind: Literal["unreachable"] = "unreachable"


class Member(_Message):
    """A worker that the scheduler knows: its address and threads, and when it was last heard from, where asked."""

    address: Address
    threads: Annotated[int, Field(ge=0, lt=1 << 20)]
    seen: float | None


class Members(_Message):
    """The answer to `Look`."""

    kind: Literal["members"] = "members"
    members: Annotated[list[Member], FailFast(), Field(max_length=50_000)]


class Answered(_Message):
    """The bytes that a worker returned follow."""

    kind: Literal["answered"] = "answered"
    key: Key


class Lost(_Message):
    """A worker is gone, or its request was cancelled."""

    kind: Literal["lost"] = "lost"
    key: Key


class Failed(_Message):
    """A worker could not even call the function."""

    kind: Literal["failed"] = "failed"
    key: Key
    why: Why


class Invalid(_Message):
    """A worker returned something else than bytes, or too many."""

    kind: Literal["invalid"] = "invalid"
    key: Key
    why: Why


class Gone(_Message):
    """The scheduler does not answer any more."""

    kind: Literal["gone"] = "gone"


Message = Started | Connected | Unreachable | Members | Answered | Lost | Failed | Invalid | Gone
AboutRequest = Answered | Lost | Failed | Invalid
_message: Final[TypeAdapter[Message]] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def message_bytes(message: Message, answer: bytes = b"") -> bytes:
    """Return a message as the relay sends it."""
    return b"%b\n%b" % (message.model_dump_json().encode(), answer)


class Relay:
    """A relay, started for one cluster.

    Args:
        name: what messages call the cluster.
        address: the scheduler's, or how many workers a cluster of our own has.

    Raises:
        OSError: If its process cannot be started.
    """

    def __init__(self, name: str, address: str | int) -> None:
        self._name = name
        self._process = Worker(run, address, first=partial(prepare, address))
        self._asked: dict[str, int] = {}  # most bytes, by key
        self._looks = self._looked = 0  # sent, and answered
        self._notices = set[type]()
        self._requests, self._heard = SimpleQueue[bytes | None](), SimpleQueue[Any]()
        self._reader = Thread(target=self._read_on, daemon=True)
        self._reader.start()
        Thread(target=self._write_on, daemon=True).start()

    @property
    def number(self) -> int | None:
        """The number of its process."""
        return self._process.number

    @property
    def is_looking(self) -> bool:
        """Whether a `Look` is unanswered."""
        return self._looks > self._looked

    def ask(self, request: Ask) -> None:
        """Send a request to a worker."""
        self._asked[request.key] = request.most_bytes
        self._send(request)

    def cancel(self, keys: Iterable[str]) -> None:
        """Cancel requests."""
        self._send(Cancel(tuple(keys)))

    def look(self, *, signs: bool = False) -> None:
        """Ask which workers there are."""
        self._looks += 1
        self._send(Look(signs))

    def hear(self, seconds: float | None) -> tuple[Message, bytes] | None:
        """Return the next message with its answer; None if none comes in that time.

        Raises:
            ClusterGone: If the scheduler does not answer, or the relay has ended or sent something invalid.
        """
        try:
            heard = self._heard.get(timeout=seconds)
        except Empty:
            return None
        if isinstance(heard, str):
            self._heard.put(heard)  # for the next call
            raise ClusterGone(heard)
        message, answer = heard
        return message, answer

    def close(self) -> None:
        """End the process, and with it a cluster of our own."""
        self._send(Close())
        self._requests.put(None)
        self._reader.join(CLOSE_S)
        self._process.kill()
        self._reader.join(CLOSE_S)
        self._process.end()

    def _send(self, request: Request) -> None:
        self._requests.put(pickle.dumps(request))

    def _write_on(self) -> None:
        """Send requests, in a thread: a relay that does not read would otherwise stop the run for ever."""
        try:
            while (request := self._requests.get()) is not None:
                self._process.line.send_bytes(request)
        except (OSError, ValueError):  # it has ended; the reader reports that
            pass

    def _read_on(self) -> None:
        """Receive messages, in a thread: a relay may stop in the middle of one."""
        line = self._process.line
        try:
            while True:
                message, answer = self._checked(line.recv_bytes(MOST_HEADER_BYTES + MOST_BYTES))
                if isinstance(message, Gone):
                    self._heard.put(f"the scheduler of {self._name} is gone")
                else:
                    self._heard.put((message, answer))
        except ValueError as error:
            self._process.kill()
            self._heard.put(f"the relay of {self._name} sent something invalid: {error}")
        except (EOFError, OSError, TypeError):  # the last where the line is closed meanwhile
            self._heard.put(f"the relay of {self._name} has ended")

    def _checked(self, data: bytes) -> tuple[Message, bytes]:
        """Return a message with its answer.

        Raises:
            ValueError: If the relay may not send it now.
        """
        header, _, answer = data.partition(b"\n")
        if len(header) > MOST_HEADER_BYTES:
            raise ValueError("a header that is too long")
        try:
            message = _message.validate_json(header)
        except ValidationError as error:
            raise ValueError(fault_told(error)) from None
        most = 0
        if isinstance(message, AboutRequest):
            asked = self._asked.pop(message.key, None)
            if asked is None:
                raise ValueError("an answer to no request")
            most = asked if isinstance(message, Answered) else 0
        elif isinstance(message, Members):
            if not self.is_looking:
                raise ValueError("workers that were not asked for")
            self._looked += 1
        elif type(message) in self._notices:
            raise ValueError(f"{message.kind} for the second time")
        self._notices.add(type(message))
        if len(answer) > most:
            raise ValueError(f"an answer of {len(answer):,} bytes; expected at most {most:,}")
        return message, answer


def call(pickled: bytes) -> bytes:
    """Call a pickled function with its arguments, on a worker: the relay does not import what they need."""
    function, arguments = pickle.loads(pickled)
    answer: bytes = function(*arguments)
    return answer


# What the process does: nothing of Dask is imported with this module


def prepare(address: str | int) -> None:
    """Do what has to be done before the relay's second thread starts."""
    os.environ.update(ONE_THREAD)  # numerical libraries that Dask imports would start threads
    from isolarium.arena.cluster.relay_main import sandbox_relay

    sandbox_relay(address)


def run(inbox: Inbox, address: str | int) -> None:
    """Be the relay."""
    from isolarium.arena.cluster.relay_main import serve

    serve(inbox, address)
