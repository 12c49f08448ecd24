"""Commands, in pipes or in a terminal: their outputs and exit statuses.

The terminal has no end. Progress displays overwrite themselves as often as time allows; the text left after them does
not depend on timing.
"""

import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import pexpect

from tools.recording.cases import Step

STEP_S: Final = 240.0
"""The time limit of a step, which may include compiling code."""
PROMPT: Final = "> "
LISTENING_S: Final = 1.0
"""The wait before a signal. A signal between a prompt and the reading of its answer would only be
noticed with the next answer."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a command.

    Attributes:
        status: Its exit status, or what happened instead.
        stdout: Its standard output.
        stderr: Its standard error.
        screen: The final contents of the terminal.
    """

    status: int | str
    stdout: str = ""
    stderr: str = ""
    screen: str = ""


def run_in_pipes(words: Sequence[str], step: Step, folder: Path, environment: Mapping[str, str]) -> Ended:
    """Run a command with its output in pipes."""
    with subprocess.Popen(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if step.stdout in ("", "closed") else Path(step.stdout).open("wb"),
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        if step.stdout == "closed":
            _close(process.stdout)
        try:
            stdout, stderr = process.communicate(step.input.encode(), timeout=STEP_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return Ended(f"none after {STEP_S:g} s")
    return Ended(process.returncode, _decoded(stdout), _decoded(stderr))


def run_in_terminal(words: Sequence[str], step: Step, folder: Path, environment: Mapping[str, str]) -> Ended:
    """Run a command in a terminal and return the screen at the end, with colours."""
    rows, columns = map(int, step.terminal.split("x"))
    process = pexpect.spawn(
        words[0],
        list(words[1:]),
        cwd=str(folder),
        env={"TERM": "xterm-256color", **environment},
        encoding="utf-8",
        dimensions=(rows, columns),
        timeout=STEP_S,
    )
    try:
        shown = _shown(process, step)
    finally:
        process.close(force=True)
    status = process.exitstatus if process.exitstatus is not None else -process.signalstatus
    return Ended(status, screen=shown)


def _shown(process: "pexpect.spawn[str]", step: Step) -> str:
    """Type the input of a step and return the screen after the command has exited."""
    screen = Screen()
    for entry in step.type:
        awaited, typed = (PROMPT, entry) if isinstance(entry, str) else entry
        process.expect_exact(awaited)
        screen.show(f"{process.before}{process.after}")
        if typed.startswith("^"):
            time.sleep(LISTENING_S)
            process.sendcontrol(typed[1:].lower())
        else:
            process.sendline(typed)
    process.expect(pexpect.EOF)
    screen.show(process.before)
    return screen.text()


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        stream.close()


def _decoded(data: bytes | None) -> str:
    return "" if data is None else data.decode("utf-8", "backslashreplace")


_SEQUENCE: Final = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b[()][A-Z0-9]|\x1b[=>]")

Cell = tuple[str, str]
"""A character and its style."""


class Screen:
    """The content of a terminal of unlimited height."""

    def __init__(self) -> None:
        self._rows: list[list[Cell]] = [[]]
        self._row = self._column = 0
        self._style = ""

    def show(self, text: str) -> None:
        """Process the output of a program."""
        place = 0
        while place < len(text):
            found = _SEQUENCE.match(text, place)
            if found:
                if found[2]:
                    self._obey(found[1], found[2])
                place = found.end()
            else:
                self._write(text[place])
                place += 1

    def text(self) -> str:
        """Return every line, with the style in angle quotes where it changes."""
        return "\n".join(map(_line, self._rows)).rstrip("\n") + "\n"

    def _obey(self, numbers: str, order: str) -> None:
        count = int(numbers) if numbers.isdigit() else 0
        if order == "m":
            self._restyle(numbers)
        elif order == "K":
            self._erase(count)
        elif order == "A":
            self._row = max(0, self._row - max(1, count))
        elif order == "G":
            self._column = max(0, count - 1)
        elif order == "C":
            self._column += max(1, count)
        elif order == "D":
            self._column = max(0, self._column - max(1, count))

    def _restyle(self, numbers: str) -> None:
        self._style = "" if numbers in ("", "0") else ";".join(filter(None, (self._style, numbers)))

    def _erase(self, what: int) -> None:
        row = self._rows[self._row]
        if what == 0:
            del row[self._column :]
        elif what == 2:
            row.clear()

    def _write(self, letter: str) -> None:
        if letter == "\n":
            self._row += 1
            self._column = 0
            if self._row == len(self._rows):
                self._rows.append([])
        elif letter == "\r":
            self._column = 0
        elif letter == "\b":
            self._column = max(0, self._column - 1)
        elif letter.isprintable():
            row = self._rows[self._row]
            row += [(" ", "")] * (self._column + 1 - len(row))
            row[self._column] = letter, self._style
            self._column += 1


def _line(row: list[Cell]) -> str:
    line, style = "", ""
    for letter, its in row:
        if its != style:
            line += f"«{its}»"
            style = its
        line += letter
    return (line + ("«»" if style else "")).rstrip()
