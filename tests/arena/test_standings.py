"""The tally: the same in any order of games, with or without repeats."""

from hypothesis import given
from hypothesis import strategies as st

from isolarium.arena import Conditions
from isolarium.arena.plan import Plan, match_plan, tournament_plan
from isolarium.arena.results import player_rate
from isolarium.arena.tally import Tally
from isolarium.stats import SprtPlan, SprtState
from tests.playing import add_results

PAIRS = 150
Game = tuple[int, int, int, bool]
CLUSTERS = [pair // 2 for pair in range(PAIRS)]


def games_of(wins: list[bool]) -> list[Game]:
    return [(0, number // 2, number % 2, won) for number, won in enumerate(wins)]


def tally_of(plan: Plan, games: list[Game]) -> Tally:
    tally = Tally(plan, CLUSTERS)
    add_results(tally, games)
    return tally


TEST = match_plan("random", "greedy:open", Conditions(pairs=PAIRS), SprtPlan(0, 100))
LUCKY = [number % 3 != 0 for number in range(2 * PAIRS)]


@given(order=st.permutations(games_of(LUCKY)), batches=st.integers(1, 60))
def test_the_test_decides_at_the_same_pair_in_any_order(order: list[Game], batches: int) -> None:
    expected = tally_of(TEST, games_of(LUCKY))
    tally = Tally(TEST, CLUSTERS)
    for start in range(0, len(order), batches):
        add_results(tally, order[start : start + batches])
    assert expected.decided_at is not None
    assert tally.decided_at == expected.decided_at
    assert tally.test is not None
    assert expected.test is not None
    assert tally.test.path == expected.test.path
    assert tally.summary(0) == expected.summary(0)


@given(st.data())
def test_repeated_games_change_nothing(data: st.DataObject) -> None:
    plan = match_plan("random", "random", Conditions(pairs=20))
    games = games_of(data.draw(st.lists(st.booleans(), min_size=40, max_size=40)))
    again = data.draw(st.lists(st.sampled_from(games)))
    once, twice = tally_of(plan, games), tally_of(plan, [*games, *again])
    assert (twice.games, twice.pairs) == (once.games, once.pairs) == (40, 20)
    assert twice.summary(0) == once.summary(0)
    assert twice.won_by_first_mover == once.won_by_first_mover


def test_a_pair_counts_once_both_games_are_known() -> None:
    plan = match_plan("random", "random", Conditions(pairs=3))
    tally = tally_of(plan, [(0, 1, 1, True)])
    assert (tally.games, tally.pairs, tally.is_done(0, 1)) == (1, 0, False)
    add_results(tally, [(0, 1, 0, False)])
    assert (tally.games, tally.pairs, tally.is_done(0, 1)) == (2, 1, True)
    assert tally.summary(0).split == 1


def test_a_gap_holds_the_test_up() -> None:
    tally = tally_of(TEST, games_of(LUCKY)[2:])
    assert tally.test is not None
    assert tally.test.state is SprtState.RUNNING
    assert tally.test.path == ()
    add_results(tally, games_of(LUCKY)[:2])
    assert tally.decided_at is not None


def test_repeats_and_mirror_images_are_not_new_evidence() -> None:
    plan = match_plan("random", "random", Conditions(pairs=PAIRS))
    alike = Tally(plan, [0] * PAIRS)
    add_results(alike, games_of([True, False] * PAIRS))
    assert alike.summary(0).clusters == 1
    assert alike.summary(0).effective < 2


def test_a_players_average_counts_it_as_first_and_as_second() -> None:
    plan = tournament_plan(["random", "greedy:open", "greedy:improved"], Conditions(pairs=1))
    tally = Tally(plan, [0])
    # 0 beats 1, 2 beats 0, 1 and 2 split.
    add_results(tally, [(0, 0, 0, True), (0, 0, 1, True), (1, 0, 0, False), (1, 0, 1, False)])
    add_results(tally, [(2, 0, 0, True), (2, 0, 1, False)])
    shares = [player_rate(tally, player, finished=True).rate for player in range(3)]
    assert shares == [0.5, 0.25, 0.75]


def test_games_against_itself_are_not_averaged() -> None:
    plan = tournament_plan(["random", "greedy:open"], Conditions(pairs=1), self_play=True)
    tally = Tally(plan, [0])
    add_results(tally, [(0, 0, 0, True), (0, 0, 1, True), (1, 0, 0, True), (1, 0, 1, True)])
    assert tally.games_against_others(0) == 2
    assert tally.won_by_first_mover == [1, 1, 0]
