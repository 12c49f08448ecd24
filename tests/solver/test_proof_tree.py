"""Solving a hard position with a proof tree changes the node count of an answer and nothing else."""

import json
import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board, parse_square
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry, is_mirror
from isolarium.limits import Limit
from isolarium.solver import proof_tree, solver
from isolarium.solver.proof_tree import SubproblemFile
from isolarium.solver.solver import Solver, SplittingSolver
from isolarium.solver.start_map import starts
from tests.samples import how_many
from tests.solver.brute_force import BruteForce

pytestmark = pytest.mark.slow

BOARD = Board(5, 6)


@pytest.fixture
def _hard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up at once where it would take millions of nodes, and open most leaves."""
    monkeypatch.setattr(solver, "PLAIN_NODES", 5)
    monkeypatch.setattr(proof_tree, "BUDGET_SHARE", 0.0)
    monkeypatch.setattr(proof_tree, "LEAST_BUDGET", 60)


@pytest.mark.usefixtures("_hard")
@pytest.mark.parametrize("make", [Solver, lambda: SplittingSolver(3)], ids=["one core", "several"])
def test_answers_are_right(make: Callable[[], Solver]) -> None:
    rng = random.Random(40)
    truth, asked = BruteForce(BOARD), make()
    for position in _positions(rng, how_many(120, 40)):
        solution = asked.solve(position)
        assert solution.wins == truth.wins(position), position
        if solution.wins:
            assert solution.move is not None
            assert not truth.wins(position.play(solution.move)), position


@pytest.mark.usefixtures("_hard")
def test_node_counts_of_one_core_are_reproducible() -> None:
    positions = _positions(random.Random(41), 30)
    counts = [[Solver().solve(position).nodes for position in positions] for _ in range(2)]
    assert counts[0] == counts[1]


@pytest.mark.usefixtures("_hard")
@pytest.mark.parametrize("make", [Solver, lambda: SplittingSolver(2)], ids=["one core", "several"])
def test_limits_give_unknown_and_never_a_guess(make: Callable[[], Solver]) -> None:
    truth, asked = BruteForce(BOARD), make()
    unknown = 0
    for position in _positions(random.Random(42), 60):
        for most in (1, 6, 10, 40, 150):
            wins = asked.solve(position, Limit(nodes=most)).wins
            unknown += wins is None
            assert wins in (None, truth.wins(position)), position
    assert unknown > 50


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "parts.jsonl"


@pytest.mark.usefixtures("_hard")
@pytest.mark.parametrize("make", [Solver, lambda: SplittingSolver(3)], ids=["one core", "several"])
def test_an_interrupted_search_resumes_from_its_file(make: Callable[[], Solver], path: Path) -> None:
    truth = BruteForce(BOARD)
    sittings = 0
    positions = _positions(random.Random(43), 20)[: how_many(20, 8)]
    for position in positions:
        path.unlink(missing_ok=True)
        wins = None
        nodes = 200
        while wins is None:
            with closing(SubproblemFile(path, BOARD)) as parts:
                wins = make().solve(position, Limit(nodes=nodes), store=parts).wins
            sittings += 1
            nodes += 100  # what was given up is tried again by every sitting
        assert wins == truth.wins(position), position
        with closing(SubproblemFile(path, BOARD)) as parts:
            known = Solver().solve(position, Limit(nodes=1), store=parts)
        assert known.wins == wins
        assert is_mirror(position) or known.nodes > 1
    assert sittings > 2 * len(positions)


@pytest.mark.usefixtures("_hard")
def test_every_position_in_a_file_is_right(path: Path) -> None:
    truth = BruteForce(BOARD)
    with closing(SubproblemFile(path, BOARD)) as parts:
        for position in _positions(random.Random(44), 20):
            Solver().solve(position, store=parts)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) > 200
    for line in lines:
        position = parse_position(line["position"])
        assert truth.wins(position) == line["wins"], position
        if line["wins"]:
            assert not truth.wins(position.play(parse_square(line["move"], BOARD))), position


@pytest.mark.usefixtures("_hard")
def test_the_nodes_of_all_sessions_are_counted_together(path: Path) -> None:
    position = next(start for start in starts(BOARD) if Solver().solve(start).nodes > 2000)
    whole = Solver().solve(position).nodes
    with closing(SubproblemFile(path, BOARD)) as parts:
        first = Solver().solve(position, Limit(nodes=whole // 2), store=parts)
    assert first.wins is None
    with closing(SubproblemFile(path, BOARD)) as parts:
        rest = Solver().solve(position, store=parts)
    assert whole - whole // 2 <= rest.nodes <= whole


def test_a_position_is_found_in_every_symmetry(path: Path) -> None:
    position = parse_position("5/1A3/4B/5/5 a")
    with closing(SubproblemFile(path, position.board)) as parts:
        solved = Solver().solve(position, store=parts)
        for symmetry in Symmetry:
            found = parts.find(symmetry.position(position))
            assert found is not None
            assert solved.move is not None
            assert found.move == symmetry.square(solved.move, position.board)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"position": "5/1A3/5/3B1/5 a", "wins": true, "move": "d3", "nodes": 1}', "of 5x6, both"),
        ('{"position": "6/6/6/6/6 a", "wins": true, "move": "a1", "nodes": 1}', "both players"),
        ('{"position": "A5/6/6/6/5B a", "wins": true, "move": "b3", "nodes": 1}', "recorded as won, which is wrong"),
        ("hello", "expected an object"),
    ],
)
def test_an_invalid_line_is_named(line: str, said: str, path: Path) -> None:
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=f"parts.jsonl: line 1: .*{said}"):
        SubproblemFile(path, BOARD)
    assert path.read_text() == line + "\n"


def _positions(rng: random.Random, many: int) -> list[Position]:
    """Starts, and what they become after a few random moves."""
    found = []
    for position in rng.choices(starts(BOARD), k=many):
        for _ in range(rng.randint(0, 6)):
            moves = position.legal_moves()
            if moves:
                position = position.play(rng.choice(moves))
        found.append(position)
    return found
