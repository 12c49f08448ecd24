"""Runs in processes of their own, to be killed."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event

from isolab.arena.record import FILE_NAME, Record
from tests.command import PATIENCE_S, started_isolab
from tests.command_server import Started


def wait_until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE_S) -> float:
    """Wait until something is so, and return how long that took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        Event().wait(0.01)
    return time.monotonic() - began


def family(process: int) -> set[int]:
    """The processes of a command's session but the command itself: all that it has started, and was forked from."""
    session, found = os.getsid(process), set[int]()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it is gone
            if int((folder / "stat").read_text().rpartition(")")[2].split()[3]) == session:
                found.add(int(folder.name))
    return found - {process}


def is_alive(process: int) -> bool:
    """Whether a process is there, and not just its exit status."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def name_of(process: int) -> str:
    """What the system calls a process."""
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def workers_of(process: int) -> list[int]:
    """The processes that play for a run."""
    return [other for other in family(process) if name_of(other) == "isolab-worker"]


@contextmanager
def running(*arguments: str, anew: bool = False) -> Iterator[Started]:
    """The command in a process group of its own, as a terminal would start it; killed at the end if it goes on.

    With `anew` it imports everything itself.
    """
    with started_isolab(*arguments, anew=anew) as process:
        yield process
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


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
