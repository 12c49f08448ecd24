"""The proof of one start of 9x9: its leaves are right, the start follows from them, and the estimate chose it well."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from isolarium.game.board import Board
from isolarium.solver.proof_tree import read_subproblems
from isolarium.solver.solver import Solver
from isolarium.solver.survey import read_survey
from isolarium.solver.winloss import WinLossSearch
from tests.samples import how_many
from tools.proofs.proof_size import START, estimate
from tools.proofs.start_9x9 import by_image, leaves

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "docs/evidence/start-9x9.jsonl"


def test_the_start_follows_from_leaves_that_are_right() -> None:
    held = read_subproblems(EVIDENCE, START.board)
    below = leaves(by_image(held), WinLossSearch())
    assert len(held) > len(below) > 100
    for part in sorted(below, key=lambda part: part.nodes)[: how_many(3, 1)]:
        assert part.move is not None
        assert Solver().solve(part.position.play(part.move)).wins is False


def test_a_lost_position_breaks_the_proof() -> None:
    images = by_image(read_subproblems(EVIDENCE, START.board))
    part = leaves(images, WinLossSearch())[0]
    images |= by_image([replace(part, wins=False, move=None)])
    with pytest.raises(SystemExit, match="not won"):
        leaves(images, WinLossSearch())


def test_estimates_are_near_the_nodes_taken() -> None:
    known = read_survey(ROOT / "docs/evidence/starts-8x8.jsonl", Board(8, 8))
    usual = [one for one in known if 3e7 < one.nodes < 2e8]  # those that take more have stalled
    for one in random.Random(1).sample(usual, how_many(4, 2)):
        output = estimate(one.position, 150, WinLossSearch())
        assert abs(output.nodes - one.nodes) < 4 * output.error + 0.15 * one.nodes, one.position
