"""Labels compared with brute force; which positions are kept, and the outcomes of those past reach."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from isolarium.analysis.label_store import BoardJournal, BoardLabels, read_labels
from isolarium.analysis.labeller import SPLITS, GameSource, Labeller, Reach, SourceGame
from isolarium.game.board import Board
from isolarium.game.position import Player, Position
from isolarium.game.symmetry import symmetries
from isolarium.solver.solver import Solver
from tests.analysis.label_sets import QUICK, made, moves_of, plan_of, position_of
from tests.solver.brute_force import BruteForce

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("board", "games", "reach"),
    [("4x4", 40, Reach()), ("5x5", 12, Reach(most_blanks=15)), ("4x6", 12, Reach(most_blanks=16))],
)
def test_every_label_is_true(board: str, games: int, reach: Reach, tmp_path: Path) -> None:
    made(tmp_path, plan_of(board, games, reach))
    (labels,) = read_labels(tmp_path)
    exact = BruteForce(labels.board)
    assert len(labels) > 50
    for row in range(len(labels)):
        position = position_of(labels, row)
        moves = dict(moves_of(labels, row))
        assert sorted(moves.values()) == sorted(position.legal_moves())
        for direction in range(8):
            wins, plies = int(labels["wins"][row]) >> direction & 1, labels["plies"][row, direction]
            if direction not in moves:
                assert (wins, plies) == (0, 0)
                continue
            after = position.play(moves[direction])
            assert bool(wins) != exact.wins(after)
            assert plies == 1 + exact.plies(after)


def test_labels_of_larger_boards_equal_those_of_a_fresh_solver(tmp_path: Path) -> None:
    made(tmp_path, plan_of("8x9", 3, Reach(most_nodes=5000)))
    (labels,) = read_labels(tmp_path)
    solver = Solver()
    assert len(labels) > 20
    for row in range(len(labels)):
        position = position_of(labels, row)
        for direction, square in moves_of(labels, row):
            wins, plies = int(labels["wins"][row]) >> direction & 1, labels["plies"][row, direction]
            after = position.play(square)
            assert bool(wins) != solver.solve(after).wins
            if plies:
                assert solver.solve_distance(after).plies == plies - 1
    assert labels["plies"].any()


def _least_image(board: Board, position: Position) -> tuple[int, int, int]:
    """One for all positions that are alike, found without the library's own choice of it."""
    images = [symmetry.position(position) for symmetry in symmetries(board)]
    parts = []
    for one in images:
        assert one.first is not None
        assert one.second is not None
        parts.append((one.blank, board.index(one.first), board.index(one.second)))
    return min(parts)


def test_no_class_of_positions_is_in_two_splits(tmp_path: Path) -> None:
    facts = made(tmp_path, plan_of("4x4", 120))
    (labels,) = read_labels(tmp_path)
    splits = defaultdict[tuple[int, int, int], list[int]](list)
    for row in range(len(labels)):
        image = _least_image(labels.board, position_of(labels, row))
        splits[image].append(int(labels["split"][row]))
    assert all(len(seen) == 1 for seen in splits.values())
    assert all(facts["labels"]["4x4"]["splits"][name] for name in SPLITS)
    # That was not for want of games that met in their positions.
    journal = BoardJournal(tmp_path / "4x4.games")
    every = np.concatenate([game.rows for game in journal.read_games()])
    journal.close()
    seen = defaultdict[bytes, set[int]](set)
    for row in every:
        seen[row["blank"].tobytes() + bytes([row["mover"], row["other"]])].add(int(row["split"]))
    assert any(len(one) > 1 for one in seen.values())


def test_a_game_is_in_one_split_and_about_one_in_ten_is_for_each_test(tmp_path: Path) -> None:
    facts = made(tmp_path, plan_of("3x4,4x4", 150))
    split_of_game = defaultdict[int, set[int]](set)
    for labels in read_labels(tmp_path):
        for game, split in zip(labels["game"], labels["split"], strict=True):
            split_of_game[int(game)].add(int(split))
    assert all(len(splits) == 1 for splits in split_of_game.values())  # whatever the board
    train, validation, test = (sum(splits == {place} for splits in split_of_game.values()) for place in range(3))
    assert train > 3 * (validation + test) / 2
    assert min(validation, test) > 5
    assert facts["games"] == 150


def _whole(reach: Reach, seed: int, number: int) -> BoardLabels:
    board = Board(6, 6)
    game = GameSource(board, QUICK, seed).play(number)
    rows = Labeller(reach, seed).label(game, number).rows
    return BoardLabels(board, {name: rows[name] for name in rows.dtype.names or ()})


def test_decisive_only_keeps_what_has_winning_and_losing_moves() -> None:
    every, decisive = (_whole(Reach(decisive_only=only), 3, 5) for only in (False, True))
    kept = (every["wins"] != 0) & (every["wins"] != every["legal"])
    assert 0 < kept.sum() < len(every)
    for name in every.arrays:
        assert np.array_equal(every[name][kept], decisive[name])


def test_outcomes_are_of_strong_play_only_and_marked_as_not_exact() -> None:
    reach = Reach(most_blanks=14, outcomes=True)
    found = 0
    for number in range(12):
        game = GameSource(Board(6, 6), QUICK, 3).play(number)
        labels = _whole(reach, 3, number)
        past = np.flatnonzero(~labels["exact"])
        found += len(past)
        places = [36 - one.blank_count for one in game.positions]
        for row in past:
            place = places.index(int(labels["ply"][row]))
            reached = next((at for at in range(place, len(places)) if game.positions[at] in reach), len(places))
            assert all(game.strong[place:reached])
            mover = game.positions[place].to_move
            assert int(labels["outcome"][row]) == (1 if mover == _winner(game, reached) else -1)
            assert not labels["wins"][row]
            assert not labels["plies"][row].any()
    assert found


def _winner(game: SourceGame, reached: int) -> Player:
    """Return the winner from there."""
    if reached == len(game.positions):
        return game.winner
    to_move = game.positions[reached].to_move
    return to_move if Solver().solve(game.positions[reached]).wins else to_move.other


def test_positions_that_take_too_long_are_skipped_and_counted(tmp_path: Path) -> None:
    facts = made(tmp_path, plan_of("6x6", 4, Reach(most_nodes=1, most_blanks=33)))
    entry = facts["labels"]["6x6"]
    (labels,) = read_labels(tmp_path)
    assert entry["given_up"] > 0
    assert labels["exact"].all()
    assert len(labels) == entry["positions"] > 0
