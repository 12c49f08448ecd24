"""A results database that other processes lock: the run waits for them, and loses nothing."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from isolarium.arena import Conditions, sqlite_file
from isolarium.arena.plan import match_plan
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.runner import Progress, play_run
from isolarium.errors import InputError, RunAborted
from isolarium.reporting.run_summary import progress_line
from tests.arena.playing import exported, games_of, play, when_played

pytestmark = pytest.mark.slow

PLAN = match_plan("random", "random", Conditions(pairs=400, board="5x5"))
READ_LOCKS = """
import fcntl, struct, sys

kept = []
for ending in ("", "-wal", "-shm"):
    kept.append(open(sys.argv[1] + ending, "rb"))
    whole_file = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0)
    fcntl.fcntl(kept[-1], fcntl.F_SETLKW, whole_file)
print("held", flush=True)
sys.stdin.read()
"""
"""As a process that may only read the files."""
TRANSACTION = """
import sqlite3, sys

base = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
base.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""
HOLDERS = {"read locks on whole files": READ_LOCKS, "a transaction": TRANSACTION}


class Holder:
    """A process that locks a results database until it is released."""

    def __init__(self, script: str, folder: Path) -> None:
        self._command = [sys.executable, "-c", script, str(folder / FILE_NAME)]
        self._process: subprocess.Popen[str] | None = None

    def hold(self) -> None:
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "held\n"

    def release(self) -> None:
        if self._process is not None:
            self._process.communicate()
            self._process = None


@contextmanager
def holder(script: str, folder: Path) -> Iterator[Holder]:
    one = Holder(script, folder)
    try:
        yield one
    finally:
        one.release()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    return play(tmp_path_factory.mktemp("undisturbed"), PLAN)


@pytest.mark.parametrize("script", HOLDERS.values(), ids=HOLDERS.keys())
def test_a_run_waits_for_the_lock_of_another_process_and_goes_on(script: str, tmp_path: Path, undisturbed: str) -> None:
    shown = list[str]()
    with closing(Record.create(tmp_path, PLAN)) as record, holder(script, tmp_path) as other:

        def show(progress: Progress) -> None:
            if progress.stage == "locked":
                shown.append(progress_line(progress))
                if len(shown) == 3:
                    other.release()

        play_run(record, 2, show, when_played(tmp_path, 100, other.hold))
        assert record.is_finished
    assert set(shown) == {"waiting: another process holds a lock on the results database (run.sqlite)"}
    assert exported(tmp_path) == undisturbed


@pytest.mark.parametrize("script", HOLDERS.values(), ids=HOLDERS.keys())
def test_a_lock_after_the_last_game_is_shown_too(
    script: str, tmp_path: Path, undisturbed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, finish = list[str](), Record.finish

    def finish_late(record: Record, *arguments: Any) -> None:
        other.hold()
        finish(record, *arguments)

    monkeypatch.setattr(Record, "finish", finish_late)
    with closing(Record.create(tmp_path, PLAN)) as record, holder(script, tmp_path) as other:

        def show(progress: Progress) -> None:
            if progress.stage == "locked":
                shown.append(progress_line(progress))
                if len(shown) == 3:
                    other.release()

        play_run(record, 2, show)
        assert record.is_finished
    assert shown
    assert exported(tmp_path) == undisturbed


@pytest.mark.parametrize("script", HOLDERS.values(), ids=HOLDERS.keys())
def test_a_lock_that_never_ends_ends_the_run_in_one_line_and_nothing_is_lost(
    script: str, tmp_path: Path, undisturbed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, holder(script, tmp_path) as other:
        patch.setattr(sqlite_file, "LOCKED_S", 0.0)
        with pytest.raises(RunAborted) as caught:
            play(tmp_path, PLAN, stop=when_played(tmp_path, 100, other.hold))
    assert str(caught.value) == (
        f"{tmp_path / FILE_NAME}: another process holds a lock on it; end that process and try again"
    )
    assert 100 <= games_of(tmp_path) < 800
    assert play(tmp_path, PLAN) == undisturbed


def test_a_run_that_is_asked_to_stop_waits_no_longer(tmp_path: Path, undisturbed: str) -> None:
    stages = list[str]()
    with closing(Record.create(tmp_path, PLAN)) as record, holder(READ_LOCKS, tmp_path) as other:
        hold = when_played(tmp_path, 100, other.hold)
        with pytest.raises(RunAborted, match="another process holds a lock"):
            play_run(record, 2, lambda progress: stages.append(progress.stage), lambda: hold() or "locked" in stages)
    assert play(tmp_path, PLAN) == undisturbed


@pytest.mark.parametrize("script", HOLDERS.values(), ids=HOLDERS.keys())
def test_a_locked_run_can_be_read(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "LOCKED_S", 0.0)
    with closing(Record.create(tmp_path, PLAN)) as record:
        record.set_fact("colour", "blue")
        with holder(script, tmp_path) as other, closing(Record(tmp_path)) as reader:
            other.hold()
            assert reader.fact("colour") == "blue"
            with closing(Record(tmp_path)) as late:
                assert late.fact("colour") == "blue"
            with pytest.raises(InputError, match="another process holds a lock on it"):
                record.set_fact("colour", "red")
        record.set_fact("colour", "red")
        assert record.fact("colour") == "red"
