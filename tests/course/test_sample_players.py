"""The players and scores that come with the course's modules."""

import importlib
import pickle
import random
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import pytest

from isolarium.course.loader import ModuleSet
from isolarium.course.modules.first import sample_players as first
from isolarium.course.modules.first.isolation import Board
from isolarium.course.modules.later import sample_players as later
from isolarium.course.modules.later.isolation import Isolation
from tests.course.student_files import on_the_path

ONE, TWO = "player 1", "player 2"


def board(*moves: tuple[int, int]) -> Board:
    made = Board(ONE, TWO)
    for move in moves:
        made.apply_move(move)
    return made


def over() -> Board:
    """Player 1 is to move and cannot."""
    made = board((0, 0), (6, 6))
    for row, col in ((1, 2), (2, 1)):
        made._board_state[row + col * 7] = 1
    return made


SCORES: list[Callable[[Board, Any], float]] = [
    first.null_score,
    first.open_move_score,
    first.improved_score,
    first.center_score,
]


@pytest.mark.parametrize("score", SCORES)
def test_every_score_knows_who_has_won(score: Callable[[Board, Any], float]) -> None:
    assert (score(over(), ONE), score(over(), TWO)) == (-inf, inf)


@pytest.mark.parametrize(
    ("score", "wanted"),
    [
        (first.null_score, (0.0, 0.0)),
        (first.open_move_score, (2.0, 8.0)),
        (first.improved_score, (-6.0, 6.0)),
        (first.center_score, (24.5, 0.5)),  # (3.5, 3.5), half a square off the centre
    ],
)
def test_scores_of_a_corner_and_the_centre(score: Callable[[Board, Any], float], wanted: tuple[float, float]) -> None:
    made = board((0, 0), (3, 3))
    assert (score(made, ONE), score(made, TWO)) == wanted
    assert isinstance(score(made, ONE), float)


PLAYERS = [first.RandomPlayer(), first.GreedyPlayer(), first.HumanPlayer()]


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("arguments", [1, 2])
def test_players_without_a_move_say_so_to_both_generations(player: Any, arguments: int) -> None:
    assert player.get_move(over(), *[None] * arguments) == (-1, -1)


def test_random_player_makes_any_legal_move() -> None:
    random.seed(3)
    made = board((0, 0), (3, 3))
    drawn = {first.RandomPlayer().get_move(made, None) for _ in range(50)}
    assert drawn == {(1, 2), (2, 1)}


def test_greedy_player_takes_the_highest_score() -> None:
    player = first.GreedyPlayer()
    made = Board(player, TWO)
    made.apply_move((0, 0))
    made.apply_move((6, 6))
    made._board_state[0 + 4 * 7] = 1  # one square fewer to go to from (1, 2)
    assert player.get_move(made, None) == (2, 1)


def test_greedy_player_takes_the_last_square_of_equals() -> None:
    player = first.GreedyPlayer(score_fn=first.null_score)
    made = Board(player, TWO)
    made.apply_move((3, 3))
    made.apply_move((0, 0))
    assert player.get_move(made, None) == (5, 4)


def test_human_player_is_asked_until_the_number_is_right(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["", "no", "2", "1"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert first.HumanPlayer().get_move(board((0, 0), (3, 3)), None) == (2, 1)
    printed = capsys.readouterr().out
    assert "[0] (1, 2)\t[1] (2, 1)" in printed
    assert printed.count("from 0 to 1") == 3


# The later project


class Chosen:
    """A queue that keeps what is put on it."""

    def __init__(self) -> None:
        self.items: list[Any] = []

    def put(self, item: Any) -> None:
        self.items.append(item)


def choice(player: later.BasePlayer, state: Isolation) -> Any:
    player.queue = Chosen()
    player.get_action(state)
    return player.queue.items[-1]


def test_base_player_has_nothing_yet() -> None:
    player = later.BasePlayer(1)
    assert player.player_id == 1
    assert {player.timer, player.queue, player.context, player.data} == {None}
    with pytest.raises(NotImplementedError):
        player.get_action(Isolation())


LATER_PLAYERS = [later.RandomPlayer, later.GreedyPlayer, later.MinimaxPlayer]


@pytest.mark.parametrize("kind", LATER_PLAYERS)
def test_later_players_make_legal_moves(kind: type[later.BasePlayer]) -> None:
    random.seed(4)
    players, state = [kind(0), kind(1)], Isolation()
    for _ in range(8):
        action = choice(players[state.player()], state)
        assert action in state.actions()
        state = state.result(action)


def test_later_greedy_player_goes_where_most_cells_are_open() -> None:
    state = Isolation().result(1).result(57)
    assert choice(later.GreedyPlayer(0), state) == 27  # away from both edges, where there are eight


def test_later_minimax_player_wins_at_once() -> None:
    state = Isolation().result(2).result(0)
    state = state._replace(board=state.board & ~(1 << 15))  # the second player is left with 27 alone
    assert state.result(choice(later.MinimaxPlayer(0), state)).locs == (27, 0)


def test_data_player_reads_its_pickle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert later.DataPlayer(0).data is None
    (tmp_path / "data.pickle").write_bytes(pickle.dumps({Isolation().board: 57}))
    assert later.DataPlayer(0).data == {Isolation().board: 57}


def test_data_player_finds_its_pickle_beside_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "my_custom_player.py").write_text(
        "from sample_players import DataPlayer\nclass CustomPlayer(DataPlayer): pass\n"
    )
    (tmp_path / "data.pickle").write_bytes(pickle.dumps("mine"))
    with on_the_path(tmp_path, ModuleSet.LATER.folder):
        player = importlib.import_module("my_custom_player").CustomPlayer(0)
    assert player.data == "mine"
