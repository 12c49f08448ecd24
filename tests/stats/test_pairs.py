"""Counts of pairs, their effective number, and the checks of figures."""

import subprocess
import sys
from collections.abc import Callable
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

import isolarium.stats
from isolarium.stats import Pair, PairSummary, PairTally, RateEstimate, SprtPlan, summarize
from tests.stats.strategies import pair_lists


def test_pairs_are_counted_by_result_and_by_opening() -> None:
    summary = summarize([Pair(1, "a"), Pair(1, "b"), Pair(0.5, "a"), Pair(0, "c")])
    assert (summary.won, summary.split, summary.lost) == (2, 1, 1)
    assert summary.pairs == 4
    assert summary.clusters == 3
    assert summary.rate == 0.625


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=30))
def test_distinct_openings_are_worth_their_number(scores: list[float]) -> None:
    summary = summarize(Pair(score, number) for number, score in enumerate(scores))
    assert summary.effective == summary.clusters == len(scores)


def test_repeats_that_all_agree_are_worth_one_pair_an_opening() -> None:
    alike = [Pair(float(opening % 2), opening) for opening in range(10) for _ in range(7)]
    assert summarize(alike).effective == pytest.approx(10)


def test_pairs_of_one_opening_are_worth_one() -> None:
    assert summarize(Pair(n % 3 / 2, "only") for n in range(90)).effective == pytest.approx(1)


def test_repeats_that_differ_freely_are_worth_nearly_their_number() -> None:
    free = [Pair(float(n % 2), opening) for opening in range(400) for n in range(opening, opening + 4)]
    assert 0.95 * 1600 < summarize(free).effective < 1600


@given(pair_lists)
def test_worth_lies_between_kishs_number_and_all_pairs(pairs: list[Pair]) -> None:
    sizes = [sum(p.cluster == key for p in pairs) for key in {p.cluster for p in pairs}]
    alike = len(pairs) ** 2 / sum(size * size for size in sizes) if pairs else 0
    assert alike - 1e-9 <= summarize(pairs).effective <= len(pairs)


@given(pair_lists, st.data())
def test_the_order_of_pairs_does_not_matter(pairs: list[Pair], data: st.DataObject) -> None:
    assert summarize(data.draw(st.permutations(pairs))) == summarize(pairs)


@given(pair_lists)
def test_swapping_the_agents_swaps_the_summary(pairs: list[Pair]) -> None:
    swapped = summarize(Pair(1 - pair.score, pair.cluster) for pair in pairs)
    mirrored = summarize(pairs).swapped()
    assert (swapped.won, swapped.split, swapped.lost) == (mirrored.won, mirrored.split, mirrored.lost)
    assert swapped.effective == pytest.approx(mirrored.effective)


@given(pair_lists)
def test_a_tally_can_be_read_at_any_time(pairs: list[Pair]) -> None:
    tally = PairTally()
    for count, pair in enumerate(pairs):
        assert tally.summary() == summarize(pairs[:count])
        tally.add(pair)


@pytest.mark.parametrize("score", [0.25, -1, 2, float("nan")])
def test_a_score_that_no_pair_can_have_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match=r"expected 0, 0\.5 or 1"):
        Pair(score, "a")


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^split -1: expected a whole number of at least 0$"):
        PairSummary.distinct(1, -1, 0)


@pytest.mark.parametrize(
    ("make", "output"),
    [
        (lambda: SprtPlan("0", 5), "elo0 '0'"),  # type: ignore[arg-type] # as people give it
        (lambda: SprtPlan(False, True), "elo0 False"),
        (lambda: SprtPlan(0, nan), "elo1 nan"),
        (lambda: SprtPlan(0, 5, alpha="x"), "alpha 'x'"),  # type: ignore[arg-type]
        (lambda: SprtPlan(0, 5, normalised="no"), "normalised 'no'"),  # type: ignore[arg-type]
        (lambda: PairSummary(-1, 0, 0, 0, 0.0), "won -1"),
        (lambda: PairSummary(1, None, 0, 1, 1.0), "split None"),  # type: ignore[arg-type]
        (lambda: PairSummary(1, 1, 1.5, 1, 1.0), "lost 1.5"),  # type: ignore[arg-type]
        (lambda: PairSummary(1, 1, 1, 4, 3.0), "clusters 4: expected at most 3"),
        (lambda: PairSummary(1, 1, 1, 3, 1e9), "effective 1000000000.0"),
        (lambda: PairSummary.distinct(2, True, 0), "split True"),
        (lambda: RateEstimate(5, 7, 3), "rate 5"),
        (lambda: RateEstimate(0.5, 0.6, 0.7), "low 0.6: expected a number from 0 to 0.5"),
        (lambda: RateEstimate(0.5, 0.4, inf), "high inf"),
        (lambda: RateEstimate(0.5, 0.4, 0.6, 95), "confidence 95"),
        (lambda: RateEstimate(0.5, None, 0.6), "low None"),  # type: ignore[arg-type]
    ],
)
def test_an_invalid_figure_is_named_in_the_error(make: Callable[[], object], output: str) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        make()
    assert output in str(caught.value)


def test_importing_stats_does_not_import_numpy() -> None:
    program = "import sys, isolarium.stats; print(int('numpy' in sys.modules))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert found.stdout.strip() == b"0"


def test_every_public_name_exists() -> None:
    assert all(hasattr(isolarium.stats, name) for name in isolarium.stats.__all__)
    assert len(isolarium.stats.__all__) == len(set(isolarium.stats.__all__))
