"""The data set has its checksums, and a sample of it agrees with brute force."""

import json
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.solver.start_map import starts
from tests.solver.brute_force import BruteForce

FOLDER = Path(__file__).parents[2] / "docs" / "dataset"
LINES = (FOLDER / "SHA256SUMS").read_text().splitlines()
SUMS = {name: digest for digest, name in map(str.split, LINES)}
MOST_BLANKS = 15


def records(name: str) -> list[tuple[Position, dict[str, Any]]]:
    lines = map(json.loads, (FOLDER / name).read_text(encoding="utf-8").splitlines())
    return [(parse_position(line["position"]), line) for line in lines]


def sample(name: str, many: int) -> list[tuple[Position, dict[str, Any]]]:
    """Some of those that are quick to try out in full."""
    quick = [one for one in records(name) if one[0].blank_count <= MOST_BLANKS]
    return random.Random(name).sample(quick, many)


def winning(position: Position, force: BruteForce) -> list[str]:
    return [str(move) for move in position.legal_moves() if not force.wins(position.play(move))]


def test_the_files_are_what_the_checksums_say() -> None:
    assert {path.name for path in FOLDER.glob("*.jsonl")} == set(SUMS)
    for name, digest in SUMS.items():
        assert sha256((FOLDER / name).read_bytes()).hexdigest() == digest, name


def test_a_sample_of_the_starts_is_right() -> None:
    for position, said in sample("starts.jsonl", 60):
        right = winning(position, BruteForce(position.board))
        assert said["wins"] is bool(right), position
        assert said["move"] in right if right else said["move"] is None, position


def test_a_sample_of_the_positions_is_right() -> None:
    for position, said in sample("positions.jsonl", 40):
        force = BruteForce(position.board)
        assert said["winning"] == winning(position, force), position
        assert said["wins"] is bool(said["winning"])
        assert said["plies"] == force.plies(position)


def test_a_sample_of_the_puzzles_is_right() -> None:
    for position, said in sample("puzzles.jsonl", 40):
        force = BruteForce(position.board)
        assert winning(position, force) == said["line"][:1], position
        assert said["plies"] == force.plies(position)


def test_the_example_of_the_data_card_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    card = (FOLDER.parent / "research" / "dataset.md").read_text(encoding="utf-8")
    monkeypatch.chdir(FOLDER.parents[1])
    exec(card.partition("```python\n")[2].partition("```")[0], {})
    won = sum(said["wins"] for _, said in records("positions.jsonl"))
    assert capsys.readouterr().out.count(" is won by ") == won


def test_every_start_is_there_once_and_of_8x8_those_that_are_solved() -> None:
    every = [one for one, _ in records("starts.jsonl") if one.board.size <= 25]
    boards = dict.fromkeys(position.board for position in every)
    assert every == [start for board in boards for start in starts(board)]
    eight = [position for position, _ in records("starts-8x8.jsonl")]
    assert eight == [start for start in starts(Board(8, 8)) if start in set(eight)]
