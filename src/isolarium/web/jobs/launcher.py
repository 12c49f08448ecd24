"""Plays runs, each in a process of its own: `isolarium resume`, as a person would type it."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from isolarium.compat import INTERRUPT, KILLED, usable_cores
from isolarium.processes.permissions import NOTHING, Permit
from isolarium.web.http_errors import Refused, told_by_command
from isolarium.web.jobs.commands import Command, start

MOST: Final = 2
"""Runs at a time."""
GOOD_ORDER_S: Final = 0.5
"""How long a run may take to end in good order when the server does; its record is safe in any case."""
NEEDS: Final = (
    "isolarium.cli.commands.runs",
    "isolarium.cli.run_output",
    "isolarium.native.warmup",
)
ENDINGS: Final = (0, 130, -signal.SIGINT, KILLED)
"""How a process ends that nothing went wrong with: by itself, or since it was told to."""


class Launcher:
    """The runs that this server plays, by the name of their folder.

    Args:
        runs: the folder that runs are kept in.
        permit: which files may be loaded for them.
    """

    def __init__(self, runs: Path, permit: Permit = NOTHING) -> None:
        self._permit = permit
        self._problems: dict[str, str] = {}
        self._runs = runs
        self._is_ending = False
        self._places = 0
        self._one_at_a_time = asyncio.Lock()
        self._playing: dict[str, tuple[Command, asyncio.Task[None]]] = {}

    def plays(self, name: str) -> bool:
        """Whether a run, or the study that it is part of, is being played here."""
        return _folder(name) in self._playing

    def problem(self, name: str) -> str:
        """What went wrong when it was played here last; nothing if nothing did."""
        return self._problems.get(_folder(name), "")

    def check_room(self) -> None:
        """See that another run can be played.

        Raises:
            Refused: there are as many as there may be.
        """
        if self._is_ending:
            raise Refused(409, "the server is ending; expected it to be started again first")
        if len(self._playing) + self._places >= MOST:
            raise Refused(409, f"{MOST} runs are being played; expected one of them to end first")

    @contextmanager
    def place(self) -> Iterator[None]:
        """Keep a place for a run within the block, in which it is begun and then played.

        Raises:
            Refused: there is none.
        """
        self.check_room()
        self._places += 1
        try:
            yield
        finally:
            self._places -= 1

    async def play(self, name: str, *, has_place: bool = False) -> None:
        """Play what is missing of a run or a study, in the place that was kept for it if there is one.

        Raises:
            Refused: there are as many at it as there may be, or it is being played.
        """
        async with self._one_at_a_time:
            if not has_place:
                self.check_room()
            if self.plays(name):
                raise Refused(409, f"{name}: being played already")
            process = await self._start(_folder(name))
            self._problems.pop(_folder(name), None)
            watcher = asyncio.create_task(self._watch(_folder(name), process))
            self._playing[_folder(name)] = process, watcher

    async def _start(self, name: str) -> Command:
        workers = max(1, len(usable_cores()) - 1)  # one core is left to people
        folder = str(self._runs / name)  # its path: `last` alone would mean another
        played = ("resume", folder, "--no-accuracy", "--workers", str(workers), "--json")
        return await start(played, self._permit.environment(), NEEDS)

    def stop(self, name: str) -> None:
        """Have a run end in good order.

        Raises:
            Refused: it is not played here.
        """
        if not self.plays(name):
            raise Refused(409, f"{name}: not played by this server; expected a run that is")
        self._playing[_folder(name)][0].send_signal(INTERRUPT)

    def interrupt(self) -> None:
        """Have all of them end in good order, and begin no more; a second time does nothing."""
        if self._is_ending:
            return
        self._is_ending = True
        for process, _ in self._playing.values():
            process.send_signal(INTERRUPT)

    async def close(self) -> None:
        """End all of them, in good order if they are quick about it; each can be gone on with."""
        self.interrupt()
        watchers = [watcher for _, watcher in self._playing.values()]
        if watchers:
            await asyncio.wait(watchers, timeout=GOOD_ORDER_S)
        for process, _ in self._playing.values():
            process.kill()
        await asyncio.gather(*watchers)

    async def _watch(self, name: str, process: Command) -> None:
        """Wait for a process's end, and keep its last word if it ended badly."""
        last = b""
        while line := await process.read():
            last = (last + line)[-2000:]
        status = await process.wait()
        if status not in ENDINGS:
            self._problems[name] = f"It ended early: {told_by_command(last, self._runs)}"
        del self._playing[name]


def _folder(name: str) -> str:
    """A run is known by its folder among the runs; a part of a study by the study's."""
    return name.partition("~")[0]
