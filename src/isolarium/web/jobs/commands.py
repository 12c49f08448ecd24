"""Commands of ours that the server has run beside it: `isolarium ...`, as a person would type it."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from isolarium.compat import kill, starting_apart
from isolarium.processes.forkserver import Child, ChildServer, ForkServer, fork_server_for

PIECE_BYTES: Final = 4096


class Command:
    """A command that was started, in a session of its own: Ctrl-C is ours to deal with."""

    def __init__(self, process: Child | Process, errors: asyncio.StreamReader) -> None:
        self._process, self._errors = process, errors

    async def read(self) -> bytes:
        """A piece of what it says on stderr; nothing once it has ended."""
        return await self._errors.read(PIECE_BYTES)

    async def wait(self) -> int:
        """How it ended, once all that it said has been read."""
        if isinstance(self._process, Child):
            return await asyncio.to_thread(self._process.wait)
        return await self._process.wait()

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        with suppress(ProcessLookupError):
            self._process.send_signal(number)

    def kill(self) -> None:
        """End it at once, with what it has started, if it has not ended."""
        with suppress(OSError):
            kill(self._process.pid)


async def start(
    arguments: Sequence[str], environment: Mapping[str, str], needs: Sequence[str]
) -> Command:
    """Start a command; `needs` are modules that it will import."""
    fork_server = fork_server_for(environment)
    if fork_server is not None:
        return await _born(fork_server, arguments, environment, needs)
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


async def _born(
    fork_server: ForkServer,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    needs: Sequence[str],
) -> Command:
    ours, theirs = os.pipe()
    try:
        with Path(os.devnull).open("r+b") as nothing:
            process = fork_server.start(
                "isolarium.cli.app:born",
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
