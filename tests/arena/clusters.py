"""Real Dask schedulers and workers in processes of their own, which tests kill or have misbehave.

They are forked from a process that has imported Dask, which takes most of starting one.
"""

import atexit
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from importlib import import_module
from itertools import count as count_up
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from isolarium.arena.cluster import relay
from isolarium.processes.forkserver import Child
from isolarium.processes.forkserver_main import serve_stdin
from isolarium.processes.worker import Worker
from tests.arena.processes import wait_until
from tests.command import environment
from tests.command_server import WarmServer

RELAY = "isolarium.arena.cluster.relay_main"
"""The module with which a relay imports Dask: most of its start."""
NEEDED = ("distributed.cli.dask_scheduler", "distributed.cli.dask_worker", "isolarium.arena.cluster.cluster_worker")

WORDS = """
from pathlib import Path
from threading import Event
from isolarium.arena.cluster import cluster_worker as here

begun = Path({begun!r})
everyone = [Path(path) for path in {everyone!r}]
honest = vars(here).setdefault("honest", dict(vars(here)))
"""
"""What every text that a worker is told begins with."""
WAITING = """
def do(run, task):
    while not all(path.exists() for path in everyone):
        Event().wait(0.01)
    return honest["do"](run, task)

here.do = do
"""
HONEST = "vars(here).update(honest)"


class DaskCluster:
    """A scheduler with workers.

    Attributes:
        address: the scheduler's.
        file: the one in which it has written that down.
        scheduler: its process.
        workers: theirs.
    """

    def __init__(self, folder: Path, held: ExitStack) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._held, self._names = folder, held, count_up()
        self.file = folder / "scheduler.json"
        options = ("--port", "0", "--host", "127.0.0.1", "--scheduler-file", str(self.file))
        self.scheduler = self._start("dask_scheduler", *options)
        wait_until(self._is_there, "a scheduler")
        self.address = str(json.loads(self.file.read_text())["address"])
        self.workers: list[Child] = []

    def add_worker(self) -> Child:
        """Start a worker."""
        name = f"worker-{next(self._names)}"
        options = ["--nthreads", "1", "--no-nanny", "--name", name, "--death-timeout", "60"]
        options += ["--local-directory", str(self._folder)]
        self.workers.append(self._start("dask_worker", self.address, *options))
        return self.workers[-1]

    @contextmanager
    def misbehaving(self, odd: str, after: str = "") -> Iterator[str]:
        """Have one of two workers do as a Python text says, within the block, and another after it; its address."""
        with self.several_misbehaving([odd], after, honest=1) as (one,):
            yield one

    @contextmanager
    def several_misbehaving(self, odd: Sequence[str], after: str = "", *, honest: int) -> Iterator[list[str]]:
        """Have some of the workers do as these Python texts say, within the block; their addresses.

        Each text knows the module that workers run as `here`, what it was as `honest`, and touches `begun` as soon as
        it has misbehaved: until all have, the honest workers wait with their first task.
        """
        from distributed import Client  # takes long to import

        count = len(odd) + honest
        with TemporaryDirectory() as folder, Client(self.address) as client:
            wait_until(lambda: len(client.ncores()) == count, f"{count} workers")
            addresses = sorted(client.ncores())
            begun = [f"{folder}/{number}" for number in range(len(odd))]
            for number, address in enumerate(addresses):
                own = begun[number] if number < len(odd) else ""
                does = odd[number] if number < len(odd) else WAITING
                words = WORDS.format(begun=own, everyone=begun)
                client.run(exec, words + does, {}, workers=[address])
            try:
                yield addresses[: len(odd)]
            finally:
                words = WORDS.format(begun="", everyone=[])
                client.run(exec, words + after, {}, workers=addresses[: len(odd)])
                client.run(exec, words + HONEST, {})

    def _is_there(self) -> bool:
        assert self.scheduler.poll() is None, "the scheduler has ended"
        try:
            return "address" in json.loads(self.file.read_text())
        except (OSError, ValueError):
            return False

    def _start(self, module: str, *options: str) -> Child:
        with Path(os.devnull).open("r+b") as nothing:
            process = _server().fork_server.start(
                "tests.arena.clusters:run_dask",
                [f"distributed.cli.{module}"],
                argv=[module, "--no-dashboard", *options],
                streams=[nothing.fileno()] * 3,
                environment=environment(),
                own_group=True,
            )
        self._held.callback(_end, process)
        return process


def _end(process: Child) -> None:
    process.kill()
    process.wait()


@cache
def _server() -> WarmServer:
    server = WarmServer("tests.arena.clusters:serve")
    atexit.register(server.close)
    return server


def serve() -> None:
    """Import Dask, and then be a fork server."""
    for module in NEEDED:
        import_module(module)
    serve_stdin()


def run_dask(_: Sequence[int], module: str) -> None:
    """Run a command of Dask, whose arguments are those of the process."""
    sys.modules[module].main()  # a command of Click


@contextmanager
def dask_cluster(folder: Path, workers: int) -> Iterator[DaskCluster]:
    """A cluster within the block, whose relays are forked from a process that has imported Dask as well."""
    with ExitStack() as held, pytest.MonkeyPatch.context() as patch:
        patch.setattr(relay, "Worker", partial(Worker, needs=[RELAY]))
        cluster = DaskCluster(folder, held)
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
