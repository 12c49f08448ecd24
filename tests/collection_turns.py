"""With pytest-xdist, lets one worker collect before the others, which then find every module compiled.

A pytest plugin: `pytest -p tests.collection_turns -n 3`. From nothing, each worker would compile all modules.

The controller holds a lock until the first worker has collected or exited; the other workers wait for the lock.
"""

import fcntl
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest

FIRST: Final = "gw0"
LOCK: Final = "collection_lock"
"""The entry of a worker's input: the path of the lock."""


def pytest_configure(config: pytest.Config) -> None:
    """Lock in the controller; wait in all workers but the first."""
    worker = getattr(config, "workerinput", None)
    if worker is None:
        if config.getoption("numprocesses", None):
            config.pluginmanager.register(Turns(), "collection-turns")
    elif worker["workerid"] != FIRST and Path(worker[LOCK]).exists():
        with Path(worker[LOCK]).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)


class Turns:
    """The controller's part."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        self._lock = (Path(self._folder.name) / "lock").open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Pass the path of the lock to a worker."""
        node.workerinput[LOCK] = self._lock.name

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
