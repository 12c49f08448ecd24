"""Studies in rounds: the schedule's rules, its error rates, and tiny studies played and resumed."""

from itertools import pairwise
from pathlib import Path

import pytest

from isolarium.arena.run_db import FILE_NAME
from isolarium.arena.runner import Progress
from isolarium.arena.session import SILENT, Listener
from isolarium.errors import InputError
from isolarium.reporting.study_report import study_sections
from isolarium.reporting.terminal import plain_text
from isolarium.stats import RateDifference
from isolarium.studies.rounds import Judged, Kind, Schedule, Step, is_decided
from isolarium.studies.study_file import parse_study
from isolarium.studies.study_results import MIXED, PartResult, Rounds, StudyResults
from isolarium.studies.study_runner import StudyRun, begin_study, open_study, play_study
from tests.stats.simulations.study_rounds import COURSE, Contest, simulate_rounds

SCHEDULE = Schedule(("a", "b", "c"), opponents=2, pairs=10, budget=6_000)
TEXT = """
title = "Chance, and better than chance"

[agents]
Base = "random"
Same = "random"
Better = "alphabeta:improved@nodes=200"

[[part]]
name = "one"
format = "gauntlet"
board = "5x5"
agents = ["Base", "Same", "Better"]
opponents = ["random"]
pairs = 6
budget = 1_500
seed = 3
baseline = "Base"
"""


def judged(look: int, difference: float, reach: float) -> Judged:
    return Judged(look, RateDifference(difference, difference - reach, difference + reach))


def test_sizes_double_and_the_shares_of_the_error_add_up_to_it() -> None:
    for kind, sizes in SCHEDULE.sizes.items():
        assert all(2 * one == two for one, two in pairwise(sizes)), kind
    shares = [
        1 / SCHEDULE.comparisons(kind, look)
        for kind in Kind
        for look in range(len(SCHEDULE.sizes[kind]))
        for _ in SCHEDULE.agents
    ]
    assert len(SCHEDULE.sizes[Kind.DUEL]) > 2
    assert sum(shares) == pytest.approx(1)


def test_agents_without_duels_play_them_first() -> None:
    field = {(agent, Kind.FIELD): judged(0, 0.1, 0.2) for agent in SCHEDULE.agents}
    steps = SCHEDULE.next_round(field, SCHEDULE.first_round, 0)
    assert steps == [Step(Kind.DUEL, 0, ("a", "b", "c"))]


def test_only_open_agents_continue_with_what_needs_fewer_games() -> None:
    found = {
        ("a", Kind.FIELD): judged(0, 0.3, 0.2),  # decided
        ("b", Kind.FIELD): judged(0, 0.19, 0.2),  # nearly decided
        ("b", Kind.DUEL): judged(0, 0.01, 0.1),
        ("c", Kind.FIELD): judged(0, 0.01, 0.2),
        ("c", Kind.DUEL): judged(0, -0.09, 0.1),  # nearly decided
    }
    steps = SCHEDULE.next_round(found, SCHEDULE.first_round, 0)
    assert steps == [Step(Kind.DUEL, 1, ("c",)), Step(Kind.FIELD, 1, ("b",))]


def test_the_closest_are_served_while_the_budget_lasts() -> None:
    found = {(agent, Kind.FIELD): judged(0, 0.01, 0.2) for agent in SCHEDULE.agents}
    found |= {("a", Kind.DUEL): judged(0, 0.02, 0.1), ("b", Kind.DUEL): judged(0, 0.08, 0.1)}
    found |= {("c", Kind.DUEL): judged(0, 0.03, 0.1)}
    cost = SCHEDULE.games(Step(Kind.DUEL, 1, ("b",)), with_baseline=False)
    left = 2 * cost + 1  # a round may spend half of it, so one of the three is served
    assert SCHEDULE.next_round(found, SCHEDULE.budget - left, 0) == [Step(Kind.DUEL, 1, ("b",))]
    assert SCHEDULE.next_round(found, SCHEDULE.budget - cost + 1, 0) == []


def test_equal_agents_are_rarely_called_different() -> None:
    equal = Contest((0.0,) * 12, (0.0,) * 12)
    found = simulate_rounds(equal, budget=20_000, studies=150, seed=1)
    assert found.wrong <= 0.05 + 2.6 * (0.05 * 0.95 / 150) ** 0.5
    assert found.decided < 0.1
    assert 12_000 < found.games <= 20_000


def test_rounds_decide_more_agents_than_one_round_with_as_many_games() -> None:
    found = simulate_rounds(Contest(COURSE, COURSE), budget=45_000, studies=30, seed=2)
    assert found.decided > 1.5 * found.at_once
    assert found.wrong <= 0.1
    assert found.held > 0.99


class StopAt(Listener):
    """Stops at a number of games of the run that is being played."""

    def __init__(self, games: int, runs: int) -> None:
        self.games, self.runs, self.stopped = games, runs, False

    def begin(self, label: str, names: object = ()) -> None:
        self.runs -= 1

    def show(self, progress: Progress) -> None:
        self.stopped |= self.runs <= 0 and progress.tally.games >= self.games

    def is_stopped(self) -> bool:
        return self.stopped


def begin(folder: Path, text: str = TEXT, scale: float = 1.0) -> StudyRun:
    study = parse_study(text, "tiny", folder, "tiny.toml")
    return begin_study(study, folder, scale=scale)


def play(folder: Path, listener: Listener = SILENT) -> StudyResults:
    return play_study(open_study(folder), listener, workers=1)


def rounds_of(result: StudyResults) -> Rounds:
    [part] = result.parts
    assert part.rounds is not None
    return part.rounds


@pytest.mark.slow
def test_a_study_in_rounds_is_resumed_with_the_same_games(tmp_path: Path) -> None:
    whole = play(begin(tmp_path / "whole").folder)
    rounds = rounds_of(whole)
    assert whole.finished
    assert [whole.study.games(part) for part in whole.study.parts] == [1_500]
    assert rounds.games <= 1_500
    assert is_decided(rounds.judged["Better", Kind.FIELD].difference) or is_decided(
        rounds.judged["Better", Kind.DUEL].difference
    )
    [part] = whole.parts
    assert part.verdict("Better") == "better"
    assert part.verdict("Same") == "undecided"

    run = begin(tmp_path / "cut")
    cut = play(run.folder, StopAt(10, runs=2))  # in the first duels
    assert not cut.finished
    assert rounds_of(cut).games < rounds.games
    assert rounds_of(play(run.folder)) == rounds
    folders = {folder.parent.name for folder in run.folder.glob(f"*/{FILE_NAME}")}
    assert {"one", "one-round-2-duel-1"} < folders
    shown = plain_text(study_sections(whole)[0].blocks, width=100)
    assert "1 of 2 agents are better, 0 worse, and 1 undecided" in shown
    assert "head to" in shown
    assert f"{rounds.games:,} games in rounds" in " ".join(shown.split())


@pytest.mark.slow
def test_a_trial_run_and_a_run_by_the_clock_have_one_round(tmp_path: Path) -> None:
    quick = play(begin(tmp_path / "quick", scale=1e-9).folder)
    timed = play(begin(tmp_path / "timed", TEXT.replace("nodes=200", "ms=1")).folder)
    for found in (quick, timed):
        assert found.finished
        assert found.parts[0].rounds is None


def test_a_verdict_needs_one_comparison_and_no_contradiction() -> None:
    def verdict(field: float, duel: float) -> str:
        found = {("A", Kind.FIELD): judged(0, field, 0.1), ("A", Kind.DUEL): judged(0, duel, 0.1)}
        result = PartResult.__new__(PartResult)
        study = parse_study(TEXT.replace("Same", "A"), "tiny", Path(), "tiny.toml")
        rounds = Rounds(SCHEDULE, found, 0, finished=True)
        result.__dict__.update(part=study.parts[0], rounds=rounds)
        return result.verdict("A")

    assert verdict(0.2, 0.05) == verdict(0.05, 0.2) == verdict(0.2, 0.2) == "better"
    assert verdict(-0.2, 0.05) == "worse"
    assert verdict(-0.2, 0.2) == MIXED
    assert verdict(0.05, -0.05) == "undecided"


@pytest.mark.parametrize(
    "change",
    [
        ('baseline = "Base"', ""),
        ("seed = 3", 'seed = 3\nopenings = "all"'),
        ('format = "gauntlet"', 'format = "round robin"'),
    ],
)
def test_a_budget_needs_a_gauntlet_with_a_baseline(change: tuple[str, str]) -> None:
    text = TEXT.replace(*change)
    if "round robin" in text:
        text = text.replace('opponents = ["random"]', "")
    with pytest.raises(InputError, match="budget=1500"):
        parse_study(text, "tiny", Path(), "tiny.toml")
