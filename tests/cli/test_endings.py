"""However a command ends, it ends without a traceback."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from isolab.cli.endings import interruptible, interrupts_remembered
from tests.command import COMMAND, complaints, environment

GAME = [COMMAND, "play", "--first", "random", "--second", "random", "--seed", "1"]


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as unread:
        game = subprocess.run(
            GAME, stdout=unread, stderr=subprocess.PIPE, text=True, env=environment(), check=False
        )
    assert complaints(game.stderr) == []
    assert game.returncode == 1


def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        game = subprocess.run(GAME, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert complaints(game.stderr) == ["isolab: No space left on device"]
    assert game.returncode == 1


def test_an_interrupt_that_python_loses_counts_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Fading:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    with interrupts_remembered():
        fading = Fading()
        del fading
        assert lost
        with pytest.raises(KeyboardInterrupt), interruptible():
            pass
    with interruptible() as pressed:
        assert pressed == []
