"""Processes for code that is not ours, and the lines to them: memory is limited, and what they start ends with them."""

import json
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from typing import IO, Any, Final

from isolab.errors import InputError
from isolab.limits import Stop
from isolab.lines import Lines
from isolab.nursery import Child, nursery_for
from isolab.permits import LOADING, check_may_start, check_permitted
from isolab.supervisor import SIGNALLED, can_supervise, descendants, kill
from isolab.system import handle_of, starting_with

MEMORY: Final = "ISOLAB_AGENT_MEMORY"
"""The variable that says how many GiB of memory each process may take."""
USUAL_GIB: Final = 4.0
STOP_S: Final = 0.01
"""How often `stop` is asked while the process thinks."""
ENDING_S: Final = 10.0
"""How long the supervisor may take to end everything, before we do what we can ourselves."""
STDERR: Final = 2

HOST: Final = "isolab.agents.host:main"
GUEST: Final = "isolab.course.guest:main"
PROGRAM: Final = "isolab.supervisor:become"
NEEDS: Final = {
    HOST: (
        *("isolab.agents.host", "isolab.agents.searching", "isolab.heuristics.binding"),
        *("isolab.heuristics.compiling", "isolab.heuristics.loading", "isolab.native.entry"),
        *("isolab.native.ready", "isolab.search.alphabeta", "isolab.search.driver"),
    ),
    GUEST: ("isolab.course.guest",),
}
"""What is imported beforehand for what runs there, where processes are forked."""
# A process of `multiprocessing` would run the program's main module again, which scripts and notebooks cannot bear.
BOOT: Final = (
    "import json, sys; path, *given = json.loads(sys.argv[1]); sys.path[:] = path; "
    "from isolab.supervisor import begin; begin(*given)"
)


class SupervisedProcess:
    """A process of somebody's code under a supervisor of ours.

    Args:
        run: what it does, `module:function`.
        handles: what it is handed, as the first arguments.
        arguments: the others.
        environment: its own, in place of ours.
        folder: the one that it is to be in, in place of ours.
        prints_to: the file for what it prints, which otherwise goes where what we complain of does.
        scratch: a folder to remove when it has ended.

    Raises:
        InputError: this process may not start others.
    """

    def __init__(
        self,
        run: str,
        handles: Sequence[int],
        arguments: Sequence[str] = (),
        *,
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
        prints_to: IO[bytes] | None = None,
        scratch: str | None = None,
    ) -> None:
        check_may_start()
        given = [run, list(arguments), memory_bytes(), scratch]
        # Never written to: its end tells the process that we are gone.
        (stdin, self._alive), prints = os.pipe(), STDERR
        if prints_to is not None:
            prints = prints_to.fileno()
        nursery = nursery_for(environment)
        try:
            if nursery is not None:
                self._process: Child | Popen[bytes] = nursery.start(
                    "isolab.supervisor:begin",
                    given,
                    handles=handles,
                    streams=(stdin, prints, prints),  # it must not mix with what we print
                    environment=environment,
                    folder=folder,
                    needs=NEEDS.get(run, ()),
                    apart=True,  # Ctrl-C is ours to deal with
                    name=run.partition(":")[0].removeprefix("isolab."),
                )
                return
            path = [str(folder) for folder in sys.path]
            self._process = Popen(
                [sys.executable, "-P", "-c", BOOT, json.dumps([path, list(handles), *given])],
                stdin=stdin,
                stdout=prints,
                stderr=prints,
                **starting_with(handles),
                env=environment,
                cwd=folder,
            )
        except BaseException:
            os.close(self._alive)
            raise
        finally:
            os.close(stdin)

    @property
    def number(self) -> int | None:
        """The number of the process itself, below its supervisor; None before it is there, and when it is gone."""
        if not can_supervise():
            return self._process.pid
        return next(iter(descendants(self._process.pid)), None)

    @property
    def ending(self) -> str:
        """How the process ended, or ends just now."""
        status = self._process.wait()
        number = -status if status < 0 else status - SIGNALLED
        if number > 0:
            with suppress(ValueError):
                return signal.Signals(number).name
        return f"exit status {status}"

    def end(self) -> None:
        """End the process with everything that it started."""
        process = self._process
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1
        try:
            process.wait(ENDING_S)
        except TimeoutExpired:  # as when the code has stopped its supervisor
            below = descendants(process.pid)
            process.kill()
            for number in below:
                kill(number)
            process.wait()


class HostProcess(SupervisedProcess):
    """A process that hosts somebody's Python code.

    Attributes:
        line: to it.

    Raises:
        InputError: this process may not start others.
    """

    def __init__(self) -> None:
        self.line, theirs = Pipe()
        with theirs:
            # Whatever is loaded there starts nothing of ours.
            environment = {**os.environ, LOADING: ""}
            super().__init__(HOST, [theirs.fileno()], environment=environment)

    def end(self) -> None:
        """End the process with everything that it started."""
        super().end()
        self.line.close()


class ProgramProcess(SupervisedProcess):
    """A program that is talked to in lines of text. What it says on stderr goes where ours does.

    Args:
        command: the program's path, and its arguments.

    Attributes:
        last: what it said last.

    Raises:
        InputError: this process may not start others, or not that one.
    """

    def __init__(self, command: Sequence[str]) -> None:
        check_permitted(Path(command[0]))
        self.last: str | None = None
        (theirs_in, self._to), (self._from, theirs_out) = os.pipe(), os.pipe()
        self._lines = Lines(self._from)
        try:
            super().__init__(PROGRAM, [handle_of(theirs_in), handle_of(theirs_out)], command)
        except BaseException:
            os.close(self._to)
            os.close(self._from)
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def say(self, line: str) -> None:
        """Say a line.

        Raises:
            EOFError: nobody listens any more.
        """
        try:
            os.write(self._to, f"{line}\n".encode())
        except BrokenPipeError:
            raise EOFError from None

    def hear(self, seconds: float) -> str | None:
        """The next line; None if none comes in that time.

        Raises:
            EOFError: it has ended.
        """
        line = self._lines.hear(seconds)
        self.last = line or self.last
        return line

    def end(self) -> None:
        """End the program with everything that it started."""
        super().end()
        if self._to >= 0:
            os.close(self._to)
            os.close(self._from)
            self._to = self._from = -1


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
