"""The digest of compiled code changes with everything the code depends on, and with nothing else."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from isolarium.native.entry_points import fingerprint

HELPERS = """
import numba
import numpy as np
import deeper

STEP = 10
TABLE = np.array([1, 2, 3])

def first(x):
    return x + 1

def second(x):
    return x + 2

chosen = first
other_table = np.array([4, 5, 6])
chosen_table = TABLE

def with_constant(x):
    return x + STEP

def with_table(x):
    return x + TABLE[1]

def with_default(x, more=5):
    return x + more

def make_closure(step):
    def inner(x):
        return x + step
    return inner

with_closure = make_closure(3)

def with_alias(x):
    return first(x) * second(x) - chosen(x)

def with_table_alias(x):
    return TABLE[0] + other_table[1] * chosen_table[2]

def with_inner_function(x):
    def inner(y):
        return y + STEP
    return inner(x)

def with_deeper(x):
    return deeper.double(x)

@numba.njit(fastmath=False)
def with_options(x):
    return x + 1.0

class Weights:
    own = 2

def with_class(x):
    return x * Weights.own
"""

DEEPER = """
FACTOR = 2

def double(x):
    return x * FACTOR
"""

USES = """
import helpers
from helpers import *

def through_module(x):
    return helpers.first(x)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path


def digest(folder: Path, function: str, change: tuple[str, str] = ("", "")) -> str:
    """The digest of a function in a fresh import of the three files, with one of them changed."""
    for name, text in (("helpers", HELPERS), ("deeper", DEEPER), ("uses", USES)):
        (folder / f"{name}.py").write_text(text.replace(*change) if change[0] else text)
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    uses = importlib.import_module("uses")
    return fingerprint(getattr(uses, function))


CHANGES = [
    ("first", ("x + 1", "x + 7")),
    ("through_module", ("x + 1", "x + 7")),
    ("with_constant", ("STEP = 10", "STEP = 11")),
    ("with_constant", ("STEP = 10", "STEP = 10.0")),
    ("with_table", ("[1, 2, 3]", "[1, 4, 3]")),
    ("with_table", ("[1, 2, 3]", "[1, 2, 3], dtype=np.int32")),
    ("with_default", ("more=5", "more=6")),
    ("with_closure", ("make_closure(3)", "make_closure(4)")),
    ("with_alias", ("chosen = first", "chosen = second")),
    ("with_table_alias", ("chosen_table = TABLE", "chosen_table = other_table")),
    ("with_inner_function", ("STEP = 10", "STEP = 11")),
    ("with_inner_function", ("y + STEP", "y - STEP")),
    ("with_deeper", ("FACTOR = 2", "FACTOR = 3")),
    ("with_options", ("fastmath=False", "fastmath=True")),
    ("with_class", ("own = 2", "own = 3")),
]


@pytest.mark.parametrize(("function", "change"), CHANGES)
def test_a_change_gives_another_digest(folder: Path, function: str, change: tuple[str, str]) -> None:
    before = digest(folder, function)
    assert digest(folder, function) == before
    assert digest(folder, function, change) != before


@pytest.mark.parametrize("function", sorted({function for function, _ in CHANGES}))
def test_what_does_not_matter_gives_the_same_digest(folder: Path, function: str) -> None:
    before = digest(folder, function)
    assert digest(folder, function, ("import deeper", "import deeper # here\n\nUNUSED = 1\n")) == before


def test_a_file_named_like_one_of_the_library_is_followed(folder: Path) -> None:
    """A script's own folder comes before the library, so its `sched.py` is the one that is meant."""
    standard = sys.modules.pop("sched", None)
    digests = []
    for step in (1, 2):
        (folder / "sched.py").write_text(f"def value(x):\n    return x + {step}\n")
        sys.modules.pop("sched", None)
        importlib.invalidate_caches()
        digests.append(fingerprint(importlib.import_module("sched").value))
    del sys.modules["sched"]
    if standard is not None:
        sys.modules["sched"] = standard
    assert digests[0] != digests[1]


def test_what_cannot_be_followed_gets_a_unique_digest() -> None:
    class Opaque:
        pass

    thing = Opaque()
    assert fingerprint(thing) != fingerprint(thing)


@pytest.mark.slow
def test_equal_in_every_process() -> None:
    code = (
        "from isolarium.native.entry_points import fingerprint\n"
        "from isolarium.search.alphabeta import alphabeta\n"
        "from isolarium.heuristics.bound_heuristic import parse_heuristic\n"
        "print(fingerprint(alphabeta, parse_heuristic('fill_center').compiled, {'a', 'b', 'c'}))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
