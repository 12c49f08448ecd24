"""The `isolarium` command on a pseudo-terminal, as a person's terminal runs it."""

import fcntl
import os
import re
import struct
import termios
from pathlib import Path

import pexpect
from pexpect.fdpexpect import fdspawn

from tests.command import COMMAND, PATIENCE_S, command_server, environment

ESCAPE = "\x1b"
SIZE = (24, 80)


class Terminal:
    """A terminal with a command in it, in a process forked from one that has imported everything."""

    def __init__(self, *arguments: str, folder: Path | None = None, **variables: str) -> None:
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        self._child = command_server().start(
            [COMMAND, *arguments],
            (theirs, theirs, theirs),
            environment(**{"TERM": "xterm-256color", **variables}),
            folder,
            on_terminal=True,
        )
        os.close(theirs)
        self._process = fdspawn(ours, encoding="utf-8", timeout=PATIENCE_S)

    def until(self, *patterns: str) -> str:
        """Wait for one of the patterns; return what was shown up to its end, without colour."""
        self._process.expect(list(patterns))
        return re.sub(f"{ESCAPE}\\[[0-9;]*m", "", f"{self._process.before}{self._process.after}")

    def type(self, line: str) -> None:
        """Type a line."""
        self._process.sendline(line)

    def control(self, letter: str) -> None:
        """Press a key together with Ctrl."""
        self._process.send(chr(ord(letter) & 0x1F))

    def finish(self) -> tuple[str, int]:
        """Wait for the end; return what was shown last and the exit status."""
        self._process.expect(pexpect.EOF)
        self._process.close()
        return str(self._process.before), self._child.wait(PATIENCE_S)
