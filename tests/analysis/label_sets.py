"""Small sets of labelled positions, and what is in a row of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isolarium.analysis.label_pipeline import LabelPlan, make_labels, make_plan
from isolarium.analysis.label_store import BoardLabels
from isolarium.analysis.labeller import Reach
from isolarium.game.board import KNIGHT_STEPS, Square, parse_board
from isolarium.game.position import Player, Position

QUICK = ("random", "greedy:open", "strong:stealer@nodes=20")


def plan_of(boards: str, games: int, reach: Reach | None = None, seed: int = 1) -> LabelPlan:
    named = [parse_board(text) for text in boards.split(",")]
    return make_plan(named, games, seed, QUICK, reach or Reach())


def made(folder: Path, plan: LabelPlan) -> dict[str, Any]:
    facts = make_labels(plan, folder, workers=1)
    assert facts is not None
    return facts


def position_of(labels: BoardLabels, row: int) -> Position:
    """The position of a row, FIRST to move."""
    low, middle, high = map(int, labels["blank"][row])
    first, second = (labels.board.square(int(labels[name][row])) for name in ("mover", "other"))
    blank = low | middle << 64 | high << 128
    return Position(labels.board, blank, first, second, Player.FIRST)


def moves_of(labels: BoardLabels, row: int) -> Iterator[tuple[int, Square]]:
    """Every direction that is said to be legal, and the square that it leads to."""
    mover = labels.board.square(int(labels["mover"][row]))
    for direction, (down, right) in enumerate(KNIGHT_STEPS):
        if int(labels["legal"][row]) >> direction & 1:
            yield direction, Square(mover.row + down, mover.col + right)
