"""How far a run is, in words."""

import pytest

from isolab.arena.plans import Conditions, match_plan
from isolab.arena.progress_line import describe, duration
from isolab.arena.runner import Progress
from isolab.arena.standings import Tally

PLAN = match_plan("random", "random", Conditions(pairs=10))


def progress(played: int, seconds: float, stage: str = "playing") -> Progress:
    """A match of 20 games of which so many were played here, in so many seconds."""
    tally = Tally(PLAN, list(range(PLAN.pairs)))
    tally.add((0, number // 2, number % 2, True) for number in range(played))
    return Progress(tally, PLAN.games, played, seconds, workers=1, stage=stage)


def test_speed_and_time_left_are_those_of_the_games_so_far() -> None:
    assert describe(progress(4, 2.0)).startswith("4 of 20 games · 2 a second · 8 s left · ")
    assert describe(progress(2, 60.0)).startswith("2 of 20 games · 2 a minute · 9 min 0 s left · ")


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_games_that_took_no_time_by_the_clock_are_told_of_too(seconds: float) -> None:
    told = describe(progress(4, seconds))
    assert told.startswith("4 of 20 games · ")
    assert " · 0 s left · " in told


def test_before_the_first_game_no_speed_is_known() -> None:
    assert describe(progress(0, 0.0)) == "0 of 20 games"
    assert describe(progress(0, 0.0, "compiling")) == "loading (what is new is compiled first)"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (59.4, "59 s"), (130, "2 min 10 s"), (11_100, "3 h 5 min")]
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words
