"""A process for somebody's program, and the line to it: nothing that comes back is anything but data."""

import json
import os
import time
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from isolab.agents.host_process import GUEST, STDERR, SupervisedProcess
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
MOST_PRINTED: Final = 1 << 24
"""Bytes that are kept on the disk of what it prints."""


class GuestProcess(SupervisedProcess):
    """A process that is shut in, with a folder of its own to write in, which goes when it does.

    Raises:
        InputError: this process may not start others.
    """

    def __init__(self) -> None:
        self._line, theirs = Pipe()
        self._folder = TemporaryDirectory(prefix="isolab-guest-", ignore_cleanup_errors=True)
        scratch, printed = Path(self._folder.name, "scratch"), Path(self._folder.name, "printed")
        scratch.mkdir()
        self._tail = b""
        # In a file: before an answer comes, all that was printed is there.
        with theirs, printed.open("ab") as prints:
            super().__init__(
                GUEST,
                [theirs.fileno()],
                [str(scratch)],
                environment=_environment(str(scratch)),
                folder=str(scratch),
                prints_to=prints,
                scratch=self._folder.name,
            )
        self._prints = printed.open("r+b", buffering=0)

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
            self._pass_on_prints()
        if not isinstance(answer, dict):
            raise EOFError
        return answer

    def _await(self, ends: float, give_up: Stop | None) -> None:
        """Wait for an answer, and pass on meanwhile what is printed."""
        while True:
            left = ends - time.monotonic()
            if self._line.poll(max(0.0, left if give_up is None else min(left, LISTEN_S))):
                return
            self._pass_on_prints()
            if left <= 0 or (give_up is not None and give_up()):
                raise TimeoutError

    def _pass_on_prints(self) -> None:
        """Show what it has printed where what agents print goes, and keep the end of it."""
        while text := self._prints.read(CHUNK):
            self._tail = (self._tail + text)[-TAIL:]
            with suppress(OSError):
                os.write(STDERR, text)
        if self._prints.tell() > MOST_PRINTED:
            self._prints.seek(0)
            self._prints.truncate()  # it writes at the end, wherever that is

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
        self._prints.close()
        self._folder.cleanup()


def _environment(scratch: str) -> dict[str, str]:
    """What a process that is shut in needs of the environment, and nothing else of ours."""
    needed = (FOLDERS, "LD_LIBRARY_PATH", "SYSTEMROOT")  # Windows has no sockets without the last
    kept = {name: os.environ[name] for name in needed if name in os.environ}
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
