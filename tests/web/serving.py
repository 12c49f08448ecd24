"""A server as people have it: `isolarium serve` in another process, on a port that is free."""

import json
import re
import signal
import socket
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from isolarium.arena.plan import Format, Plan
from isolarium.stats import SprtPlan
from tests.arena.processes import wait_until
from tests.command import PATIENCE_S, started_isolarium
from tests.command_server import Started
from tests.playing import Careful, Wanderer, play_run_here

FINISHED = "2026-11-14-careful-wanderer"
"""The run that every server of the tests has: a match of 30 pairs with a sequential test."""

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For requests to this machine: loading certificates takes 26 ms of a core for each of them."""
NEEDS = (
    "isolarium.web.server",
    *(f"isolarium.web.jobs.{name}" for name in ("agent_jobs", "practice", "run_views", "start_runs")),
)


@dataclass
class Server:
    """A server that runs.

    Attributes:
        address: what people type into a browser, without a slash at its end.
        token: what playing runs takes, if anything.
        runs: the folder of its runs.
        process: the process.
        lasts: whether it is there until the last test has ended.
    """

    address: str
    token: str
    runs: Path
    process: Started
    lasts: bool = False

    def get(self, path: str, **options: Any) -> httpx.Response:
        """Ask for something."""
        return self._request("GET", path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> httpx.Response:
        """Send JSON."""
        return self._request("POST", path, json={} if body is None else body, **options)

    def post_bytes(self, path: str, content: bytes | Iterable[bytes], kind: str) -> httpx.Response:
        """Send something that may not be JSON."""
        return self._request("POST", path, content=content, headers={"Content-Type": kind})

    def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return httpx.request(method, self.address + path, timeout=PATIENCE_S, verify=NO_CERTIFICATES, **options)

    @contextmanager
    def asking(self, path: str, body: Any) -> Iterator[None]:
        """Send JSON for a block, and do not wait for the answer."""
        port, text = int(self.address.rpartition(":")[2]), json.dumps(body)
        head = f"Host: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {len(text)}"
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n\r\n{text}".encode())
            yield

    def wait_until_at_work(self) -> None:
        """Wait until a worker does something."""
        wait_until(lambda: self.get("/api/health").json()["searches"]["at_work"] > 0, "the work")

    @property
    def socket(self) -> str:
        """The address of its WebSockets."""
        return self.address.replace("http://", "ws://")

    def is_playing(self) -> bool:
        """Whether it plays a run."""
        return any(one["mine"] for one in self.get("/api/runs").json()["runs"])

    def stop_runs(self) -> None:
        """Have it end every run that it plays, and wait until they have."""
        for run in self.runs.iterdir():
            self.post(f"/api/runs/{run.name}/stop")
        wait_until(lambda: not self.is_playing(), "the end of its runs")

    def end(self, number: int = signal.SIGINT) -> int:
        """Send a signal and wait for the end; the exit status."""
        self.process.send_signal(number)
        return self.process.wait(timeout=PATIENCE_S)


@contextmanager
def serving(runs: Path, *arguments: str, folder: Path | None = None, new_interpreter: bool = False) -> Iterator[Server]:
    """Start a server on a folder of runs, in a folder, and end it after the block if it has not ended.

    With `new_interpreter` it imports everything itself.
    """
    command = ["serve", "--port", "0", "--no-open", "--runs", str(runs), *arguments]
    with started_isolarium(
        *command, folder=folder, hears_errors=False, needs=NEEDS, new_interpreter=new_interpreter
    ) as process:
        said = process.stdout.readline()
        found = re.search(r"(http://[^/ ]+)(?:/#token=(\S+))?", said)
        assert found is not None, f"isolarium serve said {said!r}"
        yield Server(found[1], found[2] or "", runs, process)


def put_finished_run(runs: Path) -> None:
    """Play a small run into a folder of runs, here and at once."""
    plan = Plan(Format.MATCH, ("greedy:open", "random"), pairs=30, test=SprtPlan(0, 30))
    play_run_here(runs / FINISHED, plan, [Careful(), Wanderer()])
