import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isolarium.stats import elo_from_rate
from tests.stats.game_results import GameResult, rate_agents
from tests.stats.simulations.several import LEAGUES, League, league_coverage

names = st.sampled_from("abcde")
results = st.builds(GameResult, names, names, st.booleans(), st.integers(0, 6))
result_lists = st.lists(results, max_size=40)


def match(first_wins: int, second_wins: int, games: int) -> list[GameResult]:
    """Agent a moves first in `games` games and wins so many, then b likewise."""
    return [GameResult("a", "b", n < first_wins, ("a", n)) for n in range(games)] + [
        GameResult("b", "a", n < second_wins, ("b", n)) for n in range(games)
    ]


def test_two_agents_have_the_closed_form() -> None:
    ratings = rate_agents(match(80_000, 45_000, 100_000))
    as_first, against_first = elo_from_rate(0.80), -elo_from_rate(0.45)
    assert ratings.first_mover.elo == pytest.approx((as_first - against_first) / 2, abs=0.05)
    difference = ratings.difference("a", "b")
    assert difference.elo == pytest.approx((as_first + against_first) / 2, abs=0.05)


def test_intervals_of_unrelated_games_are_those_of_the_information() -> None:
    ratings = rate_agents(match(5_000, 5_000, 10_000))
    # 20,000 even games carry an information of 5,000 on the difference in log odds.
    error = 400 / math.log(10) / math.sqrt(5_000)
    difference = ratings.difference("a", "b")
    assert difference.high == pytest.approx(1.96 * error, rel=0.01)


@given(result_lists)
@settings(max_examples=60)
def test_ratings_average_zero_and_stay_finite(games: list[GameResult]) -> None:
    ratings = rate_agents(games, agents=["idle"])
    known = [row.elo.elo for row in ratings.table if row.agent in ratings.zero]
    assert sum(known) == pytest.approx(0, abs=1e-6)
    assert all(math.isfinite(row.elo.elo) for row in ratings.table)
    elo = [round(row.elo.elo, 6) for row in ratings.table]
    assert elo == sorted(elo, reverse=True)


@given(result_lists)
@settings(max_examples=60)
def test_agents_with_the_same_results_stand_in_the_order_of_their_names(games: list[GameResult]) -> None:
    other = str.maketrans("bc", "cb")
    turned = [replace(game, first=game.first.translate(other), second=game.second.translate(other)) for game in games]
    table = [row.agent for row in rate_agents(games + turned, agents=["b", "c"]).table]
    assert table.index("c") == table.index("b") + 1


@given(result_lists, st.data())
@settings(max_examples=40)
def test_the_order_of_games_does_not_matter(games: list[GameResult], data: st.DataObject) -> None:
    there = rate_agents(data.draw(st.permutations(games)))
    for row in rate_agents(games).table:
        other = there[row.agent]
        assert (row.elo.elo, row.elo.low) == pytest.approx((other.elo.elo, other.elo.low), abs=1e-5)


@given(result_lists)
@settings(max_examples=40)
def test_reversing_every_result_reverses_the_table(games: list[GameResult]) -> None:
    turned = [GameResult(g.first, g.second, not g.first_won, g.cluster) for g in games]
    here, there = rate_agents(games), rate_agents(turned)
    assert here.first_mover.elo == pytest.approx(-there.first_mover.elo, abs=1e-5)
    for row in here.table:
        assert row.elo.elo == pytest.approx(-there[row.agent].elo.elo, abs=1e-5)


def test_one_more_win_raises_a_rating() -> None:
    fewer, more = rate_agents(match(50, 40, 100)), rate_agents(match(51, 40, 100))
    assert more["a"].elo.elo > fewer["a"].elo.elo


def test_an_unbeaten_agent_gets_a_finite_rating_whose_interval_has_no_upper_end() -> None:
    ratings = rate_agents(match(500, 0, 500))
    assert 500 < ratings.difference("a", "b").elo < 3000
    assert ratings.difference("a", "b").low > 0
    assert ratings.difference("a", "b").high == math.inf
    assert ratings.difference("b", "a").low == -math.inf
    assert ratings["a"].elo.high == math.inf
    assert ratings["b"].elo.low == -math.inf
    assert math.isfinite(ratings["a"].elo.low)
    assert ratings.superiority("a", "b") > 0.99


def test_agents_that_beat_each_other_bound_their_ratings() -> None:
    results = ["ac", "ca", "ad", "da", "cd", "ub", "ba", "bc", "bd", "ce", "de"]
    games = [GameResult(one[0], one[1], True, n) for n, one in enumerate(results * 10)]
    ratings = rate_agents(games, agents=["idle"])
    assert ratings.zero == {"a", "c", "d"}
    assert {row.agent for row in ratings.table if row.elo.high == math.inf} == {"u", "b"}
    assert {row.agent for row in ratings.table if row.elo.low == -math.inf} == {"e"}
    within, outside = ratings.difference("a", "c"), ratings.difference("b", "c")
    assert (math.isfinite(within.high), math.isfinite(outside.high)) == (True, False)
    assert ratings.first_mover.high == math.inf


def test_the_rating_of_an_agent_far_ahead_is_held_by_its_interval() -> None:
    far = League((0.0, 0.3, 9.0), 0.3, 20)
    assert league_coverage(far, runs=60, seed=8).ratings > 0.9


def test_only_the_prior_separates_agents_that_never_met() -> None:
    games = match(60, 40, 100) + [
        GameResult(first, second, n % 2 == 0, n) for n in range(100) for first, second in (("c", "d"), ("d", "c"))
    ]
    ratings = rate_agents(games, agents=["idle"])
    assert set(ratings.groups) == {frozenset("ab"), frozenset("cd"), frozenset(["idle"])}
    within, between = ratings.difference("c", "d"), ratings.difference("a", "c")
    assert within.high - within.low < 200
    assert between.high - between.low > 1500
    assert (ratings["idle"].games, ratings["idle"].won) == (0, 0)


def test_a_game_against_oneself_informs_the_advantage_alone() -> None:
    games = match(50, 50, 100) + [GameResult("a", "a", True, n) for n in range(100)]
    ratings = rate_agents(games)
    assert ratings["a"].elo.elo == pytest.approx(0, abs=1e-6)
    assert ratings["a"].games == 300
    assert ratings.first_mover.elo > 50


def test_one_opening_played_over_and_over_proves_nothing() -> None:
    games = [GameResult(*sides, "only") for sides in (("a", "b", True), ("b", "a", False))] * 500
    assert 0 in rate_agents(games).difference("a", "b")


def test_without_games_there_is_only_the_prior() -> None:
    assert rate_agents([]).table == ()
    ratings = rate_agents([], ["a", "b"])
    assert ratings.superiority("a", "b") == 0.5
    assert ratings.difference("a", "b").high == pytest.approx(1.96 * 600 * math.sqrt(2), rel=1e-3)


def test_an_agent_that_is_not_listed_is_not_found() -> None:
    with pytest.raises(KeyError, match="nobody"):
        rate_agents(match(1, 1, 2))["nobody"]


RUNS = 100


@pytest.mark.slow
@pytest.mark.parametrize("name", LEAGUES)
def test_it_recovers_the_truth_and_covers_it(name: str) -> None:
    league = LEAGUES[name]
    found = league_coverage(league, RUNS, seed=11)
    # The agents of one run are related: a run counts once.
    least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)
    assert found.ratings >= least
    assert found.advantage >= least
    if max(league.strengths) <= 1 and league.openings >= 50:
        assert found.bias_elo == pytest.approx(0, abs=6)


@pytest.mark.slow
def test_counting_repeats_as_new_games_loses_coverage() -> None:
    league = LEAGUES["10 openings played 10 times alike"]
    assert league_coverage(league, 60, seed=12).naive_ratings < 0.7
