"""Progress lines of a run."""

from dataclasses import replace

import pytest

from isolarium.arena import Conditions
from isolarium.arena.live_game import SlowMove
from isolarium.arena.plan import match_plan, tournament_plan
from isolarium.arena.runner import Progress
from isolarium.arena.tally import Tally
from isolarium.reporting.run_summary import progress_line, standings_lines
from tests.playing import add_results

PLAN = match_plan("random", "random", Conditions(pairs=10))


def progress(played: int, seconds: float, stage: str = "playing") -> Progress:
    """Return the progress of a match of 20 games after some games and seconds."""
    tally = Tally(PLAN, list(range(PLAN.pairs)))
    add_results(tally, ((0, number // 2, number % 2, True) for number in range(played)))
    return Progress(tally, PLAN.games, played, seconds, workers=1, stage=stage)


def test_speed_and_time_left_are_those_of_the_games_so_far() -> None:
    assert progress_line(progress(4, 2.0)).startswith("4 of 20 games · 2 a second · 8 s left · ")
    assert progress_line(progress(2, 60.0)).startswith("2 of 20 games · 2 a minute · 9 min 0 s left · ")


def test_the_time_left_counts_down_while_nothing_arrives() -> None:
    at_arrival = progress(4, 2.0)
    for silent_s, left in ((3.0, "5 s left"), (7.0, "1 s left"), (9.0, None), (500.0, None)):
        later = progress_line(replace(at_arrival, seconds=2.0 + silent_s, silent_s=silent_s))
        assert left in later if left else "left" not in later


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_games_that_took_no_time_are_counted_too(seconds: float) -> None:
    output = progress_line(progress(4, seconds))
    assert output.startswith("4 of 20 games · ")
    assert " · 0 s left · " in output


@pytest.mark.parametrize(
    ("spec", "move_ms", "expected"),
    [
        ("agent:a.py:f", None, "agent:a.py:f has thought for 12 s (limit 60 s)"),
        ("agent:a.py:F@ms=10000", None, "agent:a.py:F@ms=10000 has thought for 12 s (limit 101 s)"),
        ("course:a.py:P@calls=9", None, "course:a.py:P@calls=9 has thought for 12 s (limit 60 s)"),
        ("course:a.py:P@ms=2000", None, "course:a.py:P@ms=2000 has thought for 12 s (limit 21 s)"),
        ("own:f", 2000.0, "own:f has thought for 12 s (limit 21 s)"),
        ("own:f", None, "own:f has thought for 12 s"),
    ],
)
def test_an_agent_that_thinks_for_long_is_named(spec: str, move_ms: float | None, expected: str) -> None:
    plan = replace(PLAN, move_ms=move_ms)
    shown = progress(0, 0.0)
    slow = replace(shown, tally=Tally(plan, [0] * plan.pairs), slow=SlowMove(spec, 12.3))
    assert progress_line(slow) == f"0 of 20 games · {expected}"


def test_standings_use_the_given_display_names() -> None:
    plan = tournament_plan(["random", "greedy:open", "greedy:center"], Conditions(pairs=1))
    tally = Tally(plan, [0])
    add_results(tally, ((number, 0, leg, True) for number in range(3) for leg in (0, 1)))
    called = ("Anna", "Bert", "Carl")
    assert {line.split()[1] for line in standings_lines(tally, 3, called)} == {*called}
    assert {line.split()[1] for line in standings_lines(tally, 3)} == {*plan.agents}


def test_before_the_first_game_no_speed_is_known() -> None:
    assert progress_line(progress(0, 0.0)) == "0 of 20 games"
    assert progress_line(progress(0, 0.0, "compiling")) == "loading (new agents are compiled first)"
