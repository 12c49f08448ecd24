"""Compiled code comes from the cache when nothing has changed, and never when something has."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import isolarium
from tests.command import PATIENCE_S

MAIN = """
import json
import sys

import numpy as np
from numba import types

import helpers
from helpers import value
from isolarium.native.entry_points import compile_entry, notify_before_compiling, is_cached

SIGNATURE = types.int64(types.int64)

def imported(x):
    return value(x)

def of_module(x):
    return helpers.value(x)

def of_constant(x):
    return x + helpers.CONSTANT

def of_table(x):
    return x + helpers.TABLE[1]

def of_default(x):
    return helpers.with_default(x)

def of_closure(x):
    return helpers.closure(x)

def of_binding(x):
    return x + BOUND

TEMPLATES = imported, of_module, of_constant, of_table, of_default, of_closure, of_binding
BINDINGS = {"BOUND": 10 * helpers.CONSTANT}

print("ready", flush=True)
sys.stdin.readline()
known = [is_cached(template, SIGNATURE, BINDINGS) for template in TEMPLATES]
notified = []
with notify_before_compiling(lambda: notified.append(1)):
    compiled = [compile_entry(template, SIGNATURE, BINDINGS) for template in TEMPLATES]
print(json.dumps({
    "known": known,
    "notified": len(notified),
    "values": [run(100) for run in compiled],
}))
"""

HELPERS = """
import numba
import numpy as np

CONSTANT = {0}
TABLE = np.array([0, {0}, 0])

@numba.njit
def value(x):
    return x + {0}

@numba.njit
def with_default(x, more={0}):
    return x + more

def make_closure(step):
    return numba.njit(lambda x: x + step)

closure = make_closure({0})
"""

COUNT = 7


class Program:
    """Two files, one of them of helpers, and a cache of their own."""

    def __init__(self, folder: Path) -> None:
        self.main = folder / "main.py"
        self.helpers = folder / "helpers.py"
        self.cache = folder / "cache"
        self.main.write_text(MAIN)

    def edit_helpers(self, step: int) -> None:
        """Change every helper, and leave the file's time stamp as it was, as a quick edit may."""
        self.helpers.write_text(HELPERS.format(step))
        os.utime(self.helpers, (1_700_000_000, 1_700_000_000))

    def begin(self) -> "subprocess.Popen[str]":
        """A process that is about to compile."""
        process = subprocess.Popen(
            [sys.executable, "-B", self.main],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "ISOLARIUM_CACHE": str(self.cache)},
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def run(self) -> Any:
        return finish(self.begin())


def finish(process: "subprocess.Popen[str]") -> Any:
    printed, _ = process.communicate("go\n", timeout=PATIENCE_S)
    assert process.returncode == 0
    return json.loads(printed)


def values(step: int) -> list[int]:
    return [100 + step] * (COUNT - 1) + [100 + 10 * step]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = Program(tmp_path)
    program.edit_helpers(1)
    return program


@pytest.mark.slow
def test_an_edited_helper_gives_the_new_value_and_an_unedited_one_the_cached_code(program: Program) -> None:
    cold = {"known": [False] * COUNT, "notified": COUNT, "values": values(1)}
    assert program.run() == cold
    warm = {"known": [True] * COUNT, "notified": 0, "values": values(1)}
    assert program.run() == warm
    program.edit_helpers(2)
    assert program.run()["values"] == values(2)
    program.edit_helpers(1)
    assert program.run() == warm


@pytest.mark.slow
def test_two_processes_may_compile_the_same_at_once_into_the_cache_folder_alone(program: Program) -> None:
    processes = [program.begin(), program.begin()]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [finish(process)["values"] for process in processes] == [values(1)] * 2
    assert program.run()["notified"] == 0
    beside = [*program.main.parent.rglob("*.nb?"), *Path(isolarium.__file__).parent.rglob("*.nb?")]
    assert beside
    assert all(path.is_relative_to(program.cache) for path in beside)
    assert not list(program.cache.rglob("*.tmp"))
