"""Progress of long work: live lines that vanish on a terminal, an occasional plain line elsewhere."""

import re
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import partial
from io import StringIO

import pytest

from isolarium.cli import progress_display
from isolarium.cli.progress_display import PLAIN_EVERY_S, display, notice
from isolarium.cli.run_output import sample_line


class Clock:
    """The display's clock; nothing but a test moves it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress_display, "monotonic", clock)
    return clock


class Terminal(StringIO):
    """A terminal in memory, which remembers all that it was sent."""

    def isatty(self) -> bool:
        return True

    @property
    def screen(self) -> list[str]:
        """What is to be seen on it now, without empty lines."""
        lines, row, column = [""], 0, 0
        for code, text in re.findall(r"\x1b\[([?0-9;]*[A-Za-z])|([^\x1b])", self.getvalue()):
            if code == "1A":
                row -= 1
            elif code == "2K":
                lines[row] = ""
            elif text == "\r":
                column = 0
            elif text == "\n":
                row, column = row + 1, 0
                lines += [""] * (row + 1 - len(lines))
            elif text:
                lines[row] = lines[row][:column].ljust(column) + text + lines[row][column + 1 :]
                column += 1
        return [line.rstrip() for line in lines if line.strip()]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    return Terminal()


def test_short_work_prints_nothing_in_a_pipe(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with display("work", "starting...") as shown:
        clock.now += PLAIN_EVERY_S - 1
        shown.update(lambda: pytest.fail("asked for words that are not shown"))
    assert capsys.readouterr().err == ""


def test_long_work_prints_a_plain_line_at_intervals_in_a_pipe(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with display("work") as shown:
        for step in range(4):
            clock.now += PLAIN_EVERY_S / 2
            shown.update(lambda step=step: f"step {step}", lambda room: [f"room for {room}"])  # type: ignore[misc]
    assert capsys.readouterr().err == ("work: step 1\nroom for 1\nwork: step 3\nroom for 1\n")


class Later:
    """A timer that goes off when a test says so, even if it was cancelled a moment ago."""

    def __init__(self, wait_s: float, function: Callable[..., None], arguments: list[object]) -> None:
        self.wait_s = wait_s
        self.go_off = partial(function, *arguments)
        TIMERS.append(self)

    def start(self) -> None: ...

    def cancel(self) -> None: ...


TIMERS: list[Later] = []


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> list[Later]:
    monkeypatch.setattr(progress_display, "Timer", Later)
    TIMERS.clear()
    return TIMERS


def test_work_without_progress_is_announced_when_a_line_is_due_in_a_pipe(
    clock: Clock, timers: list[Later], capsys: pytest.CaptureFixture[str]
) -> None:
    with display() as shown:
        clock.now += 4
        shown.announce("reading")
        assert [timer.wait_s for timer in timers] == [PLAIN_EVERY_S - 4]
        timers[0].go_off()
    assert capsys.readouterr().err == "reading\n"


def test_finished_work_is_not_announced_later(
    clock: Clock, timers: list[Later], capsys: pytest.CaptureFixture[str]
) -> None:
    with display("work", "starting...") as shown:
        shown.update(lambda: pytest.fail("asked for words that are not shown"))
        shown.announce("reading")
    for timer in timers:
        timer.go_off()
    assert len(timers) == 2
    assert capsys.readouterr().err == ""


def test_late_work_without_progress_is_announced_at_once_in_a_pipe(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with display() as shown:
        clock.now += PLAIN_EVERY_S
        shown.announce("reading")
        shown.announce("writing")
    assert capsys.readouterr().err == "reading\n"


def test_live_lines_are_removed_from_a_terminal(clock: Clock, terminal: Terminal) -> None:
    with redirect_stderr(terminal), display("work", "starting...") as shown:
        assert terminal.screen == ["work: starting..."]
        clock.now += 1
        shown.update(lambda: "half", lambda room: ["first", "second"][:room])
        assert terminal.screen == ["work: half", "first", "second"]
        shown.update(lambda: pytest.fail("asked for words so soon again"))
        shown.announce("done")
        assert terminal.screen == ["work: done"]
    assert terminal.screen == []


def test_a_cleared_display_can_show_again(terminal: Terminal) -> None:
    with redirect_stderr(terminal), display() as shown:
        shown.announce("one")
        shown.clear()
        assert terminal.screen == []
        shown.announce("two")
        assert terminal.screen == ["two"]


def test_warnings_stay_above_live_lines(terminal: Terminal) -> None:
    with redirect_stderr(terminal), display() as shown:
        shown.announce("working")
        print("isolarium: mind", file=sys.stderr)
        assert terminal.screen == ["isolarium: mind", "working"]
    assert terminal.screen == ["isolarium: mind"]


def test_stdout_is_left_alone(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    with redirect_stderr(terminal), display() as shown:
        shown.announce("working")
        print("an answer")
    assert capsys.readouterr().out == "an answer\n"
    assert "an answer" not in terminal.getvalue()


def test_a_notice_appears_only_for_slow_work(terminal: Terminal) -> None:
    with redirect_stderr(terminal), notice("compiling", after_s=1e6):
        assert terminal.screen == []
    with redirect_stderr(terminal), notice("compiling", after_s=0):
        assert terminal.screen == ["compiling"]
    assert terminal.screen == []


def test_a_dumb_terminal_is_treated_as_a_pipe(
    clock: Clock, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with redirect_stderr(terminal), display() as shown:
        clock.now += PLAIN_EVERY_S
        shown.announce("working")
    assert terminal.getvalue() == "working\n"


def test_the_line_about_a_sample_has_the_time_left() -> None:
    assert sample_line(51, 200, (1, 10.0)) == "solving a sample: 51 of 200 games, 30 s left"
    assert sample_line(200, 200, (1, 10.0)) == "solving a sample: 200 of 200 games, 0 s left"
    assert sample_line(1, 200, (1, 0.0)) == "solving a sample: 1 of 200 games"
