"""Tuning settings: parameters, defaults, openings, and the next values to try."""

import pytest

from isolarium.errors import InputError
from isolarium.stats import RateEstimate
from isolarium.studies.tuning_config import Objective, Tuning
from isolarium.studies.tuning_runner import Trial, best_of, latin_hypercube, next_rows, rows_of_round

ONE = "greedy:aggressive(weight={0..4})"
SEVERAL = "mcts(c={0..2}):distance(f={arctan|sigmoid}, z={0..4 by 1}, alpha=1)@nodes=50"


@pytest.mark.parametrize(
    ("agent", "names", "untuned"),
    [
        (ONE, ("weight",), "greedy:aggressive"),
        ("mcts(c={0..2})@nodes=50", ("c",), "mcts@nodes=50"),
        (SEVERAL, ("c", "f", "z"), "mcts:distance(alpha=1)@nodes=50"),
        (
            "greedy:staged(first={improved|open}, then=way_out(enough={1..4 by 1}), at={0..1})",
            ("first", "enough", "at"),
            "greedy:staged(then=way_out)",
        ),
    ],
)
def test_parameters_and_the_untuned(agent: str, names: tuple[str, ...], untuned: str) -> None:
    tuning = Tuning(agent)
    assert tuning.names == names
    assert tuning.untuned == untuned
    assert tuning.opponent == untuned


@pytest.mark.parametrize(
    ("tuning", "message"),
    [
        (Tuning("greedy:aggressive"), "no placeholder"),
        (Tuning("greedy:aggressive(weight={})"), "{0..4}"),
        (Tuning("greedy:aggressive(weight={4..0})"), "smaller number first"),
        (Tuning("greedy:aggressive(weight={2..2})"), "smaller number first"),
        (Tuning("greedy:aggressive(weight={0..inf})"), "numbers"),
        (Tuning("greedy:aggressive(weight={0..1e999})"), "numbers"),
        (Tuning("greedy:aggressive(weight={1|nan})"), "a number"),
        (Tuning("greedy:aggressive(weight={0..4 by 0})"), "by STEP"),
        (Tuning("greedy:aggressive(weight={0..4 by 9})"), "a step of at most 4"),
        (Tuning("greedy:aggressive(weight={0..4 by 0.001})"), "1 to 500 values"),
        (Tuning("greedy:aggressive(weight={2|2.0})"), "one value"),
        (Tuning("greedy:{open|improved}"), "PARAMETER="),
        (Tuning("greedy:staged(first={open|opne}, then=improved)"), "'open'"),
        (Tuning("greedy:aggressive(weight={a|b})"), "a number"),
        (Tuning("greedy:aggressive({0..4})"), "PARAMETER="),
        (Tuning("greedy:aggressive(weigth={0..4})"), "did you mean 'weight'"),
        (Tuning("greedy:agressive(weight={0..4})"), "aggressive"),
        (Tuning("greedy:free_moves(d={1..4})"), "write {1..4 by 1}"),
        (Tuning("greedy:free_moves(d={-3..4 by 1})"), "from 0 to 6"),
        (Tuning("alphabeta:open(x={0..1})@nodes={1|2}"), "PARAMETER="),
        (Tuning("mcts(c={0..2})@nodes=50", on=Objective.TRUTH), "heuristic"),
        (Tuning(ONE, against="nobody"), "nobody"),
        (Tuning(ONE, against="greedy:aggressive(weight={0..2})"), "without places"),
        (Tuning(ONE, against="random", on=Objective.TRUTH), "no opponent"),
        (Tuning(ONE, board="13x13", on=Objective.TRUTH), "99 squares"),
        (Tuning(ONE, gain=0.0), "gain=0"),
        (Tuning(ONE, gain=float("nan")), "gain=nan"),
        (Tuning(ONE, gain=float("inf")), "gain=inf"),
        (Tuning(ONE, name=" "), "a name"),
        (Tuning(ONE, trials=500, pairs=100_000), "1,000,000"),
        (Tuning(ONE, board="2x2"), "3 to 13"),
        (Tuning(ONE, board="3x3"), "openings"),
    ],
    ids=lambda value: "" if isinstance(value, Tuning) else None,
)
def test_invalid_settings_are_refused(tuning: Tuning, message: str) -> None:
    with pytest.raises(InputError) as caught:
        tuning.check()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_two_runs_share_an_opening() -> None:
    tuning = Tuning(ONE, trials=6, round=3, pairs=30, confirm=50)
    plans = [tuning.round_plan(number, [("1",)]) for number in (1, 2)]
    plans.append(tuning.confirmation_plan(("1",)))
    assert [plan.pairs for plan in plans] == [30, 30, 50]
    clusters = [opening.cluster for plan in plans for opening in plan.draw_openings()]
    assert len(set(clusters)) == len(clusters)


def test_the_first_round_covers_every_range() -> None:
    assert latin_hypercube(Tuning(ONE).places, 5, 1) == [("0",), ("1",), ("2",), ("3",), ("4",)]
    rows = latin_hypercube(Tuning(SEVERAL).places, 9, 1)
    assert {row[0] for row in rows} >= {"0", "1", "2"}
    assert {row[1] for row in rows} == {"arctan", "sigmoid"}
    assert {row[2] for row in rows} == {"0", "1", "2", "3", "4"}


def _trial(row: tuple[str, ...], rate: float, error: float = 0.02) -> Trial:
    return Trial(1, row, RateEstimate(rate, rate - error, rate + error))


def test_the_next_values_depend_on_the_trials_and_the_round_only() -> None:
    tuning = Tuning(SEVERAL, trials=24, round=8)
    first = rows_of_round(tuning, 1, [])
    trials = [_trial(row, 0.5 + float(row[0]) / 20) for row in first]
    second = rows_of_round(tuning, 2, trials)
    assert rows_of_round(tuning, 2, trials) == second
    assert rows_of_round(tuning, 3, trials) != second
    assert len(second) == len(set(second)) == 8


def test_no_value_is_tried_twice_in_a_round() -> None:
    places = Tuning("greedy:distance(f={arctan|sigmoid})").places
    trials = [_trial(("arctan",), 0.6), _trial(("sigmoid",), 0.4)]
    assert sorted(next_rows(places, trials, 8, 1)) == [("arctan",), ("sigmoid",)]


def test_a_noisy_score_counts_for_less() -> None:
    scores = {"1": 0.55, "2": 0.54, "3": 0.53, "3.8": 0.52}
    trials = [_trial((value,), rate, 0.01) for value, rate in scores.items()]
    lucky = _trial(("3.9",), 0.60, 0.3)
    assert best_of(Tuning(ONE).places, [*trials, lucky]).row == ("1",)
