"""What is in force is reported in one line, and holds."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from isolarium.processes import sandbox
from isolarium.processes.sandbox import Protection
from isolarium.processes.sandboxed_process import protection_here
from tests.command import PATIENCE_S, environment

WHOLE = Protection(files=True, calls=True, network=True, processes=True, session=True, landlock=7)
LINES = {
    "everything": (WHOLE, "restricts files, network, processes, terminal (Landlock 7, seccomp)"),
    "no Landlock": (
        replace(WHOLE, files=False, landlock=0),
        "restricts network, processes, terminal (seccomp); does NOT restrict files here",
    ),
    "an unknown processor": (
        replace(WHOLE, calls=False, processes=False),
        "restricts files, network, terminal (Landlock 7); does NOT restrict processes here",
    ),
    "nothing": (Protection(), "third-party code can do whatever you can"),
}
PROBE = """
import json, os, threading
from dataclasses import asdict
from isolarium.processes.sandbox import Profile, confine

{before}
protection = confine(Profile(), descriptors=[])
found = [asdict(protection), os.getsid(0) == os.getpid(), [fd for fd in range(3, 64) if is_open(fd)]]
print(json.dumps(found))
"""
IS_OPEN = """
def is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True
"""


@pytest.mark.parametrize(("protection", "line"), LINES.values(), ids=LINES.keys())
def test_what_is_in_force_is_one_line(protection: Protection, line: str) -> None:
    assert line in protection.line
    assert "\n" not in protection.line


def test_only_root_is_warned() -> None:
    assert WHOLE.warning is None
    warning = replace(WHOLE, as_root=True).warning
    assert warning is not None
    assert "running as root" in warning
    assert "every file" not in warning
    assert "every file" in (replace(WHOLE, as_root=True, files=False).warning or "")


def confined(before: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", IS_OPEN + PROBE.format(before=before)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=environment(OPENBLAS_NUM_THREADS="1"),
    )


@pytest.mark.slow
def test_a_confined_process_has_no_terminal_and_no_files() -> None:
    done = confined(f"os.open({os.devnull!r}, os.O_RDONLY)")
    protection, leads_its_session, left = json.loads(done.stdout)
    assert left == []
    assert protection["session"] == leads_its_session
    assert protection["calls"]


@pytest.mark.slow
def test_a_process_with_threads_is_not_sandboxed() -> None:
    wait = f"import isolarium.processes.sandbox as it; it.ENDING_S = {0.01 * sandbox.ENDING_S}"
    done = confined(f"{wait}\nthreading.Thread(target=threading.Event().wait, daemon=True).start()")
    assert "a process with threads cannot be sandboxed" in done.stderr


@pytest.mark.slow
def test_this_machine_is_asked_by_trying_it_out() -> None:
    assert protection_here().calls
