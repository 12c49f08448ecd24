"""Processes for third-party code, with limited memory.

All processes that they start end with them.
"""

import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from typing import IO, Final

from isolarium.compat import LineReader, Pausable, handle_of, starting_with
from isolarium.errors import InputError
from isolarium.processes.code_loader import check_may_start, check_permitted
from isolarium.processes.forkserver import Child, fork_server_for
from isolarium.processes.supervisor import SIGNALLED, can_supervise, descendants, kill
from isolarium.removal import remove_tree

MEMORY: Final = "ISOLARIUM_AGENT_MEMORY"
"""The environment variable for the memory limit of each process, in GiB."""
USUAL_GIB: Final = 4.0
STOP_S: Final = 0.01
"""The interval, in seconds, at which `stop` is called while a program thinks."""
ENDING_S: Final = 10.0
"""The time limit, in seconds, for the supervisor to end all processes.

After that, this process kills them itself."""
STDERR: Final = 2

HEURISTIC_SERVER: Final = "isolarium.agents.subprocess_agent_main:main"
AGENT_SERVER: Final = "isolarium.agents.file_agent:main"
COURSE_SERVER: Final = "isolarium.course.server:main"
PROGRAM: Final = "isolarium.processes.supervisor:become"
NEEDS: Final = {
    HEURISTIC_SERVER: (
        *(
            "isolarium.agents.subprocess_agent_main",
            "isolarium.agents.search_agent",
            "isolarium.heuristics.bound_heuristic",
        ),
        *("isolarium.heuristics.compiler", "isolarium.heuristics.lookup", "isolarium.native.entry_points"),
        *("isolarium.native.jit:initialise_compiler", "isolarium.search.alphabeta", "isolarium.search.driver"),
    ),
    AGENT_SERVER: (
        "isolarium.agents.file_agent",
        # A file may use our heuristics and `isolarium.policy`, whose imports need the executable
        # memory that the sandbox refuses.
        *("isolarium.api.runs", "isolarium.heuristics.bound_heuristic"),
    ),
    COURSE_SERVER: ("isolarium.course.server",),
}
"""The modules that the fork server imports for each function."""
# `multiprocessing` would run the program's main module again, which many scripts and notebooks do
# not survive.
BOOT: Final = (
    "import json, sys; path, *given = json.loads(sys.argv[1]); sys.path[:] = path; "
    "from isolarium.processes.supervisor import begin; begin(*given)"
)


class SupervisedProcess:
    """A process with third-party code, under a supervisor.

    Args:
        run: The function to run, as `module:function`.
        handles: Descriptors to pass to the process, as the function's first arguments.
        arguments: The function's other arguments.
        environment: The process's environment, by default the caller's.
        folder: The process's working directory, by default ours.
        prints_to: The file for the process's output, by default the caller's stderr.
        scratch: A folder to remove when the process has ended.
        measured: Folders that the process may write to; it is killed when they grow too large.

    Raises:
        InputError: If this process may not start others.
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
        measured: Sequence[str] = (),
    ) -> None:
        check_may_start()
        self._number: int | None = None
        self._pausable: Pausable | None = None
        self._is_stopped = False
        given = [run, list(arguments), memory_bytes(), scratch, list(measured)]
        # Nothing is written to this pipe. Its closing shows the process that we have exited.
        (stdin, self._alive), prints = os.pipe(), STDERR
        if prints_to is not None:
            prints = prints_to.fileno()
        fork_server = fork_server_for(environment)
        try:
            if fork_server is not None:
                self._process: Child | Popen[bytes] = fork_server.start(
                    "isolarium.processes.supervisor:begin",
                    given,
                    handles=handles,
                    streams=(stdin, prints, prints),  # Keep its output apart from ours.
                    environment=environment,
                    folder=folder,
                    needs=NEEDS.get(run, ()),
                    own_group=True,  # We handle Ctrl-C ourselves.
                    name=run.partition(":")[0].removeprefix("isolarium."),
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
        """The process id, not the supervisor's; None before the process has started."""
        if self._number is None:
            if can_supervise():
                self._number = next(iter(descendants(self._process.pid)), None)
            else:
                self._number = self._process.pid
        return self._number

    def pause(self) -> None:
        """Suspend the process and its group until the next call."""
        if self._pausable is None and self.number is not None:
            with suppress(ProcessLookupError):  # The process has just ended.
                self._pausable = Pausable(self.number)
        if self._pausable is not None:
            self._pausable.stop()
            self._is_stopped = True

    def _resume(self) -> None:
        if self._pausable is not None and self._is_stopped:
            self._is_stopped = False
            self._pausable.resume()

    @property
    def ending(self) -> str:
        """A description of how the process ended; waits for the end."""
        status = self._process.wait()
        number = -status if status < 0 else status - SIGNALLED
        if number > 0:
            with suppress(ValueError):
                return signal.Signals(number).name
        return f"exit status {status}"

    def end(self) -> None:
        """Terminate the process and everything that it started."""
        process = self._process
        if self._pausable is not None:
            self._pausable.close()
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1
        try:
            process.wait(ENDING_S)
        except TimeoutExpired:  # For example, the code stopped its supervisor.
            below = descendants(process.pid)
            process.kill()
            for number in below:
                kill(number)
            process.wait()


class ProgramProcess(SupervisedProcess):
    """A program that reads and writes lines of text, and shares our stderr.

    Args:
        command: The program's path, and its arguments.
        scratch: A folder to remove when the program has ended.

    Attributes:
        last: The last line that the program wrote.
        scratch: The folder to remove.

    Raises:
        InputError: If this process may not start other processes, or this program.
    """

    def __init__(self, command: Sequence[str], scratch: Path) -> None:
        check_permitted(Path(command[0]))
        self.scratch = scratch
        self.last: str | None = None
        (theirs_in, self._to), (self._from, theirs_out) = os.pipe(), os.pipe()
        self._lines = LineReader(self._from)
        try:
            handles = [handle_of(theirs_in), handle_of(theirs_out)]
            super().__init__(PROGRAM, handles, command, scratch=str(scratch))
        except BaseException:
            os.close(self._to)
            os.close(self._from)
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def write(self, line: str) -> None:
        """Write a line to the program.

        Raises:
            EOFError: If the program has closed its input.
        """
        try:
            os.write(self._to, f"{line}\n".encode())
        except BrokenPipeError:
            raise EOFError from None
        self._resume()

    def read(self, seconds: float) -> str | None:
        """Return the next line, or None after the timeout.

        Raises:
            EOFError: If the program has ended.
        """
        line = self._lines.read(seconds)
        self.last = line or self.last
        return line

    def end(self) -> None:
        """Terminate the program and everything that it started."""
        super().end()
        if self._to >= 0:
            os.close(self._to)
            os.close(self._from)
            self._to = self._from = -1
        remove_tree(self.scratch)


def memory_bytes() -> int:
    """Return the memory limit of each process with third-party code, in bytes.

    Raises:
        InputError: If the environment variable is not a number in range.
    """
    text = os.environ.get(MEMORY)
    try:
        gib = USUAL_GIB if text is None else float(text)
        if not 0.25 <= gib <= 2**20:
            raise ValueError
    except ValueError:
        raise InputError(f"{MEMORY}={text}: expected a number of GiB, at least 0.25, such as 4") from None
    return int(gib * 2**30)
