"""A process for code that is not ours, and the line to it: its memory is limited, and what it starts ends with it."""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from subprocess import PIPE, Popen, TimeoutExpired
from typing import Any, Final

from isolab.errors import InputError
from isolab.limits import Stop
from isolab.permits import LOADING, check_may_start
from isolab.supervisor import SIGNALLED, descendants

MEMORY: Final = "ISOLAB_AGENT_MEMORY"
"""The variable that says how many GiB of memory each process may take."""
USUAL_GIB: Final = 4.0
STOP_S: Final = 0.01
"""How often `stop` is asked while the process thinks."""
ENDING_S: Final = 10.0
"""How long the supervisor may take to end everything, before we do what we can ourselves."""
STDERR: Final = 2

# A process of `multiprocessing` would run the program's main module again, which scripts and notebooks cannot bear.
BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from isolab.supervisor import supervise; "
    "run = lambda: __import__('isolab.agents.host', fromlist=['main']).main(int(sys.argv[1])); "
    "supervise(run, int(sys.argv[3]))"
)


class HostProcess:
    """A process that hosts somebody's code.

    Attributes:
        line: to it.

    Raises:
        InputError: this process may not start others.
    """

    def __init__(self) -> None:
        check_may_start()
        most_bytes = memory_bytes()
        self.line, theirs = Pipe()
        path = json.dumps([str(folder) for folder in sys.path])
        with theirs:
            self._process = Popen(
                [sys.executable, "-P", "-c", BOOT, str(theirs.fileno()), path, str(most_bytes)],
                stdin=PIPE,  # never written to: it tells the process that we are gone
                stdout=STDERR,  # what foreign code prints must not mix with what we do
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C is ours to deal with
                env={**os.environ, LOADING: ""},  # whatever is loaded there starts nothing of ours
            )

    @property
    def ending(self) -> str:
        """How the process ended."""
        return ending_of(self._process)

    def end(self) -> None:
        """End the process with everything that it started."""
        end_supervised(self._process)
        self.line.close()


def ending_of(process: Popen[bytes]) -> str:
    """How a supervised process ended, or ends just now."""
    status = process.wait()
    number = -status if status < 0 else status - SIGNALLED
    if number > 0:
        with suppress(ValueError):
            return signal.Signals(number).name
    return f"exit status {status}"


def end_supervised(process: Popen[bytes]) -> None:
    """End a supervised process with everything that it started."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    try:
        process.wait(ENDING_S)
    except TimeoutExpired:  # as when the code has stopped its supervisor
        for number in (process.pid, *descendants(process.pid)):
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)
        process.wait()


def memory_bytes() -> int:
    """How much memory each process of somebody's code may take.

    Raises:
        InputError: the variable for it is no such number.
    """
    text = os.environ.get(MEMORY)
    try:
        gib = USUAL_GIB if text is None else float(text)
        if not 0.25 <= gib <= 2**20:
            raise ValueError
    except ValueError:
        raise InputError(f"{MEMORY}={text}: expected GiB, from 0.25 on, such as 4") from None
    return int(gib * 2**30)


def wait_for_answer(
    line: Connection, patience_s: float, stop: Stop | None, grace_s: float
) -> tuple[str, Any]:
    """Wait for the answer, for as long as there are signs of life; once `stop` said so, `grace_s` without is enough.

    Raises:
        TimeoutError: there were none.
        EOFError: the process ended.
    """
    heard, stopped = time.monotonic(), False
    while True:
        if line.poll(STOP_S if stop is not None else patience_s):
            kind, answer = line.recv()
            if kind != "alive":
                return kind, answer
            heard = time.monotonic()
        elif time.monotonic() - heard > patience_s:
            raise TimeoutError
        # Asked even after it has said so: it may keep an eye on the process.
        if stop is not None and stop() and not stopped:
            line.send(None)
            heard, stopped, patience_s = time.monotonic(), True, min(patience_s, grace_s)
