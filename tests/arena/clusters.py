"""Real schedulers and workers of Dask, in processes of their own over TCP, to be killed."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.arena.processes import wait_until
from tests.command import environment

Process = subprocess.Popen[bytes]


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
        self._folder, self._held = folder, held
        self.file = folder / "scheduler.json"
        options = ("--port", "0", "--host", "127.0.0.1", "--scheduler-file", str(self.file))
        self.scheduler = self._start("dask_scheduler", *options)
        wait_until(self._is_there, "a scheduler")
        self.address = str(json.loads(self.file.read_text())["address"])
        self.workers: list[Process] = []

    def add_worker(self, preload: str = "") -> Process:
        """Start a worker, that runs some Python text before anything else."""
        name = f"worker-{len(self.workers)}"
        options = ["--nthreads", "1", "--no-nanny", "--name", name, "--death-timeout", "60"]
        if preload:
            file = self._folder / f"{name}.py"
            file.write_text(preload, encoding="utf-8")
            options += ["--preload", str(file)]
        options += ["--local-directory", str(self._folder)]
        self.workers.append(self._start("dask_worker", self.address, *options))
        return self.workers[-1]

    def _is_there(self) -> bool:
        assert self.scheduler.poll() is None, "the scheduler has ended"
        try:
            return "address" in json.loads(self.file.read_text())
        except (OSError, ValueError):
            return False

    def _start(self, module: str, *options: str) -> Process:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *options]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
        )
        self._held.callback(_end, process)
        return process


def _end(process: Process) -> None:
    process.kill()
    process.wait()


@contextmanager
def dask_cluster(folder: Path, workers: int = 0) -> Iterator[DaskCluster]:
    """A cluster within the block."""
    with ExitStack() as held:
        cluster = DaskCluster(folder, held)
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
