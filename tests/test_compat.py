"""What a system cannot do is left out, and everything else works without it."""

import ast
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from isolarium import compat
from isolarium.compat import LineReader
from tests.command import COMMAND, PATIENCE_S, run_isolarium
from tests.course.student_files import AGENTS

SOURCE = Path(compat.__file__).parent
ALLOWED = (
    "compat.py",
    "processes/supervisor.py",  # all of it is for Linux, and entered where `can_supervise`
    "processes/forkserver.py",  # so is this, where `can_fork`
    "processes/forkserver_main.py",  # and what it asks
    *("processes/sandbox.py", "processes/readable_paths.py", "processes/seccomp.py"),  # and these, where `IS_LINUX`
    "removal.py",  # and this, where files can be named by descriptors
    "course/modules/",  # what a course's scripts import: nothing of Isolarium's
)
LACKING = {
    *("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty", "msvcrt", "winreg"),
    *("sys.platform", "os.name", "platform.system", "os.uname", "sys.getwindowsversion"),
    *("os.sched_getaffinity", "os.sched_setaffinity", "os.getloadavg", "os.nice", "os.sysconf"),
    *("os.fork", "os.forkpty", "os.wait", "os.waitpid", "os.pidfd_open", "os.kill", "os.killpg"),
    *("os.setsid", "os.setpgid", "os.getpgid", "os.getuid", "os.geteuid", "os.getgid"),
    *("os.chown", "os.mkfifo", "os.statvfs", "os.O_NOFOLLOW", "os.O_DIRECTORY", "os.O_CLOEXEC"),
    *("signal.SIGALRM", "signal.SIGKILL", "signal.SIGHUP", "signal.SIGQUIT", "signal.SIGUSR1"),
    *("signal.SIGSTOP", "signal.SIGCONT", "signal.SIGCHLD", "signal.SIGPIPE", "signal.SIGBREAK"),
    *("signal.setitimer", "signal.alarm", "signal.pthread_sigmask", "signal.pause"),
    *("time.clock_gettime", "time.clock_gettime_ns", "socket.AF_UNIX", "asyncio.add_signal_handler"),
    *("pass_fds", "process_group", "start_new_session", "preexec_fn", "creationflags"),
    *("fork", "forkserver", "/proc"),
}
EVERY_WAY = """
import fcntl, os as system
from os import fork
import signal, sys, subprocess, multiprocessing
system.killpg(1, signal.SIGKILL)
if sys.platform == "linux":
    open("/proc/self/statm")
subprocess.run([], pass_fds=[])
multiprocessing.get_context("forkserver")
system.nice(1)
"""
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
from isolarium.heuristics import heuristic, mobility

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


def _never_end() -> None:
    while True:
        time.sleep(0.001)


@pytest.mark.slow
def test_no_other_module_asks_for_what_some_systems_lack() -> None:
    found = [
        f"{path.relative_to(SOURCE).as_posix()}:{line}: {name}"
        for path in sorted(SOURCE.rglob("*.py"))
        if not path.relative_to(SOURCE).as_posix().startswith(ALLOWED)
        for line, name in _asked_for(ast.parse(path.read_text(encoding="utf-8")))
        if name in LACKING
    ]
    assert found == []


def test_what_is_asked_for_is_found_however_it_is_written() -> None:
    assert {name for _, name in _asked_for(ast.parse(EVERY_WAY))} >= {
        *("fcntl", "os.fork", "signal.SIGKILL", "os.killpg", "sys.platform", "/proc"),
        *("pass_fds", "forkserver", "os.nice"),
    }


def _asked_for(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The modules, attributes of modules, keywords and paths that a module names, with their lines."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name] = alias.name
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, str(node.module)
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield node.lineno, f"{names.get(node.value.id, node.value.id)}.{node.attr}"
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.value.lineno, node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, "/proc" if node.value.startswith("/proc") else node.value


def test_without_a_say_in_cores_all_of_them_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    assert compat.usable_cores() == list(range(os.cpu_count() or 1))
    compat.pin_to_cores([0])


def test_a_load_that_is_not_counted_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getloadavg", raising=False)
    assert compat.load() is None


@pytest.mark.parametrize("is_linux", [True, False])
def test_only_linux_says_that_there_is_no_screen(is_linux: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compat, "IS_LINUX", is_linux)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert compat.has_screen() is not is_linux


def test_without_a_timer_a_thread_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer", raising=False)
    with pytest.raises(Over), compat.raised_after(0.01, 0.01, Over):
        _never_end()


def test_a_block_that_ends_in_time_is_not_broken_off_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer", raising=False)
    for _ in range(200):
        try:
            with compat.raised_after(0.0, 0.001, Over):
                pass
        except Over:
            pass
    assert sum(range(1000)) == 499500


def test_without_groups_a_process_is_ended_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "killpg", raising=False)
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, **compat.starting_apart()
    ) as process:
        compat.kill(process.pid)
        assert process.wait(PATIENCE_S) != 0


def test_lines_are_heard_without_polling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(select, "poll", raising=False)
    reader, writer = os.pipe()
    lines = LineReader(reader)
    assert lines.read(0.01) is None
    os.write(writer, b"one\ntwo\nthr")
    assert [lines.read(), lines.read(), lines.read(0.01)] == ["one", "two", None]
    os.close(writer)
    assert lines.read() == "thr"
    with pytest.raises(EOFError):
        lines.read()
    os.close(reader)


@pytest.mark.slow
def test_heuristics_of_one_s_own_engines_and_course_agents_play(plain_system: Path) -> None:
    (plain_system / "own.py").write_text(OWN)
    done = run_isolarium(
        *("tournament", "alphabeta:own.py:own@nodes=50", f"engine:{COMMAND} engine@nodes=50"),
        *(f"course:{AGENTS / 'generation_2' / 'game_agent.py'}@calls=50", "--board", "7x7"),
        *("--pairs", "1", "--workers", "1"),
    )
    assert done.returncode == 0, done.stderr
    assert "6 games" in done.stdout


@pytest.mark.slow
def test_a_survey_is_written_without_locks(plain_system: Path) -> None:
    done = run_isolarium("solve", "--board", "3x4", "--all", "--out", "starts.jsonl")
    assert done.returncode == 0, done.stderr
    assert (plain_system / "starts.jsonl").read_text().count("\n") > 1


@pytest.mark.slow
def test_a_cluster_of_its_own_solves_without_a_fork_server(plain_system: Path) -> None:
    (plain_system / "site" / "sitecustomize.py").write_text("import os\n\ndel os.pidfd_open\n")
    done = run_isolarium("solve", "--board", "3x4", "--all", "--cluster", "local:1")
    assert done.returncode == 0, done.stderr
    assert "3x4" in done.stdout
