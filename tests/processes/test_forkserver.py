"""Processes forked from one that has only imported: they inherit nothing from it, and everything from the client."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from isolarium.native.jit import initialise_compiler
from isolarium.processes.forkserver import Child, ChildServer, fork_server_for
from isolarium.processes.worker import Inbox, Worker
from tests.arena.processes import is_alive, name_of, wait_until
from tests.command import PATIENCE_S

HERE = "tests.processes.test_forkserver"


def tell(handles: Sequence[int], secret: str) -> int:
    """What a child finds around it."""
    found = {
        "descriptors": sorted(int(entry.name) for entry in Path("/proc/self/fd").iterdir()),
        "handles": list(handles),
        "environment": dict(os.environ),
        "folder": str(Path.cwd()),
        "path": sys.path,
        "argv": sys.argv,
        "main": sorted(vars(sys.modules["__main__"])),
        "group": os.getpgrp(),
        "own": os.getpid(),
        "parent": os.getppid(),
        "cores": sorted(os.sched_getaffinity(0)),
        "chance": random.random(),
        "ctrl_c": signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
        "held_back": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "secret": secret,
        "hash": hash("a word"),
    }
    print(json.dumps(found))
    return 7


def leave(_: Sequence[int], how: str) -> None:
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    raise SystemExit(how if how != "3" else 3)


def echo(inbox: Inbox, prefix: str) -> None:
    while True:
        inbox.send(prefix + inbox.take())


@contextmanager
def started(run: str, *arguments: Any, **options: Any) -> Iterator[tuple[Child, int]]:
    """A child, and where its stdout is heard."""
    fork_server = fork_server_for(options.get("environment"))
    assert fork_server is not None
    out, theirs = os.pipe()
    with Path(os.devnull).open() as nothing:
        streams = nothing.fileno(), theirs, 2
        child = fork_server.start(f"{HERE}:{run}", arguments, streams=streams, **options)
    os.close(theirs)
    try:
        yield child, out
    finally:
        os.close(out)
        child.kill()
        child.wait(PATIENCE_S)


def found_by(*arguments: Any, **options: Any) -> dict[str, Any]:
    with started("tell", *arguments, **options) as (child, out), os.fdopen(os.dup(out)) as said:
        found: dict[str, Any] = json.load(said)
        assert child.wait(PATIENCE_S) == 7
        assert found["own"] == child.pid
    return found


def test_a_child_has_what_its_client_has_and_nothing_else(tmp_path: Path) -> None:
    with (tmp_path / "handed").open("w") as handed:
        around = {**os.environ, "ONE_MORE": "\udcff and so on"}
        found = found_by("told", handles=[handed.fileno()], environment=around, folder=str(tmp_path))
    [handle] = found["handles"]
    own_listing = 1  # what it reads the list with
    assert len(found["descriptors"]) == 3 + 1 + own_listing
    assert {0, 1, 2, handle} < set(found["descriptors"])
    assert found["environment"] == around
    assert found["folder"] == str(tmp_path)
    assert found["path"] == sys.path
    assert (found["argv"], found["secret"]) == (["isolarium"], "told")
    assert found["main"] == sorted(vars(type(sys)("__main__")))
    assert found["cores"] == sorted(os.sched_getaffinity(0))
    assert (found["group"], found["ctrl_c"]) == (os.getpgrp(), True)
    assert found["held_back"] == []


def test_a_child_may_have_its_own_group_and_receive_ctrl_c() -> None:
    found = found_by("", own_group=True)
    assert (found["group"], found["ctrl_c"]) == (found["own"], False)


def test_nothing_is_left_of_a_childs_own_fork_server() -> None:
    its_server = found_by("", child_server=ChildServer.OWN)["parent"]
    assert its_server != found_by("")["parent"]
    wait_until(lambda: not Path(f"/proc/{its_server}").exists(), "its end")


def test_each_child_has_its_own_random_numbers() -> None:
    assert found_by("")["chance"] != found_by("")["chance"]


@pytest.mark.parametrize(("how", "status"), [("3", 3), ("killed", -9), ("a last word", 1)])
def test_the_exit_status_is_reported(how: str, status: int) -> None:
    with started("leave", how) as (child, _):
        assert child.wait(PATIENCE_S) == status


def test_a_child_that_was_never_started_can_be_killed() -> None:
    """The fork server may end before it forks, as when a signal ends the whole process group."""
    reports, theirs = os.pipe()
    os.close(theirs)
    child = Child(reports)
    child.kill()
    child.terminate()
    with pytest.raises(OSError, match="could not be started"):
        child.wait()


def test_another_environment_gets_another_fork_server(monkeypatch: pytest.MonkeyPatch) -> None:
    one = fork_server_for()
    assert fork_server_for() is one
    monkeypatch.setenv("NUMBA_OPT", "2")
    assert fork_server_for() is not one
    assert found_by("")["environment"]["NUMBA_OPT"] == "2"


@pytest.mark.slow
def test_a_child_may_start_in_another_environment() -> None:
    one, around = fork_server_for(), {"PYTHONHASHSEED": "0"}
    printed = [sys.executable, "-c", "print(hash('a word'))"]
    expected = subprocess.run(printed, env=around, capture_output=True, text=True, check=True)
    for _ in range(2):
        found = found_by("", environment=around)
        assert (found["hash"], found["environment"]) == (int(expected.stdout), around)
    assert fork_server_for() is one


def test_a_worker_answers_until_it_ends() -> None:
    worker = Worker(echo, "> ")
    worker.line.send("one")
    assert worker.line.recv() == "> one"
    number = worker.number
    assert number is not None
    os.kill(number, signal.SIGKILL)
    with pytest.raises(EOFError):
        worker.line.recv()
    worker.end()


def say_whether_the_compiler_is_initialised(inbox: Inbox) -> None:
    inbox.send(initialise_compiler.cache_info().currsize == 1)


@pytest.mark.slow
def test_a_function_is_called_before_the_child_is_forked() -> None:
    function = f"{initialise_compiler.__module__}:{initialise_compiler.__name__}"
    worker = Worker(say_whether_the_compiler_is_initialised, needs=[function])
    assert worker.line.recv() is True
    worker.end()


def die_halfway(inbox: Inbox) -> None:
    os.write(inbox._line.fileno(), b"\0\0\0")  # of the four that say how long an answer is
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies_halfway_through_an_answer_is_noticed() -> None:
    worker = Worker(die_halfway)
    with pytest.raises((EOFError, OSError)):
        worker.line.recv()
    worker.end()


OWNER = """
import sys, time
from isolarium.processes.worker import Worker
from tests.processes.test_forkserver import echo
worker = Worker(echo, "")
worker.line.send("there")
print(worker.line.recv(), worker.number, flush=True)
time.sleep(1000)
"""


def test_a_fork_server_and_its_workers_end_with_their_owner() -> None:
    """Killed, so that nothing can be done about it there."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as owner:
        assert owner.stdout is not None
        word, number = owner.stdout.readline().split()
        worker = int(number)
        fork_server = int(Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1])
        assert (word, name_of(fork_server)) == ("there", "isolarium-fork")
        owner.kill()
        wait_until(lambda: not is_alive(fork_server) and not is_alive(worker), "the end of both")
