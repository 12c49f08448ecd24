"""The `isolarium` command as people have it: another process, its output in pipes."""

import atexit
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.command_server import CommandServer, Started

COMMAND = str(Path(sys.executable).with_name("isolarium"))

PATIENCE_S: Final = 600.0
"""How long a test waits for what has to come, on a machine as busy as it may be: only what hangs takes longer."""

_ABOUT_THE_SCREEN = {"NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM", "COLUMNS"}


def environment(**changes: str) -> dict[str, str]:
    """Return this environment with some changes, and otherwise silent about the screen."""
    kept = {name: value for name, value in os.environ.items() if name not in _ABOUT_THE_SCREEN}
    return {**kept, **changes}


def run_isolarium(*arguments: str, answers: str = "", **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end."""
    command, around = [COMMAND, *arguments], environment(**variables)
    if command_server().can_run(around):
        return command_server().run(command, answers, around, PATIENCE_S)
    return subprocess.run(
        command, input=answers, capture_output=True, encoding="utf-8", env=around, timeout=PATIENCE_S, check=False
    )


@contextmanager
def started_isolarium(
    *arguments: str,
    folder: Path | None = None,
    hears_errors: bool = True,
    needs: Sequence[str] = (),
    new_interpreter: bool = False,
) -> Iterator[Started]:
    """The command, started in a group and a session of its own; what it says comes in pipes.

    Args:
        arguments: its arguments.
        folder: where it is started.
        hears_errors: whether what it says on stderr comes too; it goes where ours does otherwise.
        needs: what it will import that short commands do without.
        new_interpreter: whether it is to import everything itself.
    """
    out, their_out = os.pipe()
    err, their_err = os.pipe() if hears_errors else (None, os.dup(2))
    with Path(os.devnull).open() as nothing:
        streams = nothing.fileno(), their_out, their_err
        start: Callable[..., Any] = _started_in_new_interpreter if new_interpreter else command_server().start
        child = start([COMMAND, *arguments], streams, environment(), folder, needs)
    os.close(their_out)
    os.close(their_err)
    started = Started(child, out, err)
    try:
        yield started
    finally:
        started.terminate()
        started.wait(PATIENCE_S)
        started.close()


def _started_in_new_interpreter(
    command: Sequence[str],
    streams: Sequence[int],
    environment: Mapping[str, str],
    folder: Path | None,
    _: Sequence[str],
) -> "subprocess.Popen[bytes]":
    stdin, stdout, stderr = streams
    return subprocess.Popen(
        command, stdin=stdin, stdout=stdout, stderr=stderr, env=environment, cwd=folder, start_new_session=True
    )


@cache
def command_server() -> CommandServer:
    """Return the fork server of all commands of this process."""
    server = CommandServer()
    atexit.register(server.close)
    return server


FEW: Final = {"--pairs": 2, "--games": 4, "--calls": 20, "--positions": 10, "--confirm": 2, "--trials": 4}
"""Of what only makes a command that is shown take longer: so many do to see that it works."""


def with_few(arguments: Sequence[str]) -> list[str]:
    """The arguments of a command that is shown, with few games and positions."""
    few = list(arguments)
    for at, name in enumerate(arguments[:-1]):
        if name in FEW:
            few[at + 1] = str(min(FEW[name], int(arguments[at + 1])))
    if "--test" in few and "--pairs" not in few:
        few += ["--pairs", str(FEW["--pairs"])]
    return few


def assert_refused(result: "subprocess.CompletedProcess[str]", named: str) -> None:
    """See that the command said in one line what was wrong, naming it, and did nothing else."""
    assert result.returncode == 2
    assert result.stdout == ""
    (complaint,) = complaints(result.stderr)
    assert complaint.startswith("isolarium: ")
    assert named in complaint


def complaints(stderr: str) -> list[str]:
    """The lines there, without those that only say what takes its time, such as compiling for the first time."""
    return [line for line in stderr.splitlines() if not line.endswith("...")]
