"""The engine in the browser: current modules, and the same choices and answers as native code."""

import gzip
import json
import random
from collections.abc import Iterator

import pytest

from isolarium.solver.solver import Solver
from tools.build_wasm.comparison import BOARDS, agents, differences, native_choice, native_solution, positions
from tools.build_wasm.description import data_files, description
from tools.build_wasm.node_engine import NodeEngine, has_node
from tools.build_wasm.sources import ENGINE, FOLDER, code_of, is_current

MOST_BYTES = 300_000
QUICK = ("improved", "learned")
REBUILD = "run python -m tools.build_wasm"


def test_modules_are_current() -> None:
    assert is_current(), REBUILD


def test_description_is_current() -> None:
    about = json.loads(ENGINE.read_text(encoding="utf-8"))
    expected = json.loads(json.dumps(description()))
    assert {name: about[name] for name in expected} == expected, REBUILD
    for name, content in data_files().items():
        assert (FOLDER / name).read_bytes() == content, REBUILD


def test_modules_are_small() -> None:
    modules = sorted(FOLDER.glob("*.wasm"))
    assert len(modules) == 6
    zipped = [len(gzip.compress(path.read_bytes(), 9)) for path in modules]
    assert sum(zipped) <= MOST_BYTES


def test_digest_ignores_prose_alone() -> None:
    code = 'X = 1  # a comment\n\n\ndef f():\n    """Do."""\n    return X\n'
    assert code_of(code) == code_of('X = 1\ndef f():\n    """Do\n\n    more."""\n    return X')
    assert code_of(code) != code_of(code.replace("1", "2"))
    assert code_of(code, ()) == "X = 1"
    assert code_of(code, ("f",)) == code_of(code)


@pytest.fixture(scope="module")
def browser() -> Iterator[NodeEngine]:
    with NodeEngine() as engine:
        yield engine


@pytest.fixture(scope="module")
def scalar_browser() -> Iterator[NodeEngine]:
    with NodeEngine(scalar=True) as engine:
        yield engine


in_node = pytest.mark.skipif(not has_node(), reason="Node is not installed")


@pytest.mark.slow
@in_node
@pytest.mark.parametrize("board", BOARDS)
def test_choices_equal_native_ones(board: str, browser: NodeEngine) -> None:
    chance = random.Random(board)
    for spec in chance.sample(agents(QUICK), 6):
        (position,) = positions(board, 1, chance)
        seed = chance.randrange(1 << 40)
        found = browser.ask("choose", spec, str(position), {"seed": seed})
        assert not differences(native_choice(spec, position, seed), found), (spec, str(position))


@pytest.mark.slow
@in_node
@pytest.mark.parametrize("board", ["5x5", "8x8", "9x11", "13x13"])
def test_choices_without_vector_instructions_are_equal(board: str, scalar_browser: NodeEngine) -> None:
    chance = random.Random(f"scalar {board}")
    for spec in chance.sample(agents(QUICK), 3):
        (position,) = positions(board, 1, chance)
        found = scalar_browser.ask("choose", spec, str(position), {"seed": 1})
        assert not differences(native_choice(spec, position, 1), found), (spec, str(position))


@pytest.mark.slow
@in_node
def test_solutions_equal_native_ones(browser: NodeEngine) -> None:
    chance, solver, compared = random.Random(3), Solver(), 0
    for position in positions("7x7", 12, chance):
        if position.first is None or position.second is None:
            continue
        compared += 1
        for distance in (False, True):
            native = native_solution(solver, position, 50_000, distance=distance)
            budget = {"nodes": 50_000, "distance": distance}
            assert not differences(native, browser.ask("solve", str(position), budget))
    assert compared


@in_node
def test_unknown_agents_are_refused(browser: NodeEngine) -> None:
    for spec in ("deepblue", "alphabeta:mine.py:f", "mcts:improved", "champion(staged)@calls=3"):
        assert "SpecError" in browser.ask("choose", spec, "7/7/7/7/7/7/7 a")["error"]
