"""How many workers there are, the order of their results, and workers that die at the worst moment."""

import itertools
import os
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import isolarium
from isolarium.compat import usable_cores
from isolarium.errors import InputError
from isolarium.processes.worker import WorkerDied, clean_start, default_workers, results_in_order


@pytest.mark.parametrize(("said", "workers"), [("3", 3), ("256", 256), ("", len(usable_cores()))])
def test_where_nobody_says_the_variable_does_or_the_cores(
    monkeypatch: pytest.MonkeyPatch, said: str, workers: int
) -> None:
    monkeypatch.setenv("ISOLARIUM_WORKERS", said)
    assert default_workers() == workers


@pytest.mark.parametrize("said", ["0", "-1", "257", "two", "1.5", "\u0663", "9" * 5000])
def test_a_number_of_workers_that_cannot_be_is_refused(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("ISOLARIUM_WORKERS", said)
    with pytest.raises(InputError, match=r"ISOLARIUM_WORKERS=.*: expected 1 to 256"):
        default_workers()


def square(number: int) -> int:
    return number * number


def square_or_die(number: int) -> int:
    """Die at 5, once the first bytes of the event are sent."""
    if number == 5:

        def send(line: Connection, message: bytes, write: object = None) -> None:
            os.write(line.fileno(), bytes(message[:3]))
            os.kill(os.getpid(), signal.SIGKILL)

        Connection._send = send  # type: ignore[attr-defined]
    return number * number


class UnpicklableError(Exception):
    """Cannot be made from its arguments alone."""

    def __init__(self, what: str, *, where: str) -> None:
        super().__init__(what, where)


def fail(number: int) -> None:
    if number == 2:
        raise UnpicklableError("two", where="here")
    raise InputError(f"{number} is wrong", advice="; take another")


def test_results_come_in_the_order_of_the_tasks() -> None:
    tasks = [(number,) for number in range(50)]
    found = list(results_in_order(square, tasks, 2))
    assert found == [number * number for number in range(50)]


def test_results_end_early_once_stopped() -> None:
    found = list[int]()
    tasks = ((number,) for number in itertools.count())
    for result in results_in_order(square, tasks, 2, is_stopped=lambda: len(found) >= 10):
        found.append(result)
    assert found == [number * number for number in range(len(found))]


def test_a_worker_that_dies_halfway_through_an_event_ends_the_results() -> None:
    tasks = [(number,) for number in range(20)]
    with pytest.raises(WorkerDied):
        list(results_in_order(square_or_die, tasks, 1))


def test_an_error_in_a_worker_is_raised_here_with_its_traceback() -> None:
    with pytest.raises(InputError, match=r"^1 is wrong; take another") as caught:
        list(results_in_order(fail, [(1,)], 1))
    assert "in fail" in caught.value.__notes__[0]
    with pytest.raises(RuntimeError, match=r"UnpicklableError: \('two', 'here'\)"):
        list(results_in_order(fail, [(2,)], 1))


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
        if ("multiprocessing import" in text and "get_context" in text)
        or "LocalCluster(" in text
        or "start_pythons_own(" in text
    } - {"processes/forkserver.py"}  # defines start_pythons_own; its callers are checked
    assert spawning == {name for name, text in texts.items() if "with clean_start():" in text}


def test_a_clean_start_hides_the_main_module_and_leaves_no_trace() -> None:
    main, before = sys.modules["__main__"], os.environ.get("PYTHONSAFEPATH")
    with clean_start():
        assert sys.modules["__main__"] is not main
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert sys.modules["__main__"] is main
    assert os.environ.get("PYTHONSAFEPATH") == before
