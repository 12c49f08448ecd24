"""Print the coverage of the intervals and the errors of the sequential test, over wider grids than the tests use."""

import numpy as np

from isolarium.stats import RateEstimate, SprtPlan, rate_from_elo, win_rate
from tests.stats.simulations.one_match import (
    FINE,
    SHAPES,
    Truth,
    always,
    cached_any_time_rate,
    clustered_coverage,
    ever_wrong,
    exact_coverage,
    openings_of_sizes,
    truth_at,
    truths,
    wald,
)
from tests.stats.simulations.sequential import run_sprts
from tests.stats.simulations.several import (
    LEAGUES,
    Field,
    League,
    ManyBesideOne,
    false_matches,
    false_verdicts,
    false_winners,
    field_coverage,
    league_coverage,
)
from tests.stats.simulations.study_rounds import COURSE, Contest, simulate_rounds


def _print_exact() -> None:
    print("Exact coverage of the 95% interval, distinct openings, 1140 truths for each number")
    print("pairs  least  at (mean, split)  mean   Wald's least")
    for pairs in (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 60):
        found = [(exact_coverage(pairs, truth), truth) for truth in FINE]
        least, where = min(found, key=lambda item: item[0])
        mean = float(np.mean([coverage for coverage, _ in found]))
        worst = min(exact_coverage(pairs, truth, wald) for truth in FINE)
        print(f"{pairs:5}  {least:.3f}  ({where.mean:.3f}, {where.split:.3f})    {mean:.3f}  {worst:.3f}")


def _print_clustered(runs: int) -> None:
    print(f"\nRepeated openings: coverage of the 95% interval over {runs} runs")
    for truth in (
        Truth(0.5, 0.0, 1.0),
        Truth(0.5, 0.0, 0.6),
        Truth(0.5, 0.9, 0.8),
        Truth(0.6, 0.5, 0.0),
        Truth(0.9, 0.1, 0.5),
        Truth(0.99, 0.0, 1.0),
        Truth(0.9, 0.1, 0.3),
    ):
        for name, sizes in SHAPES.items():
            found = clustered_coverage(truth, always(openings_of_sizes(sizes)), runs, seed=1)
            print(f"{name:20} mean {truth.mean} split {truth.split} alike {truth.alike}: {found}")
    for alike in (0.0, 0.5, 1.0):
        found = clustered_coverage(
            Truth(0.55, 0.6, alike), lambda rng: rng.integers(315, size=1000).tolist(), 500, seed=2
        )
        print(f"1000 pairs of 315    mean 0.55 split 0.6 alike {alike}: {found}")


def _print_watched(pairs: int) -> None:
    print(f"\nProbability that an interval is wrong if a match of {pairs} pairs is stopped at the worst moment")
    for truth in truths([0.5, 0.6, 0.9], [0, 0.5, 0.9]):
        print(
            f"mean {truth.mean} split {truth.split:.2f}: {ever_wrong(cached_any_time_rate, truth, pairs):.3f}"
            f"  with fixed-length intervals {ever_wrong(win_rate, truth, pairs):.3f}"
        )


def _print_sprt(runs: int) -> None:
    print(f"\nSequential test, alpha = beta = 0.05, {runs} runs: errors, pairs, estimates")
    print("naive and corrected: share of estimates above the truth (0.50 is right), coverage")
    for plan, split in (
        (SprtPlan(0, 80), 0.0),
        (SprtPlan(0, 80), 0.5),
        (SprtPlan(0, 25), 0.9),
        (SprtPlan(-30, 30), 0.5),
        (SprtPlan(0, 200), 0.3),
        (SprtPlan(100, 150), 0.1),
    ):
        for elo in (plan.elo0, (plan.elo0 + plan.elo1) / 2, plan.elo1):
            truth = Truth(rate_from_elo(elo), split)
            found = run_sprts(plan, truth, runs, seed=3, estimates=True)
            print(
                f"[{plan.elo0}, {plan.elo1}] split {split} true {elo:5}: H1 accepted "
                f"{found.accepted_h1 / runs:.3f}  pairs {found.pairs / runs:4.0f}"
                f"  naive {_above_and_held(found.naive, truth.mean)}"
                f"  corrected {_above_and_held(found.corrected, truth.mean)}"
            )
    for openings, alike in ((40, 1.0), (100, 1.0), (100, 0.5)):
        for elo in (0, 80):
            truth = Truth(rate_from_elo(elo), 0.3, alike)
            ours, naive = (
                run_sprts(SprtPlan(0, 80), truth, runs, 4, openings, 600, forget_clusters=forget)
                for forget in (False, True)
            )
            print(
                f"[0, 80] true {elo:2}, {openings} openings {alike} alike, at most 600 pairs: H1 "
                f"{ours.accepted_h1 / runs:.3f} H0 {ours.accepted_h0 / runs:.3f}"
                f"  naive H1 {naive.accepted_h1 / runs:.3f} H0 {naive.accepted_h0 / runs:.3f}"
            )


def _above_and_held(estimates: list[RateEstimate], truth: float) -> str:
    above = np.mean([(e.rate > truth) + 0.5 * (e.rate == truth) for e in estimates])
    return f"{above:.2f} {np.mean([truth in e for e in estimates]):.3f}"


def _print_normalised(runs: int) -> None:
    print(f"\nSequential test in normalised Elo, [0, 45], {runs} runs: share of wrong answers")
    plan = SprtPlan(0, 45, normalised=True)
    for split in (0.0, 0.3, 0.6, 0.9, 0.95):
        under_h0 = run_sprts(plan, truth_at(0, split), runs, seed=5)
        under_h1 = run_sprts(plan, truth_at(45, split), runs, seed=6)
        print(
            f"split {split}: H1 accepted where H0 is true {under_h0.accepted_h1 / runs:.3f}, "
            f"H0 where H1 is true {under_h1.accepted_h0 / runs:.3f}"
        )


def _print_ratings(runs: int) -> None:
    print(f"\nJoint ratings: coverage of the 95% intervals over {runs} runs")
    for name, league in LEAGUES.items():
        found = league_coverage(league, runs, seed=5)
        print(
            f"{name:38} ratings {found.ratings:.3f}  if games were unrelated "
            f"{found.naive_ratings:.3f}  advantage {found.advantage:.3f}"
        )


def _print_fields(runs: int) -> None:
    print(f"\nOne agent against several: coverage over {runs} runs, width, and width with all pairs pooled")
    for rates in ((0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99), (0.2, 0.95), (0.5,) * 7, (0.02, 0.5, 0.98)):
        for openings in (3, 10, 30, 100):
            for alike in (0.0, 0.5, 1.0):
                found = field_coverage(Field(rates, openings, alike), runs, seed=7)
                print(
                    f"{rates} {openings} openings, {alike} alike: {found.held:.3f}  {found.width:.3f}"
                    f"  {found.pooled_width:.3f}"
                )


def _print_many(studies: int) -> None:
    print(f"\nCopies of one agent: share of {studies} studies with any false better or worse")
    for layout in (
        ManyBesideOne(26, 7, 30),
        ManyBesideOne(26, 7, 30, by_opening=0.3),
        ManyBesideOne(26, 7, 30, split=0.95),
        ManyBesideOne(7, 7, 30),
        *(ManyBesideOne(26, opponents, n) for opponents in (1, 7) for n in (3, 5, 100)),
        ManyBesideOne(4, 7, 5),
        ManyBesideOne(4, 7, 100),
    ):
        found = false_verdicts(layout, studies, seed=6)
        print(f"{layout}: {found.corrected:.3f}, one by one {found.uncorrected:.3f}")


def _print_floor(runs: int) -> None:
    print(f"\nEqual agents: share of {runs} runs that name a better one; floor: five distinct openings")
    for openings in (1, 2, 3, 4, 5, 6, 8, 12):
        for repeats, split in ((1, 0.0), (10, 0.0), (10, 0.6)):
            truth = Truth(0.5, split, alike=1.0)
            found = false_matches(truth, openings, repeats, runs, seed=8)
            print(
                f"match, {openings} openings {repeats} times, {split} split: {found.with_floor:.3f}"
                f"  without the floor {found.without_floor:.3f}"
            )
        for agents in (3, 6):
            league = League((0.0,) * agents, 0.0, openings, bias=1.0, repeats=5, alike=1.0)
            winners = false_winners(league, runs // 4, seed=9)
            print(
                f"tournament of {agents}, {openings} openings 5 times: {winners.with_floor:.3f}"
                f"  without the floor {winners.without_floor:.3f}"
            )


def _print_rounds(studies: int) -> None:
    agents = len(COURSE)
    against = tuple(-0.3 * lead for lead in COURSE)
    contests = {
        "all equal": Contest((0.0,) * agents, (0.0,) * agents),
        "all equal, nearly all pairs split": Contest((0.0,) * agents, (0.0,) * agents, split=0.95),
        "all equal, openings differ more": Contest((0.0,) * agents, (0.0,) * agents, by_opening=0.3, split=0.5),
        "one better, 25 equal": Contest((0.1,) + (0.0,) * 25, (0.1,) + (0.0,) * 25),
        "as in the course's study": Contest(COURSE, COURSE),
        "the same, but duels go the other way": Contest(COURSE, against),
    }
    print(f"\nStudies in rounds of 26 agents and a baseline, {studies} of each, by budget:")
    print("false: share with any false verdict; held: with all intervals right, and of intervals")
    print("error: mean error of differences in points, away from 0, in the field and in duels")
    print("verdicts: in rounds; with as many games at once by Bonferroni, Holm, Dunnett")
    for name, contest in contests.items():
        for budget, share in ((72_000, 1), (400_000, 10)):
            found = simulate_rounds(contest, budget, studies // share, seed=12)
            errors = " ".join(f"{100 * error:+.2f}" for error in found.bias.values())
            print(
                f"{name:37} {budget:7,}: false {found.wrong:.3f}  held {found.all_held:.3f} "
                f"{found.held:.4f}  error {errors}  verdicts {found.decided:4.1f}; "
                f"{found.at_once:4.1f} {found.holm:4.1f} {found.dunnett:4.1f}"
                f" (false {found.at_once_wrong:.3f})"
            )


if __name__ == "__main__":
    _print_exact()
    _print_clustered(runs=1000)
    _print_watched(pairs=100)
    _print_sprt(runs=1000)
    _print_normalised(runs=500)
    _print_ratings(runs=1000)
    _print_fields(runs=300)
    _print_many(studies=1000)
    _print_rounds(studies=1000)
    _print_floor(runs=1000)
