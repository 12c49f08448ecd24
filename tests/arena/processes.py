"""Runs in processes of their own, to be killed."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event

from isolab.arena.record import FILE_NAME, Record
from tests.command import COMMAND, PATIENCE_S, environment


def wait_until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE_S) -> float:
    """Wait until something is so, and return how long that took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        Event().wait(0.01)
    return time.monotonic() - began


def descendants(process: int) -> set[int]:
    """The processes that a process has started, and those that these have."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text()
        except OSError:  # it is gone
            continue
        parent = int(status.rpartition(")")[2].split()[1])
        children.setdefault(parent, []).append(int(folder.name))
    found, left = set[int](), [process]
    while left:
        started = children.get(left.pop(), [])
        found.update(started)
        left += started
    return found


def is_alive(process: int) -> bool:
    """Whether a process is there, and not just its exit status."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def name_of(process: int) -> str:
    """The command line of a process."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def workers_of(process: int) -> list[int]:
    """The processes that play for a run."""
    return [child for child in descendants(process) if "spawn_main" in name_of(child)]


@contextmanager
def running(*arguments: str) -> "Iterator[subprocess.Popen[str]]":
    """The command in a process group of its own, as a terminal would start it; killed at the end if it goes on."""
    process = subprocess.Popen(
        [COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        process_group=0,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def the_run(runs: Path) -> Path | None:
    """The folder of the only run there is, if it is there yet."""
    found = list(runs.glob(f"*/{FILE_NAME}"))
    return found[0].parent if found else None


def games_in(runs: Path) -> int:
    """How many games the only run has."""
    folder = the_run(runs)
    if folder is None:
        return 0
    with closing(Record(folder)) as record:
        return record.count()
