"""How many workers there are, and processes that die at the worst moment: while they send a result."""

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import isolarium
from isolarium.compat import usable_cores
from isolarium.errors import InputError
from isolarium.processes.worker import birth, end_at_once, hear_of_deaths, usual_workers
from tests.arena.processes import wait_until
from tests.command import PATIENCE_S


@pytest.mark.parametrize(("said", "workers"), [("3", 3), ("256", 256), ("", len(usable_cores()))])
def test_where_nobody_says_the_variable_does_or_the_cores(
    monkeypatch: pytest.MonkeyPatch, said: str, workers: int
) -> None:
    monkeypatch.setenv("ISOLARIUM_WORKERS", said)
    assert usual_workers() == workers


@pytest.mark.parametrize("said", ["0", "-1", "257", "two", "1.5", "\u0663", "9" * 5000])
def test_a_number_of_workers_that_cannot_be_is_refused(
    monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv("ISOLARIUM_WORKERS", said)
    with pytest.raises(InputError, match=r"ISOLARIUM_WORKERS=.*: expected from 1 to 256"):
        usual_workers()


@pytest.fixture
def executor() -> Iterator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    yield pool
    end_at_once(pool)


def die_while_answering() -> None:
    """Have the process die once the first bytes of its next message are on the line."""

    def send(line: Connection, message: bytes, write: object = None) -> None:
        os.write(line.fileno(), bytes(message[:3]))
        os.kill(os.getpid(), signal.SIGKILL)

    Connection._send = send  # type: ignore[attr-defined]


def stop_while_answering(note: str) -> None:
    """Have the process stand still then."""

    def send(line: Connection, message: bytes, write: object = None) -> None:
        os.write(line.fileno(), bytes(message[:3]))
        Path(note).touch()
        signal.pause()

    Connection._send = send  # type: ignore[attr-defined]


def test_half_a_result_and_then_death_is_heard_of(executor: ProcessPoolExecutor) -> None:
    future = executor.submit(die_while_answering)
    hear_of_deaths(executor)
    with pytest.raises(BrokenProcessPool):
        future.result(PATIENCE_S)


def test_the_end_does_not_wait_for_half_a_result(
    executor: ProcessPoolExecutor, tmp_path: Path
) -> None:
    note = tmp_path / "sending"
    future = executor.submit(stop_while_answering, str(note))
    wait_until(lambda: note.exists() or future.done(), "half a result")
    assert not future.done()
    end_at_once(executor)
    assert isinstance(future.exception(PATIENCE_S), BrokenProcessPool)


SOURCE = Path(isolarium.__file__).parent


def test_no_process_of_ours_imports_from_the_folder_that_it_happens_to_be_in() -> None:
    texts = {path.relative_to(SOURCE).as_posix(): path.read_text() for path in SOURCE.rglob("*.py")}
    started = {name: text.count("sys.executable,") for name, text in texts.items()}
    assert {name for name, count in started.items() if count} == {
        "processes/supervised_process.py",
        "processes/forkserver.py",
        "web/jobs/commands.py",
    }
    for name, count in started.items():
        assert texts[name].count('sys.executable, "-P"') == count
    spawning = {
        name
        for name, text in texts.items()
        if ("multiprocessing import" in text and "get_context" in text) or "LocalCluster(" in text
    }
    assert spawning == {name for name, text in texts.items() if "with birth():" in text}


def test_a_birth_hides_the_main_module_and_leaves_no_trace() -> None:
    main, before = sys.modules["__main__"], os.environ.get("PYTHONSAFEPATH")
    with birth():
        assert sys.modules["__main__"] is not main
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert sys.modules["__main__"] is main
    assert os.environ.get("PYTHONSAFEPATH") == before
