"""Runs in processes of their own, which tests kill."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event

from isolarium.arena.run_db import FILE_NAME, Record
from tests.command import PATIENCE_S, started_isolarium
from tests.command_server import Started


def wait_until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE_S) -> float:
    """Wait until something is so, and return how long that took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        Event().wait(0.01)
    return time.monotonic() - began


def processes() -> dict[int, tuple[int, int]]:
    """All processes of the machine, each with its parent and its session."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it is gone
            _, parent, _, session, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
            found[int(folder.name)] = int(parent), int(session)
    return found


def family(process: int) -> set[int]:
    """The processes of a command's session, and what they have started, but the command itself."""
    try:
        ours = os.getsid(process)
    except ProcessLookupError:  # It has ended.
        return set()
    session = {other for other, (_, of) in processes().items() if of == ours}
    return (session | _started_by(session)) - {process}


def descendants(process: int) -> set[int]:
    """The processes that a process has started, and those that they have."""
    return _started_by({process}) - {process}


def _started_by(found: set[int]) -> set[int]:
    parents = {other: parent for other, (parent, _) in processes().items()}
    while more := {other for other, parent in parents.items() if parent in found} - found:
        found = found | more
    return found


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


def workers_of(command: int) -> list[int]:
    """Return the worker processes of a command that has a session of its own."""
    return [other for other in family(command) if name_of(other) == "isolarium-work"]


def own_workers() -> list[int]:
    """The processes that play for a run of this process; those of a server that it started have another session."""
    session, there = os.getsid(0), processes()
    found = [other for other in descendants(os.getpid()) if there.get(other, (0, 0))[1] == session]
    return [other for other in found if name_of(other) == "isolarium-work"]


def kill(process: int) -> None:
    """Kill a process of ours, unless it is gone by now."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


@contextmanager
def running(*arguments: str, new_interpreter: bool = False) -> Iterator[Started]:
    """Run the command in a process group of its own, as a terminal would, and kill it at the end if it still runs.

    With `new_interpreter` it starts without a fork server, and imports everything itself.
    """
    with started_isolarium(*arguments, new_interpreter=new_interpreter) as process:
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
