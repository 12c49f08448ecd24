"""The commands that the server runs: they play runs and write reports."""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic
from typing import Final

from isolarium.arena.run_store import REPORT_PAGE, has_report
from isolarium.compat import INTERRUPT, KILLED, kill, starting_apart, usable_cores
from isolarium.errors import InputError
from isolarium.processes.code_loader import NOTHING, Permit
from isolarium.processes.forkserver import Child, ChildServer, ForkServer, fork_server_for
from isolarium.processes.worker import finalize
from isolarium.removal import remove_tree
from isolarium.safe_files import TooLargeError, read_small
from isolarium.web.connection_limits import SERVER, Client
from isolarium.web.http_errors import BUSY, HttpError, command_error_text

MOST: Final = 2
"""The maximum number of simultaneous runs."""
STOP_S: Final = 0.5
"""The time that a run may take to stop when the server exits.

The run's database stays intact in any case."""
PLAYING_NEEDS: Final = (
    "isolarium.cli.commands.runs",
    "isolarium.cli.run_output",
    "isolarium.native.jit:initialise_compiler",
)
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
        return await start_command(arguments, self._permit.environment(), PLAYING_NEEDS)

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


# Reports of runs, written by `isolarium report` into a temporary folder


REPORT_NEEDS: Final = ("isolarium.cli.commands.runs", "isolarium.reporting.run_report")
TYPES: Final = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-downloads"
)
"""The policy for reports, which do not contain scripts.

A third-party file in place of a report cannot run scripts either, because its origin is opaque."""
MOST_WAITING: Final = 40
MOST_EACH: Final = 8
"""The maximum number of requests waiting for a report, in total and per address."""
SOON_S: Final = 0.5
"""The time, in seconds, after which a browser shows that a report is being written."""
FRESH_S: Final = 30.0
"""The time, in seconds, for which the report of a run in progress is reused."""
BODY: Final = re.compile(rb"<body[^>]*>")
PLACES: Final = ("", "charts", "tables")
"""The folders of a report's files."""
NAME: Final = re.compile(rf"[^/\0]{{1,200}}({'|'.join(map(re.escape, TYPES))})")
MOST_BYTES: Final = 16 << 20
"""The size limit of a report's files, which are sent from memory."""


class Reports:
    """Writes reports, one at a time.

    A report is reused until its run has new games and `FRESH_S` seconds have passed.

    Args:
        clock: A function that returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._folder = Path(mkdtemp(prefix="isolarium-reports-"))
        finalize(self, remove_tree, self._folder)
        self._written: dict[Path, tuple[str, float]] = {}
        self._one = asyncio.Lock()
        self._pages = dict[Path, asyncio.Task[tuple[bytes, str]]]()
        self._waiting = Counter[str]()

    def close(self) -> None:
        """Remove the reports."""
        for task in self._pages.values():
            task.cancel()
        remove_tree(self._folder)

    async def page(
        self, run: Path, mark: str, client: Client = SERVER, *, is_finished: bool = False
    ) -> tuple[bytes, str] | None:
        """Return a report's page; None if writing it takes more than `SOON_S` seconds.

        The page is then written in the background, and later requests return it or raise the error.

        Raises:
            HttpError: If the report cannot be written, or too many requests are waiting.
        """
        if run not in self._pages:
            wanted = self.file(run, mark, REPORT_PAGE, client, is_finished=is_finished)
            self._pages[run] = asyncio.create_task(wanted)
        task = self._pages[run]
        await asyncio.wait([task], timeout=SOON_S)
        if not task.done():
            return None
        self._pages.pop(run, None)
        return task.result()

    async def file(
        self, run: Path, mark: str, path: str, client: Client = SERVER, *, is_finished: bool = False
    ) -> tuple[bytes, str]:
        """Return a file of a run's report and its media type.

        An outdated report is written again.

        The report in a finished run's folder is used unless it is older than the database.

        Raises:
            HttpError: If there is no such file, if it is too large, or if too many requests are
                waiting.
        """
        if is_finished and has_report(run):
            return await asyncio.to_thread(read_report_file, run, path)
        who = client.address
        if self._waiting[who] >= MOST_EACH or self._waiting.total() >= MOST_WAITING:
            raise HttpError(BUSY, "The server is busy: too many requests wait for reports.")
        self._waiting[who] += 1
        try:
            async with self._one:
                folder = await self._report(run, mark, is_finished)
        finally:
            self._waiting -= Counter([who])  # Which drops counts of zero
        return await asyncio.to_thread(read_report_file, folder, path)

    async def _report(self, run: Path, mark: str, is_finished: bool) -> Path:
        folder = self._folder / "~".join(run.parts[-2:])
        written, when = self._written.get(run, ("", -inf))
        is_fresh = not is_finished and self._clock() - when < FRESH_S
        if written != mark and not is_fresh:
            await _write(run.resolve(), folder)
            self._written[run] = mark, self._clock()
        return folder


async def _write(run: Path, folder: Path) -> None:
    """Write the report of a run into a folder.

    Accuracy is left out because it would take too long to compute.

    Raises:
        HttpError: If the report cannot be written.
    """
    arguments = ("report", str(run), "--out", str(folder), "--no-accuracy", "--json")
    # Writing a report does not run any agent's code.
    process = await start_command(arguments, NOTHING.environment(), REPORT_NEEDS)
    stderr, status = b"", None
    try:
        while piece := await process.read():
            stderr += piece
        status = await process.wait()
    finally:
        if status is None:  # The client has disconnected.
            process.kill()
    if status != 0:
        why = command_error_text(stderr, run.parent)
        raise HttpError(409, f"The report could not be written: {why}")


def with_back_link(page: bytes, address: str) -> bytes:
    """Return a report's page with a link back to the run or the list of runs."""
    words = "Back to the run" if "?" in address else "All runs"
    link = f'<p style="margin:0 0 .75rem"><a href="{address}">&lsaquo; {words}</a></p>'
    return BODY.sub(lambda found: found[0] + link.encode(), page, count=1)


def read_report_file(folder: Path, path: str) -> tuple[bytes, str]:
    """Return a file of the report in a folder, and its media type.

    Raises:
        HttpError: If there is no such file, or it is too large.
    """
    place, _, name = path.rpartition("/")
    found = folder / place / name
    try:
        if not NAME.fullmatch(name) or place not in PLACES or (folder / place).is_symlink():
            raise FileNotFoundError
        return read_small(found, MOST_BYTES), TYPES[found.suffix]
    except TooLargeError:
        most = f"expected at most {MOST_BYTES:,} bytes"
        raise HttpError(413, f"{path}: too large to show; {most}") from None
    except (InputError, OSError):
        raise HttpError(404, f"{path[:100]!r}: no such file in the report") from None
