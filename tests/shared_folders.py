"""What is dear to make is made by one of the processes of a test run, and used by all."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that `make` has filled, in this process or, before it, in another."""
    base = factory.getbasetemp()
    root = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = root / name
    with (root / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not folder.with_suffix(".made").exists():
            folder.mkdir()
            make(folder)
            folder.with_suffix(".made").touch()
    return folder
