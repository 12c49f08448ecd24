"""With pytest-xdist, lets one worker collect before the others, and has each begin with slow tests.

A pytest plugin: `pytest -p tests.collection_turns -n 3`. From nothing, each worker would compile all modules.

The controller holds a lock until the first worker has collected or exited; the other workers wait for the lock.

`--dist worksteal` first gives each worker an equal number of tests in their order, then moves tests from the end of a
longer queue. So the quick tests are at the ends: they are moved, and no worker is left alone with a slow one.
"""

import fcntl
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest

FIRST: Final = "gw0"
LOCK: Final = "collection_lock"
"""The entry of a worker's input: the path of the lock."""
DIST: Final = "dist"
"""The entry of a worker's input: how tests are given to workers."""
QUICK: Final = 2
LONGEST: Final = (
    "test_a_silent_worker_is_dropped",
    "test_it_plays_analyses_and_asks_without_a_network",
    "test_every_operation_conforms",
    "test_every_agent_meets_every_opponent_of_the_course",
    "test_bad_submissions_are_named_and_the_rest_plays",
    "test_all_of_them_in_one_tournament_with_an_honest_agent",
    "test_they_show_what_they_were_committed_with",
)
"""The tests that take or wait longest, whose files come first."""


def pytest_configure(config: pytest.Config) -> None:
    """Lock in the controller; wait in all workers but the first."""
    worker = getattr(config, "workerinput", None)
    if worker is None:
        if config.getoption("numprocesses", None):
            config.pluginmanager.register(Turns(), "collection-turns")
    elif worker["workerid"] != FIRST and Path(worker[LOCK]).exists():
        with Path(worker[LOCK]).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In a worker, bring the tests into the order in which they are given to all workers."""
    worker = getattr(config, "workerinput", {})
    if worker.get(DIST) == "worksteal":
        items[:] = chain.from_iterable(shares(items, int(worker["workercount"])))


def shares(items: Sequence[pytest.Item], workers: int) -> list[list[pytest.Item]]:
    """Divide tests into shares of equal size, each with slow files first; a folder's slow files stay together."""
    slow, quick = list[list[pytest.Item]](), list[pytest.Item]()
    files = [list(file) for _, file in groupby(items, lambda item: item.path)]
    for _, of_folder in groupby(files, lambda file: _folder(file[0])):
        tests = sorted(of_folder, key=_haste)
        slow.append([item for file in tests if _haste(file) < QUICK for item in file])
        quick += [item for file in tests if _haste(file) == QUICK for item in file]
    found = [list[pytest.Item]() for _ in range(workers)]
    for group in sorted(slow, key=len, reverse=True):
        min(found, key=len).extend(group)
    for at, share in enumerate(found):
        missing = max(0, len(items) * (at + 1) // workers - len(items) * at // workers - len(share))
        share += quick[:missing]
        del quick[:missing]
    found[-1] += quick
    return found


def _folder(item: pytest.Item) -> str:
    """Return the first folder of a test below `tests`: some folders share a server or a browser."""
    return "/".join(item.nodeid.partition("::")[0].split("/")[:2])


def _haste(file: Sequence[pytest.Item]) -> int:
    """Return 0 for a file with one of the longest tests, `QUICK` for a file without slow tests."""
    if any(item.name in LONGEST for item in file):
        return 0
    return 1 if any(item.get_closest_marker("slow") for item in file) else QUICK


class Turns:
    """The controller's part."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        self._lock = (Path(self._folder.name) / "lock").open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker the path of the lock, and how it gets its tests."""
        node.workerinput[LOCK] = self._lock.name
        node.workerinput[DIST] = node.config.option.dist

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        """Let the others collect."""
        self._release()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self) -> None:
        """Let nobody wait for a worker that exited."""
        self._release()

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self) -> Iterator[None]:
        """Remove the lock."""
        yield
        self._release()
        self._folder.cleanup()

    def _release(self) -> None:
        self._lock.close()
