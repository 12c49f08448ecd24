"""A process for somebody's program, and the line to it: nothing that comes back is anything but data."""

import json
import os
import time
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import wait
from tempfile import TemporaryDirectory
from typing import Any, Final

from isolab.agents.host_process import BOOT, STDERR, SupervisedProcess
from isolab.limits import Stop
from isolab.permits import FOLDERS, LOADING
from isolab.text import printable

LONGEST: Final = 1 << 20
"""Bytes of an answer."""
LISTEN_S: Final = 0.02
"""How often `stop` is asked, and the processor's clock looked at, while the process thinks."""
LAST_LINES: Final = 3
LINE_CHARS: Final = 200
TAIL: Final = 4000
CHUNK: Final = 1 << 16
GUEST: Final = BOOT.format(
    run="__import__('isolab.course.guest', fromlist=['main']).main(int(sys.argv[3]), sys.argv[4])"
)


class GuestProcess(SupervisedProcess):
    """A process that is shut in, with a folder of its own to write in, which goes when it does.

    Raises:
        InputError: this process may not start others.
    """

    def __init__(self) -> None:
        self._line, theirs = Pipe()
        self._scratch = TemporaryDirectory(prefix="isolab-guest-", ignore_cleanup_errors=True)
        scratch = self._scratch.name
        with theirs:
            super().__init__(
                GUEST,
                [theirs.fileno()],
                [scratch],
                environment=_environment(scratch),
                folder=scratch,
                prints_to_us=True,
            )
        assert self.printed is not None
        os.set_blocking(self.printed.fileno(), False)
        self._prints = True
        self._tail = b""

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
            self._await(time.monotonic() + most_s, give_up)
            answer = json.loads(self._line.recv_bytes(LONGEST))
        except (OSError, ValueError, RecursionError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise EOFError from None
        finally:
            self._hear_prints()
        if not isinstance(answer, dict):
            raise EOFError
        return answer

    def _await(self, ends: float, give_up: Stop | None) -> None:
        """Wait for an answer, and hear meanwhile what is printed."""
        while True:
            left = ends - time.monotonic()
            lines: list[Any] = [self._line, self.printed] if self._prints else [self._line]
            ready = wait(lines, max(0.0, left if give_up is None else min(left, LISTEN_S)))
            if self._line in ready:
                return
            self._hear_prints()
            if left <= 0 or (give_up is not None and give_up()):
                raise TimeoutError

    def _hear_prints(self) -> None:
        """Pass on what it has printed, to where what agents print goes, and keep the end of it."""
        assert self.printed is not None
        while self._prints:
            try:
                text = os.read(self.printed.fileno(), CHUNK)
            except (OSError, ValueError):  # nothing more for now
                return
            self._prints = bool(text)
            self._tail = (self._tail + text)[-TAIL:]
            with suppress(OSError):
                os.write(STDERR, text)
            if len(text) < CHUNK:
                return

    @property
    def last_words(self) -> str:
        """The last lines that it printed, as one line; empty if it printed nothing."""
        lines = self._tail.decode(errors="replace").splitlines()
        said = [printable(line.strip())[:LINE_CHARS] for line in lines if line.strip()]
        return " / ".join(said[-LAST_LINES:])

    def end(self) -> None:
        """End the process with everything that it started, and remove its folder."""
        super().end()
        self._line.close()
        if self.printed is not None:
            self._prints = False
            self.printed.close()
        self._scratch.cleanup()


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
