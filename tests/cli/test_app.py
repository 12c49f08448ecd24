"""However a command ends, it ends without a traceback."""

import os
import signal
import subprocess
import sys
from errno import EROFS
from pathlib import Path

import pytest

from isolarium.cli.app import interruptible, interrupts_remembered, main, whole_file
from isolarium.errors import InputError
from tests.command import COMMAND, complaints, environment, run_isolarium

pytestmark = pytest.mark.slow

GAME = [COMMAND, "play", "--first", "random", "--second", "random", "--seed", "1"]


def test_a_closed_pipe_ends_it_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as unread:
        game = subprocess.run(GAME, stdout=unread, stderr=subprocess.PIPE, text=True, env=environment(), check=False)
    assert complaints(game.stderr) == []
    assert game.returncode == 1


def test_a_full_disk_prints_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        game = subprocess.run(GAME, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert complaints(game.stderr) == ["isolarium: No space left on device"]
    assert game.returncode == 1


@pytest.mark.parametrize(("closed", "said"), [(1, ""), (2, "answer       first (A), to move")])
def test_closed_streams_are_not_an_error(closed: int, said: str) -> None:
    shell = f'exec "$@" {closed}>&-'
    done = subprocess.run(
        ["sh", "-c", shell, "sh", COMMAND, "solve", "4x4"],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert (done.returncode, complaints(done.stderr)) == (0, [])
    assert said in done.stdout


def test_a_terminal_width_of_zero_is_ignored() -> None:
    assert "answer  " in run_isolarium("solve", "4x4", COLUMNS="0").stdout


def test_a_read_only_file_system_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with (
        pytest.raises(InputError, match=r"book: Read-only file system; expected a file to"),
        whole_file(tmp_path / "book"),
    ):
        pass


def test_an_interrupt_that_python_drops_is_raised_later(monkeypatch: pytest.MonkeyPatch) -> None:
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


INTERRUPTED_IMPORT = """
import os, signal, sys


class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)


sys.meta_path.insert(0, Interrupt())
from isolarium.cli import main
"""


def test_ctrl_c_while_the_command_is_imported_shows_no_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_IMPORT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "isolarium: stopped by Ctrl-C\n"


@pytest.mark.parametrize("where", ["isolarium.arena.run_store.list_runs", "isolarium.cli.app.TyperGroup.make_context"])
def test_ctrl_c_before_a_command_has_begun_is_confirmed(
    where: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(where, interrupted)
    assert main(["runs"]) == 130
    assert tuple(capsys.readouterr()) == ("", "isolarium: stopped by Ctrl-C\n")
