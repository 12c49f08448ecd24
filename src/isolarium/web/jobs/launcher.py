"""The commands that the server runs, and the launcher of runs."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from isolarium.compat import INTERRUPT, KILLED, kill, starting_apart, usable_cores
from isolarium.processes.code_loader import NOTHING, Permit
from isolarium.processes.forkserver import Child, ChildServer, ForkServer, fork_server_for
from isolarium.web.http_errors import HttpError, command_error_text

MOST: Final = 2
"""The maximum number of simultaneous runs."""
STOP_S: Final = 0.5
"""The time that a run may take to stop when the server exits.

The run's database stays intact in any case."""
NEEDS: Final = ("isolarium.cli.commands.runs", "isolarium.cli.run_output", "isolarium.native.warmup")
ENDINGS: Final = (0, 130, -signal.SIGINT, KILLED)
"""The exit statuses of a process that finished or was stopped."""

PIECE_BYTES: Final = 4096


class Command:
    """A running command, in its own session so that Ctrl-C reaches only the server."""

    def __init__(self, process: Child | Process, errors: asyncio.StreamReader) -> None:
        self._process, self._errors = process, errors

    async def read(self) -> bytes:
        """Return the next part of stderr; empty at its end."""
        return await self._errors.read(PIECE_BYTES)

    async def wait(self) -> int:
        """Return the exit status; read all of stderr first."""
        if isinstance(self._process, Child):
            return await asyncio.to_thread(self._process.wait)
        return await self._process.wait()

    def send_signal(self, number: int) -> None:
        """Send a signal to the command if it is running."""
        with suppress(ProcessLookupError):
            self._process.send_signal(number)

    def kill(self) -> None:
        """Kill the command and its child processes if it is running."""
        with suppress(OSError):
            kill(self._process.pid)


async def start_command(arguments: Sequence[str], environment: Mapping[str, str], needs: Sequence[str]) -> Command:
    """Start a command; `needs` are the modules that it imports."""
    fork_server = fork_server_for(environment)
    if fork_server is not None:
        return await _forked(fork_server, arguments, environment, needs)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "isolarium", *arguments),
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=PIPE,
        env=environment,
        **starting_apart(),
    )
    assert process.stderr is not None
    return Command(process, process.stderr)


async def _forked(
    fork_server: ForkServer, arguments: Sequence[str], environment: Mapping[str, str], needs: Sequence[str]
) -> Command:
    ours, theirs = os.pipe()
    try:
        with Path(os.devnull).open("r+b") as nothing:
            process = fork_server.start(
                "isolarium.cli.app:forked_main",
                streams=(nothing.fileno(), nothing.fileno(), theirs),
                environment=environment,
                needs=needs,
                child_server=ChildServer.OWN,
                own_group=True,
                argv=["isolarium", *arguments],
            )
    except OSError:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    errors = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(errors), os.fdopen(ours, "rb")
    )
    return Command(process, errors)


class Launcher:
    """The runs that this server plays, by folder name.

    Args:
        runs: The folder of the runs.
        permit: The files that may be loaded for runs.
        on_end: Called with a run's name when its process exits, unless the server is stopping.
    """

    def __init__(self, runs: Path, permit: Permit = NOTHING, on_end: Callable[[str], None] | None = None) -> None:
        self._permit = permit
        self._on_end = on_end
        self._problems: dict[str, str] = {}
        self._runs = runs
        self._is_ending = False
        self._places = 0
        self._one_at_a_time = asyncio.Lock()
        self._playing: dict[str, tuple[Command, asyncio.Task[None]]] = {}

    def plays(self, name: str) -> bool:
        """Return whether this server is playing a run or the study that contains it."""
        return _folder(name) in self._playing

    def problem(self, name: str) -> str:
        """Return a run's last error on this server; empty if there was none."""
        return self._problems.get(_folder(name), "")

    def check_room(self) -> None:
        """Check that another run can be played.

        Raises:
            HttpError: If the limit is reached.
        """
        if self._is_ending:
            raise HttpError(409, "the server is stopping; restart it first")
        if len(self._playing) + self._places >= MOST:
            raise HttpError(409, f"{MOST} runs are being played; wait for one of them to end")

    @contextmanager
    def place(self) -> Iterator[None]:
        """Reserve a place for a run that is created and started within the block.

        Raises:
            HttpError: If there is no free place.
        """
        self.check_room()
        self._places += 1
        try:
            yield
        finally:
            self._places -= 1

    async def play(self, name: str, *, has_place: bool = False) -> None:
        """Play the remaining games of a run or a study.

        Raises:
            HttpError: If the limit is reached, or the run is being played already.
        """
        async with self._one_at_a_time:
            if not has_place:
                self.check_room()
            if self.plays(name):
                raise HttpError(409, f"{name}: already being played")
            process = await self._start(_folder(name))
            self._problems.pop(_folder(name), None)
            watcher = asyncio.create_task(self._watch(_folder(name), process))
            self._playing[_folder(name)] = process, watcher

    async def _start(self, name: str) -> Command:
        workers = max(1, len(usable_cores()) - 1)  # Leave one core for visitors.
        folder = str(self._runs / name)  # As a path, because `last` has another meaning
        arguments = ("resume", folder, "--no-accuracy", "--workers", str(workers), "--json")
        return await start_command(arguments, self._permit.environment(), NEEDS)

    def stop(self, name: str) -> None:
        """Stop a run; its progress is saved.

        Raises:
            HttpError: If this server is not playing the run.
        """
        if not self.plays(name):
            raise HttpError(409, f"{name}: not played by this server")
        self._playing[_folder(name)][0].send_signal(INTERRUPT)

    def interrupt(self) -> None:
        """Stop all runs and refuse new ones; further calls have no effect."""
        if self._is_ending:
            return
        self._is_ending = True
        for process, _ in self._playing.values():
            process.send_signal(INTERRUPT)

    async def close(self) -> None:
        """Stop all runs, and kill those that take too long; all can be resumed."""
        self.interrupt()
        watchers = [watcher for _, watcher in self._playing.values()]
        if watchers:
            await asyncio.wait(watchers, timeout=STOP_S)
        for process, _ in self._playing.values():
            process.kill()
        await asyncio.gather(*watchers)

    async def _watch(self, name: str, process: Command) -> None:
        """Wait for a process to end, and keep its error message if it failed."""
        last = b""
        while line := await process.read():
            last = (last + line)[-2000:]
        status = await process.wait()
        if status not in ENDINGS:
            self._problems[name] = f"It stopped with an error: {command_error_text(last, self._runs)}"
        del self._playing[name]
        if self._on_end and not self._is_ending:
            self._on_end(name)


def _folder(name: str) -> str:
    """Return a run's top-level folder; for a part of a study, the study's folder."""
    return name.partition("~")[0]
