"""What a system cannot do is left out, and everything else works without it."""

import os
import select
import signal
import time
from pathlib import Path

import pytest

from isolab import system
from isolab.lines import Lines
from tests.command import run_isolab
from tests.course.loading import AGENTS

ABSENT = """
import os, select, signal, sys

for module, names in (
    (os, "sched_getaffinity sched_setaffinity getloadavg geteuid nice pidfd_open killpg"),
    (signal, "pthread_sigmask setitimer SIGALRM"),
    (select, "poll"),
):
    for name in names.split():
        delattr(module, name)
sys.modules["fcntl"] = sys.modules["resource"] = None
"""
OWN = """
from isolab.heuristics import heuristic, mobility

@heuristic
def own(view, own, opp):
    return mobility(view, own) - mobility(view, opp)
"""


@pytest.fixture
def plain_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be in; commands that are started there, and what they start, find a system that can do little."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(ABSENT)
    before = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), *([before] if before else [])]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Over(BaseException):
    pass


def test_without_a_say_in_cores_all_of_them_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.delattr(os, "sched_setaffinity")
    assert system.usable_cores() == list(range(os.cpu_count() or 1))
    system.keep_to([0])


def test_a_load_that_is_not_counted_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getloadavg")
    assert system.load() is None


def test_without_a_timer_a_thread_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer")
    with pytest.raises(Over), system.raised_after(0.01, 0.01, Over):
        while True:
            time.sleep(0.001)


def test_a_block_that_ends_in_time_is_not_broken_off_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer")
    for _ in range(200):
        try:
            with system.raised_after(0.0, 0.001, Over):
                pass
        except Over:
            pass
    assert sum(range(1000)) == 499500


def test_lines_are_heard_without_polling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(select, "poll")
    reader, writer = os.pipe()
    lines = Lines(reader)
    assert lines.hear(0.01) is None
    os.write(writer, b"one\ntwo\nthr")
    assert [lines.hear(), lines.hear(), lines.hear(0.01)] == ["one", "two", None]
    os.close(writer)
    assert lines.hear() == "thr"
    with pytest.raises(EOFError):
        lines.hear()
    os.close(reader)


def test_heuristics_of_one_s_own_and_course_agents_play(plain_system: Path) -> None:
    (plain_system / "own.py").write_text(OWN)
    done = run_isolab(
        *("tournament", "alphabeta:own.py:own@nodes=50", "alphabeta:improved@nodes=50"),
        *(f"course:{AGENTS / 'generation_2' / 'game_agent.py'}@calls=50", "--board", "7x7"),
        *("--pairs", "1", "--workers", "2"),
    )
    assert done.returncode == 0, done.stderr
    assert "6 games" in done.stdout


def test_a_survey_is_written_without_locks(plain_system: Path) -> None:
    done = run_isolab("solve", "--board", "3x4", "--all", "--out", "starts.jsonl")
    assert done.returncode == 0, done.stderr
    assert (plain_system / "starts.jsonl").read_text().count("\n") > 1
