"""A process for somebody's program, and the line to it: nothing that comes back is anything but data."""

import json
import os
import sys
import tempfile
import threading
import time
from collections import deque
from contextlib import suppress
from multiprocessing import Pipe
from subprocess import PIPE, STDOUT, Popen
from typing import Any, Final

from isolab.agents.host_process import end_supervised, ending_of, memory_bytes
from isolab.limits import Stop
from isolab.permits import FOLDERS, LOADING, check_may_start
from isolab.supervisor import descendants
from isolab.text import printable

LONGEST: Final = 1 << 20
"""Bytes of an answer."""
LISTEN_S: Final = 0.02
"""How often `stop` is asked, and the processor's clock looked at, while the process thinks."""
LAST_LINES: Final = 3
LINE_CHARS: Final = 200
BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from isolab.supervisor import supervise; "
    "run = lambda: __import__('isolab.course.guest', fromlist=['main']).main(int(sys.argv[1]), sys.argv[4]); "
    "supervise(run, int(sys.argv[3]))"
)


class GuestProcess:
    """A process that is shut in, with a folder of its own to write in, which goes when it does.

    Raises:
        InputError: this process may not start others.
    """

    def __init__(self) -> None:
        check_may_start()
        most_bytes = memory_bytes()
        self._line, theirs = Pipe()
        self._scratch = tempfile.TemporaryDirectory(
            prefix="isolab-guest-", ignore_cleanup_errors=True
        )
        path = json.dumps([str(folder) for folder in sys.path])
        numbers = (str(theirs.fileno()), path, str(most_bytes), self._scratch.name)
        with theirs:
            self._process = Popen(
                [sys.executable, "-P", "-c", BOOT, *numbers],
                stdin=PIPE,  # never written to: it tells the supervisor that we are gone
                stdout=PIPE,
                stderr=STDOUT,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                cwd=self._scratch.name,
                env=_environment(self._scratch.name),
            )
        self._number: int | None = None
        self._said = deque[str](maxlen=LAST_LINES)
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def number(self) -> int | None:
        """The number of the process itself, below its supervisor; None before it is there, and when it is gone."""
        if self._number is None:
            self._number = next(iter(descendants(self._process.pid)), None)
        return self._number

    def ask(
        self, request: dict[str, Any], most_s: float, give_up: Stop | None = None
    ) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            TimeoutError: there is none in time, or `give_up` says that none is waited for.
            EOFError: the process ended, or sent what is no answer.
        """
        try:
            self._line.send_bytes(json.dumps(request).encode())
            ends = time.monotonic() + most_s
            while not self._line.poll(LISTEN_S if give_up is not None else most_s):
                if time.monotonic() >= ends or (give_up is not None and give_up()):
                    raise TimeoutError
            answer = json.loads(self._line.recv_bytes(LONGEST))
        except (OSError, ValueError, RecursionError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise EOFError from None
        if not isinstance(answer, dict):
            raise EOFError
        return answer

    @property
    def ending(self) -> str:
        """How the process ended."""
        return ending_of(self._process)

    @property
    def last_words(self) -> str:
        """The last lines that it printed, as one line; empty if it printed nothing."""
        return " / ".join(printable(line)[:LINE_CHARS] for line in [*self._said])

    def end(self) -> None:
        """End the process with everything that it started, and remove its folder."""
        end_supervised(self._process)
        self._line.close()
        self._scratch.cleanup()

    def _listen(self) -> None:
        """Pass on what it prints, to where what agents print goes, and keep the last lines."""
        assert self._process.stdout is not None
        with suppress(OSError, ValueError), self._process.stdout as lines:
            while line := lines.readline(LINE_CHARS * 4):
                self._said.append(line.decode(errors="replace").strip())
                os.write(2, line)


def _environment(scratch: str) -> dict[str, str]:
    """What a process that is shut in needs of the environment, and nothing else of ours."""
    kept = {name: os.environ[name] for name in (FOLDERS, "LD_LIBRARY_PATH") if name in os.environ}
    one_thread = dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
    )
    return {
        **kept,
        **one_thread,
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
        "PYTHONHASHSEED": "0",  # the order of a set is then the same in every run
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        LOADING: "",  # whatever is loaded there starts nothing of ours
    }
