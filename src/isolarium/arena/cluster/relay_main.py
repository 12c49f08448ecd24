"""The relay: the only process of a run that holds Dask's client.

The relay also starts the local cluster if the user requested one.

It handles the coordinator's requests (`relay.py`) and forwards the bytes from workers without interpreting them. A
worker can take control of the relay, because Dask unpickles everything it receives.
"""

import asyncio
import logging
import warnings
from contextlib import ExitStack, suppress
from multiprocessing import current_process
from queue import Queue
from threading import Thread
from typing import Any, Final

import dask
from distributed import Client, Future, LocalCluster, as_completed
from distributed.client import FutureCancelledError

from isolarium.arena.cluster import CONNECT_S, numeric_port
from isolarium.arena.cluster.relay import (
    Answered,
    Ask,
    Cancel,
    Close,
    Connected,
    Failed,
    Gone,
    Invalid,
    ListWorkers,
    Lost,
    Member,
    Members,
    Message,
    Started,
    Unreachable,
    message_bytes,
)
from isolarium.arena.cluster.worker_answers import MOST_TEXT
from isolarium.compat import limit_memory
from isolarium.processes.forkserver import PYTHONS_OWN, can_fork
from isolarium.processes.readable_paths import personal_folders
from isolarium.processes.sandbox import Profile, confine
from isolarium.processes.worker import Inbox, clean_start
from isolarium.text import printable, shortened

ANSWER_S: Final = 20.0
"""The time that the scheduler may take to list its workers."""
MEMORY_BYTES: Final = 4 << 30
"""The relay's memory limit; a worker may return more data than fits into memory."""

PLAIN: Final = ["msgpack", "error"]
"""Serializers of results, without pickle. Dask still unpickles errors and some messages."""
LOCAL_CONFIG: Final = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.tick.interval": "1s",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.work-stealing": False,
    "distributed.nanny.pre-spawn-environ": {},
}
"""Dask's settings for a local cluster, whose scheduler shares the cores with its workers.

The defaults watch for slow event loops and sample call stacks, up to a hundred times a second.
"""


def sandbox_relay(address: str | int) -> None:
    """Restrict this process before it connects to anything, while it has one thread.

    If the scheduler has a numeric address, the sandboxed process may only connect to its port.
    Otherwise the process is not sandboxed, because it looks up names and certificates or starts a
    local cluster's workers.
    """
    if isinstance(address, str):
        limit_memory(MEMORY_BYTES)
        port = numeric_port(address)
        if port is not None:
            profile = Profile(network=True, ports=(port,))
            confine(profile, personal=personal_folders())


def serve(inbox: Inbox, address: str | int) -> None:
    """Connect, and handle requests until `Close`."""
    for logger in filter(_is_of_dask, logging.root.manager.loggerDict):
        logging.getLogger(logger).setLevel(logging.CRITICAL)  # The coordinator reports what matters.
    warnings.simplefilter("ignore")
    inbox.send_bytes(message_bytes(Started()))
    with ExitStack() as held:
        try:
            client = _connected(address, held)
        except Exception:  # The server at the address may not be a scheduler.
            inbox.send_bytes(message_bytes(Unreachable()))
            return
        _Relay(client, inbox).serve()


def _is_of_dask(logger: str) -> bool:
    return logger.partition(".")[0] == "distributed"


def _connected(address: str | int, held: ExitStack) -> Client:
    if isinstance(address, int):
        current_process().daemon = False  # A daemon may not start processes.
        dask.config.set(LOCAL_CONFIG)
        if can_fork():
            dask.config.set({"distributed.worker.multiprocessing-method": PYTHONS_OWN})
        with clean_start():
            cluster = LocalCluster(
                n_workers=address,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        return held.enter_context(_client(held.enter_context(cluster)))
    return held.enter_context(_client(address))


def _client(cluster: LocalCluster | str) -> Client:
    return Client(cluster, timeout=CONNECT_S, serializers=PLAIN, deserializers=PLAIN)


class _NotPlain(Exception):  # noqa: N818 # not a user's error
    """A worker returned something that can only be unpickled."""


class _Relay:
    """A connected relay.

    A separate thread sends messages, because Dask's own thread must not wait for the coordinator.
    """

    def __init__(self, client: Client, inbox: Inbox) -> None:
        self._client, self._inbox = client, inbox
        self._running: dict[str, Future] = {}
        self._is_gone = False
        self._messages = Queue[bytes]()
        Thread(target=self._write_messages, daemon=True).start()
        self._send(Connected())

    def serve(self) -> None:
        """Handle requests until `Close`."""
        while True:
            match self._inbox.take():
                case Ask() as request:
                    self._ask(request)
                case Cancel(keys):
                    self._cancel(keys)
                case ListWorkers(signs):
                    self._client.loop.add_callback(self._list_workers, signs)
                case Close():
                    return

    def _ask(self, request: Ask) -> None:
        try:
            future = self._client.submit(
                request.function,
                *request.arguments,
                key=request.key,
                pure=False,
                workers=[request.worker],
                allow_other_workers=False,
            )
        except Exception:  # The scheduler is gone.
            self._send_gone()
            return
        self._running[request.key] = future
        self._client.loop.add_callback(self._answer, request, future)

    def _cancel(self, keys: tuple[str, ...]) -> None:
        running = [self._running[key] for key in keys if key in self._running]
        with suppress(Exception):  # The scheduler is gone, which `_list_workers` reports.
            self._client.cancel(running)

    async def _answer(self, request: Ask, future: Future) -> None:
        """Wait for an answer, on Dask's own thread, and forward it.

        Each answer is gathered separately. Dask would otherwise gather answers that arrive together
        in groups of five, and an unresponsive worker would delay the other answers in its group.
        """
        try:
            result = await self._result(request.key, future)
        except (FutureCancelledError, OSError):  # The worker or the scheduler is gone.
            self._send_lost(request.key)
        except _NotPlain:
            self._send(Invalid(key=request.key, why="it returned an object; expected bytes"))
        except BaseException as error:  # For example, the worker lacks Isolarium or the answer is too large.
            why = printable(shortened(f"{type(error).__name__}: {error}", MOST_TEXT))
            self._send(Failed(key=request.key, why=why))
        else:
            self._forward(request, result)
        finally:
            self._running.pop(request.key, None)

    async def _result(self, key: str, future: Future) -> Any:
        await anext(aiter(as_completed([future], loop=self._client.loop)))
        if future.status != "finished":
            await self._client.gather([future], asynchronous=True)  # Raises the error
        try:
            found = await self._client.scheduler.gather(keys=[key])
        except TypeError:  # Dask cannot serialize or deserialize it as `PLAIN`
            raise _NotPlain from None
        if found["status"] != "OK":
            raise ConnectionError("the worker is gone with its answer")
        return found["data"][key]

    def _forward(self, request: Ask, result: Any) -> None:
        key = request.key
        if type(result) is not bytes:
            kind = printable(shortened(type(result).__name__, 100))
            self._send(Invalid(key=key, why=f"it returned a {kind}; expected bytes"))
        elif len(result) > request.most_bytes:
            why = f"it returned {len(result):,} bytes; expected at most {request.most_bytes:,}"
            self._send(Invalid(key=key, why=why))
        else:
            self._send(Answered(key=key), result)

    async def _list_workers(self, signs: bool) -> None:
        """Send the list of workers."""
        scheduler = self._client.scheduler
        try:
            threads = await asyncio.wait_for(scheduler.ncores(), ANSWER_S)
            known = (await scheduler.identity(n_workers=-1))["workers"] if signs else {}
        except Exception:
            self._send_gone()
            return
        if self._client.status != "running":
            self._send_gone()
            return
        members = [
            Member(address=address, threads=count, seen=known[address]["last_seen"] if address in known else None)
            for address, count in threads.items()
        ]
        self._send(Members(members=members))

    def _send_lost(self, key: str) -> None:
        if self._client.status == "running":
            self._send(Lost(key=key))
        else:
            self._send_gone()

    def _send_gone(self) -> None:
        if not self._is_gone:
            self._is_gone = True
            self._send(Gone())

    def _send(self, message: Message, answer: bytes = b"") -> None:
        self._messages.put(message_bytes(message, answer))

    def _write_messages(self) -> None:
        while True:
            self._inbox.send_bytes(self._messages.get())
