"""`isolarium book` writes whole files or none."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.arena.processes import wait_until
from tests.command import COMMAND, PATIENCE_S, assert_refused, environment, run_isolarium

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_build_keeps_the_existing_file(ending: signal.Signals, tmp_path: Path) -> None:
    out = tmp_path / "book.bin"
    out.write_bytes(b"before")
    with subprocess.Popen(
        [COMMAND, "book", "build", "--board", "7x7", "--plies", "3", "--out", str(out)],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        wait_until(lambda: len(list(tmp_path.iterdir())) > 1, "the beginning")
        os.kill(process.pid, ending)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert out.read_bytes() == b"before"
    assert "Traceback" not in said
    if ending is signal.SIGINT:
        assert process.returncode == 130
        assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["build"], "--out FILE"),
        (["puzzles"], "--out FILE"),
        (["build", "--out", "/nowhere/x"], "/nowhere/x"),
        (["build", "--out", "/dev/null"], "/dev/null"),
        (["puzzles", "--out", "."], "."),
        (["build", "--board", "8x8", "--out", "x"], "at most 49 squares"),
        (["build", "--board", "8x9", "--survey", "y", "--out", "x"], "at most 64 squares"),
        (["build", "--survey", "nowhere", "--out", "x"], "nowhere"),
        (["puzzles", "--survey", "x", "--out", "y"], "--survey"),
        (["show", "--file", "nowhere"], "nowhere"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_isolarium("book", *arguments)
    assert_refused(result, named)
    assert list(tmp_path.iterdir()) == []
