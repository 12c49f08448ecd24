"""A limit is kept whatever it is spent on."""

import pytest

from isolarium.errors import InputError
from isolarium.limits import CLOCK_STEP_S, Allowance, Limit, per_second


@pytest.mark.parametrize("limit", [{"depth": 0}, {"nodes": 0}, {"time_ms": -1.0}, {"nodes": 10**16}])
def test_a_limit_of_nothing_is_refused(limit: dict[str, int]) -> None:
    with pytest.raises(InputError, match="expected more than 0"):
        Limit(**limit)


def test_without_a_limit_it_is_never_over() -> None:
    allowance = Allowance()
    allowance.spent = 10**12
    assert not allowance.is_over()
    assert allowance.nodes_left(7) == 7
    assert allowance.rest() == Limit()


def test_nodes_are_spent_until_none_is_left() -> None:
    allowance = Allowance(Limit(nodes=100))
    allowance.spent = 60
    assert not allowance.is_over()
    assert (allowance.nodes_left(1000), allowance.nodes_left(30)) == (40, 30)
    assert allowance.rest() == Limit(nodes=40)
    allowance.spent += 50
    assert allowance.is_over()
    assert allowance.nodes_left(1000) == 0


def test_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 5_000_000
    monkeypatch.setattr("isolarium.limits.perf_counter_ns", lambda: now)
    allowance = Allowance(Limit(time_ms=20.0))
    now += 15_000_000
    assert not allowance.is_over()
    assert allowance.elapsed_ms == 15.0
    assert allowance.rest() == Limit(time_ms=5.0)
    now += 5_000_000
    assert allowance.is_over()


def test_it_is_over_when_it_is_told_so() -> None:
    output = False
    allowance = Allowance(Limit(nodes=5), lambda: output)
    assert not allowance.is_over()
    output = True
    assert allowance.is_over()


def test_a_part_of_the_rest_is_the_smaller_of_both() -> None:
    allowance = Allowance(Limit(depth=4, nodes=100))
    allowance.spent = 90
    assert allowance.rest(Limit(nodes=30)) == Limit(depth=4, nodes=10)
    assert allowance.rest(Limit(nodes=3)) == Limit(depth=4, nodes=3)
    assert allowance.rest(Limit(time_ms=2.0)) == Limit(depth=4, nodes=10, time_ms=2.0)


def test_what_is_over_leaves_enough_to_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0
    monkeypatch.setattr("isolarium.limits.perf_counter_ns", lambda: now)
    allowance = Allowance(Limit(nodes=5, time_ms=1.0))
    allowance.spent, now = 9, 3_000_000
    assert allowance.rest() == Limit(nodes=1, time_ms=0.01)


def test_a_rate_is_a_count_by_its_time() -> None:
    assert per_second(300, 2.0) == 150
    assert per_second(0, 2.0) == 0


@pytest.mark.parametrize("seconds", [0.0, -3600.0])
def test_a_clock_that_did_not_move_went_one_step(seconds: float) -> None:
    assert per_second(5, seconds) == 5 / CLOCK_STEP_S
    assert per_second(5, seconds, step_s=1.0) == 5
    assert per_second(0, seconds) == 0
