"""Depth and nodes by move."""

from dataclasses import replace

from isolarium.analysis.effort import Effort
from isolarium.arena.game import Game, is_proven
from tests.analysis.test_visit_heatmap import game


def searched(scores: list[float | str | None], depths: list[int]) -> Game:
    plain = game("a1 e5", "b3 d3 d4 c5")
    return replace(plain, scores=scores, depths=depths, nodes=[10 * depth for depth in depths])


def test_moves_are_numbered_from_the_first_placement_on() -> None:
    effort = Effort(2)
    effort.add(searched([1.0, 2.0, 0.0, None], [2, 3, 4, 5]))
    assert {move: one.depth for move, one in effort.by_move(0).items()} == {3: 2, 5: 4}
    assert {move: one.nodes for move, one in effort.by_move(1).items()} == {4: 30, 6: 50}


def test_proven_ends_and_agents_that_do_not_search_are_left_out() -> None:
    effort = Effort(2)
    effort.add(searched([1.0, "loss 2", "win 3", "-inf"], [2, 2, 1, 0]))
    assert list(effort.by_move(0)) == [3]
    assert list(effort.by_move(1)) == []


def test_moves_that_few_games_reach_are_left_out() -> None:
    effort = Effort(2)
    for _ in range(40):
        effort.add(game("a1 e5", "b3"))
    effort.add(game("a1 e5", "b3 d3 d4"))
    assert list(effort.by_move(0)) == [3]


def test_only_words_are_proven() -> None:
    assert [is_proven(score) for score in ("win 5", "loss", "inf", "-inf", 1.0, None)] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]
