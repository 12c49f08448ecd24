"""A process for third-party Python code, which confines itself before it loads any, and the pipe to it.

Messages either way are JSON objects: what comes back is made by somebody's code, and is never anything but data. The
first message is the process's own report of what its sandbox holds, sent before it has read any of that code. Between
two requests the process is stopped, so that no thread of it works on another's time.
"""

import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from isolarium.limits import Stop
from isolarium.processes.json_channel import AnswerLine, BadAnswer
from isolarium.processes.permissions import FOLDERS, LOADING
from isolarium.processes.sandbox import JIT, Protection, personal_folders
from isolarium.processes.supervised_process import STDERR, SupervisedProcess
from isolarium.processes.supervisor import TOO_MUCH_DISK
from isolarium.processes.worker import ONE_THREAD
from isolarium.removal import remove_tree
from isolarium.text import printable

LISTEN_S: Final = 0.02
"""How often `stop` is asked, and the processor's clock looked at, while the process thinks."""
LAST_LINES: Final = 3
LINE_CHARS: Final = 200
TAIL: Final = 4000
CHUNK: Final = 1 << 16
MOST_PASSED_ON: Final = 1 << 18
"""Bytes that are passed on of what it prints while it works on a request."""
MOST_PRINTED: Final = 1 << 24
"""Bytes that are kept on the disk of what it prints."""
CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a terminal would take for commands; line feeds and tabs are left."""
PREFIX: Final = "isolarium-sandbox-"
PROBE: Final = "isolarium.processes.sandbox.probe:main"
PROBING_S: Final = 60.0
_protection: Final = TypeAdapter(Protection)


class SandboxedProcess(SupervisedProcess):
    """A sandboxed process with a folder of its own to write in, which is removed with it.

    Args:
        run: what it does, `module:function`; called with its end of the pipe, the folder that it may write in, and the
            user's personal folders as JSON.
        variables: what its environment has beside what every such process needs.
        folder: the one that it is in, in place of its own.
        measured: folders that it may write to beside its own.

    Attributes:
        protection: what its sandbox holds; known from the first answer on.

    Raises:
        InputError: If this process may not start others.
    """

    def __init__(
        self,
        run: str,
        variables: Mapping[str, str],
        *,
        folder: str | None = None,
        measured: Sequence[str] = (),
    ) -> None:
        self.protection: Protection | None = None
        ours, theirs = Pipe()
        self._line = AnswerLine(ours)
        self._folder = Path(mkdtemp(prefix=PREFIX))
        scratch, printed = self._folder / "scratch", self._folder / "printed"
        scratch.mkdir()
        self._tail, self._passed_on = b"", 0
        try:
            # In a file: before an answer comes, all that was printed is there.
            with theirs, printed.open("ab") as prints:
                super().__init__(
                    run,
                    [theirs.fileno()],
                    [str(scratch), json.dumps([str(path) for path in personal_folders()])],
                    environment={**_environment(str(scratch)), **variables},
                    folder=folder or str(scratch),
                    prints_to=prints,
                    scratch=str(self._folder),
                    measured=[str(scratch), *measured],
                )
            self._prints = printed.open("r+b", buffering=0)
        except BaseException:
            self._line.close()
            remove_tree(self._folder)
            raise

    def ask(
        self, request: dict[str, Any], most_s: float, give_up: Stop | None = None
    ) -> dict[str, Any]:
        """Return the answer to a request; the process is stopped once it has come.

        Raises:
            TimeoutError: If there is none in time, or `give_up` says that none is waited for.
            EOFError: If the process has ended.
            BadAnswer: If it sent something else than an answer.
        """
        self.send(request)
        ends = time.monotonic() + most_s
        while True:
            left = ends - time.monotonic()
            answer = self.receive(left if give_up is None else min(left, LISTEN_S))
            if answer is not None:
                self.pause()
                return answer
            if left <= 0 or (give_up is not None and give_up()):
                raise TimeoutError

    def send(self, request: Mapping[str, Any], *, interrupts: bool = False) -> None:
        """Send a request, and let the process work on it.

        Args:
            request: what JSON can hold.
            interrupts: whether the process may be sending something meanwhile: it is at work on another request.

        Raises:
            EOFError: If the process has ended.
            BadAnswer: If it has sent something that was not asked for.
        """
        if not interrupts:
            self._line.check_silent()
        self._passed_on = 0
        self._resume()
        self._line.send(json.dumps(request).encode())

    def receive(self, seconds: float) -> dict[str, Any] | None:
        """Return the next message, or None if none comes in that time; pass on what was printed meanwhile.

        Raises:
            EOFError: If the process has ended.
            BadAnswer: If it sent something else than a message.
        """
        try:
            if not self._line.poll(max(0.0, seconds)):
                return None
            message = self._line.receive()
            if self.protection is None and message.keys() == {"sandbox"}:
                self.protection = _protection.validate_json(json.dumps(message["sandbox"]))
                return self.receive(seconds)
        except ValidationError:
            raise BadAnswer("sent a report of its sandbox that is not one") from None
        finally:
            self._pass_on_prints()
        return message

    def _pass_on_prints(self) -> None:
        """Show what it has printed where what agents print goes, and keep the end of it."""
        while text := self._prints.read(CHUNK):
            self._tail = (self._tail + text)[-TAIL:]
            self._passed_on += len(text)
            if self._passed_on > MOST_PASSED_ON:
                continue
            with suppress(OSError):
                os.write(STDERR, CONTROL.sub("", text.decode(errors="replace")).encode())
        if self._prints.tell() > MOST_PRINTED:
            self._prints.seek(0)
            self._prints.truncate()  # it writes at the end, wherever that is

    @property
    def ending(self) -> str:
        """How the process ended, or is ending."""
        if self._process.wait() == TOO_MUCH_DISK:
            return "too many files, or too large"
        return super().ending

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
        remove_tree(self._folder)


def protection_here() -> Protection:
    """Return what a sandbox holds on this machine, from a process that has just been confined.

    Raises:
        InputError: If this process may not start others.
        OSError: If the process does not answer.
    """
    process = SandboxedProcess(PROBE, ONE_THREAD)
    try:
        process.ask({}, PROBING_S)
    except (EOFError, BadAnswer):
        raise OSError(f"the sandbox could not be tried out: {process.ending}") from None
    finally:
        process.end()
    return process.protection or Protection()


def _environment(scratch: str) -> dict[str, str]:
    """Return what a sandboxed process needs of the environment, and nothing else of ours."""
    needed = (
        FOLDERS,
        JIT,
        "LD_LIBRARY_PATH",
        "SYSTEMROOT",
    )  # Windows has no sockets without the last
    kept = {name: os.environ[name] for name in needed if name in os.environ}
    return {
        **kept,
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
        LOADING: "",  # whatever is loaded there starts nothing of ours
    }
