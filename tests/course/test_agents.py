"""The students' agents that tests play with are right, and do not meet."""

import random
from math import inf
from typing import Any

import pytest

from isolarium.course.loader import ModuleSet
from isolarium.course.modules.first.isolation import Board
from isolarium.course.modules.first.sample_players import improved_score, open_move_score
from isolarium.course.modules.later.isolation import Isolation
from tests.course.student_files import AGENTS, load

GENERATION_2: Any = load("game_agent", AGENTS / "generation_2", ModuleSet.FIRST)
GENERATION_1: Any = load("game_agent", AGENTS / "generation_1", ModuleSet.FIRST)
LATER: Any = load("my_custom_player", AGENTS / "later", ModuleSet.LATER)

SCORES = [improved_score, open_move_score, GENERATION_2.custom_score, GENERATION_2.custom_score_2]


def plain_value(game: Board, player: Any, depth: int) -> float:
    """Minimax, as plain as can be."""
    moves = game.get_legal_moves()
    if depth == 0 or not moves:
        return float(player.score(game, player))
    values = [plain_value(game.forecast_move(move), player, depth - 1) for move in moves]
    return max(values) if game.active_player is player else min(values)


def scattered(player: Any, seed: int) -> Board:
    """A position some random moves into a game, in which the player is to move."""
    chance = random.Random(seed)
    game = Board(player, "other", 5, 6)
    for _ in range(2 * chance.randrange(1, 6)):
        moves = sorted(game.get_legal_moves())
        if not moves:
            return scattered(player, seed + 1000)
        game.apply_move(chance.choice(moves))
    return game


def assert_best(game: Board, player: Any, move: tuple[int, int], depth: int) -> None:
    best = plain_value(game, player, depth)
    if not game.get_legal_moves():
        assert move == (-1, -1)
    else:
        assert plain_value(game.forecast_move(move), player, depth - 1) == best


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_agents_of_generation_2_choose_a_best_move(score: Any, depth: int) -> None:
    for seed in range(6):
        minimax = GENERATION_2.MinimaxPlayer(search_depth=depth, score_fn=score)
        game = scattered(minimax, seed)
        assert_best(game, minimax, minimax.get_move(game, lambda: inf), depth)
        alphabeta = GENERATION_2.AlphaBetaPlayer(score_fn=score)
        alphabeta.time_left = lambda: inf
        game = scattered(alphabeta, seed)
        assert_best(game, alphabeta, alphabeta.alphabeta(game, depth), depth)


@pytest.mark.parametrize("method", ["minimax", "alphabeta"])
def test_agents_of_generation_1_choose_a_best_move(method: str) -> None:
    for seed in range(12):
        player = GENERATION_1.CustomPlayer(search_depth=3, iterative=False, method=method)
        game = scattered(player, seed)
        move = player.get_move(game, game.get_legal_moves(), lambda: inf)
        assert_best(game, player, move, 3)


def test_deepening_ends_with_the_game() -> None:
    player = GENERATION_2.AlphaBetaPlayer()
    game = Board(player, "other", 3, 3)
    game.apply_move((0, 0))
    game.apply_move((2, 2))
    assert player.get_move(game, lambda: inf) in game.get_legal_moves()


@pytest.mark.parametrize(
    "player", [GENERATION_2.MinimaxPlayer(), GENERATION_2.AlphaBetaPlayer(), GENERATION_1.CustomPlayer()]
)
def test_without_time_there_is_still_a_move(player: Any) -> None:
    game = scattered(player, 1)
    moves = [game.get_legal_moves()] if isinstance(player, GENERATION_1.CustomPlayer) else []
    assert player.get_move(game, *moves, lambda: 0) in game.get_legal_moves()


def plain_state_value(state: Isolation, player_id: int, depth: int) -> float:
    if state.terminal_test():
        return state.utility(player_id)
    if depth == 0:
        cells = [len(state.liberties(state.locs[player])) for player in (player_id, 1 - player_id)]
        return cells[0] - cells[1]
    values = [plain_state_value(state.result(a), player_id, depth - 1) for a in state.actions()]
    return max(values) if state.player() == player_id else min(values)


class LastPut:
    """A queue that keeps what was put last."""

    def put(self, item: Any) -> None:
        self.item = item


def middle_of_a_game(chance: random.Random) -> Isolation:
    """A position 50 plies into a game that goes on."""
    state = Isolation()
    while state.ply_count < 50:
        state = state.result(chance.choice(state.actions()))
        if state.terminal_test():
            state = Isolation()
    return state


def test_the_agent_of_the_later_project_chooses_a_best_action() -> None:
    chance = random.Random(1)
    for _ in range(5):
        state = middle_of_a_game(chance)
        player = LATER.CustomPlayer(state.player())
        player.queue = LastPut()
        player.get_action(state)
        best = plain_state_value(state, player.player_id, LATER.DEEPEST)
        result = state.result(player.queue.item)
        assert plain_state_value(result, player.player_id, LATER.DEEPEST - 1) == best


def test_students_do_not_meet() -> None:
    assert GENERATION_2.mobility.__module__ == GENERATION_1.chase.__module__ == "evaluation"
    owners = [
        vars(module)[name].__globals__["OWNER"]
        for module, name in ((GENERATION_2, "mobility"), (GENERATION_1, "chase"), (LATER, "liberties"))
    ]
    assert owners == ["generation 2", "generation 1", "later"]
