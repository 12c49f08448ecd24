"""Processes that die at the worst moment: while they send a result."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from isolab.processes import end_at_once, hear_of_deaths
from tests.arena.processes import wait_until
from tests.command import PATIENCE_S


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
