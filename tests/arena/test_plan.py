"""Plans: encounters, refused plans, and plans as JSON."""

from dataclasses import fields
from math import isfinite
from pathlib import Path

import pytest

from isolarium.arena import Conditions
from isolarium.arena.openings import choose_openings
from isolarium.arena.plan import (
    FIELDS,
    JSON_TYPES,
    Encounter,
    Format,
    Plan,
    field_named,
    match_plan,
    plan_from_json,
    sweep_plan,
    tournament_plan,
)
from isolarium.arena.tally import Tally
from isolarium.errors import InputError
from isolarium.spec.template import Sweep
from isolarium.stats import SprtPlan
from tests.playing import add_results

AGENTS = ("random", "greedy:open", "alphabeta:improved")


@pytest.mark.parametrize("name", ["a/b", "..\\b"])
def test_a_name_with_slashes_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="expected a title without slashes"):
        match_plan("random", "random", Conditions(name=name))


def test_all_agents_meet_once() -> None:
    plan = tournament_plan(AGENTS, Conditions(pairs=10))
    assert plan.encounters == (Encounter(0, 1), Encounter(0, 2), Encounter(1, 2))
    assert plan.games == 60


def test_agents_meet_themselves_too() -> None:
    plan = tournament_plan(AGENTS[:2], Conditions(), self_play=True)
    assert plan.encounters == (Encounter(0, 0), Encounter(0, 1), Encounter(1, 1))


def test_agents_under_test_meet_the_field() -> None:
    plan = tournament_plan(AGENTS[:2], Conditions(), against=["random"], field="course")
    assert plan.format is Format.GAUNTLET
    assert plan.opponents == ("random", *FIELDS["course"])
    assert len(plan.encounters) == 16
    assert {met.second for met in plan.encounters} == set(range(2, 10))


def test_agents_are_written_in_full() -> None:
    plan = match_plan("alphabeta: improved", "mcts(c=1.4)@nodes=1k", Conditions())
    assert plan.agents == ("alphabeta:improved@nodes=8000", "mcts@nodes=1000")


def test_one_limit_for_all_that_take_one() -> None:
    plan = tournament_plan(AGENTS, Conditions(limit="ms=5"))
    assert plan.agents == ("random", "greedy:open", "alphabeta:improved@ms=5")
    assert plan.is_timed


def test_a_depth_is_a_limit_for_those_that_it_ends() -> None:
    conditions = Conditions(limit="depth=3")
    swept = sweep_plan("alphabeta:balanced(weight={})", ["0,1"], ["random"], conditions)
    plans = [
        match_plan("alphabeta:open@ms=5", "minimax:open", conditions),
        tournament_plan(AGENTS, conditions, against=["strong:open"]),
        swept,
    ]
    limits = {spec.partition("@")[2] for plan in plans for spec in plan.players}
    assert limits == {"", "depth=3"}
    with pytest.raises(InputError, match=r"^oracle@nodes=2000000: a depth alone never ends oracle"):
        match_plan("alphabeta:open", "oracle", conditions)


def test_a_time_for_a_move_makes_it_timed() -> None:
    assert match_plan("random", "random", Conditions(move_ms=100)).is_timed
    assert not match_plan("random", "random", Conditions()).is_timed


def test_a_sweep_is_a_gauntlet() -> None:
    plan = sweep_plan("alphabeta:balanced(weight={})@nodes=9", ["0:1:0.5"], ["random"], Conditions())
    assert plan.agents == (
        "alphabeta:balanced(weight=0)@nodes=9",
        "alphabeta:balanced@nodes=9",
        "alphabeta:balanced(weight=1)@nodes=9",
    )
    assert plan.sweep is not None
    assert plan.sweep.values == (("0.0",), ("0.5",), ("1.0",))


@pytest.mark.parametrize(
    "plan",
    [
        match_plan("random", "greedy:open", Conditions(), SprtPlan(0, 20, 0.01, 0.1)),
        tournament_plan(AGENTS, Conditions(pairs=3, seed=9, plies=2, name="a b"), self_play=True),
        tournament_plan(AGENTS, Conditions(openings="all", move_ms=2.5), field="fixed-depth"),
        sweep_plan("mcts(c={})", ["1,2"], ["random"], Conditions(board="5x6", limit="nodes=10")),
    ],
    ids=["match", "round robin", "gauntlet", "sweep"],
)
def test_json_and_back(plan: Plan) -> None:
    assert plan_from_json(plan.to_json()) == plan


def test_file_openings_are_kept_in_the_plan(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_text("7x7: d4 b3\n7x7: a1 b3\n", encoding="utf-8")
    plan = match_plan("random", "random", Conditions(openings=str(file)))
    file.unlink()
    again = plan_from_json(plan.to_json())
    assert plan.pairs == 2
    assert [str(opening) for opening in again.draw_openings()] == ["d4 b3", "a1 b3"]


def test_a_list_that_is_too_short_repeats() -> None:
    plan = match_plan("random", "random", Conditions(board="3x3", openings="all", pairs=50))
    supply = choose_openings("all", "3x3").supply
    drawn = plan.draw_openings()
    assert supply is not None
    assert drawn[:10] == drawn[supply : supply + 10]


def test_files_are_found_whatever_their_path_holds(tmp_path: Path) -> None:
    files = [tmp_path / "me@home" / "mine.py", tmp_path / "a: b" / "mine.py"]
    for file in files:
        file.parent.mkdir()
        file.write_text(HEURISTIC, encoding="utf-8")
    nested = f"greedy:staged(then={files[1]}:mine)"
    plan = match_plan(f"greedy:{files[0]}:mine", nested, Conditions())
    assert list(plan.files()) == sorted(map(str, files))


HEURISTIC = """
from isolarium.heuristics import heuristic


@heuristic
def mine(view, own, opp):
    return 0.0
"""


def test_a_plan_can_be_read_without_its_agents_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(HEURISTIC, encoding="utf-8")
    plan = match_plan(f"greedy:{file}:mine", "random", Conditions())
    text, files = plan.to_json(), plan.files()
    assert list(files) == [str(file)]
    file.unlink()
    assert plan_from_json(text) == plan
    assert plan_from_json(text).files() == {}


WRONG = {
    "one agent": (lambda: tournament_plan(["random"], Conditions()), "round robin of 1 agent"),
    "no agent": (lambda: tournament_plan([], Conditions()), "of 0 agents"),
    "no pairs": (lambda: match_plan("random", "random", Conditions(pairs=0)), "pairs=0"),
    "too many pairs": (lambda: match_plan("random", "random", Conditions(pairs=10**8)), "pairs="),
    "negative seed": (lambda: match_plan("random", "random", Conditions(seed=-1)), "seed=-1"),
    "no time": (lambda: match_plan("random", "random", Conditions(move_ms=0)), "move_ms=0"),
    "no number": (lambda: match_plan("random", "random", Conditions(move_ms=float("nan"))), "move_ms=nan"),
    "plies after a list": (lambda: match_plan("random", "random", Conditions(openings="all", plies=2)), "plies=2"),
    "no such agent": (lambda: match_plan("random", "rndom", Conditions()), "did you mean 'random'"),
    "no such limit": (lambda: match_plan("random", "mcts", Conditions(limit="hours=1")), "no limit named 'hours'"),
    "no such field": (lambda: field_named("curse"), "did you mean 'course'?"),
    "themselves in a gauntlet": (
        lambda: tournament_plan(AGENTS, Conditions(), ["random"], self_play=True),
        "agents against themselves in a gauntlet",
    ),
    "no such board": (lambda: match_plan("random", "random", Conditions(board="2x2")), "2x2"),
    "no opponent of a sweep": (lambda: sweep_plan("mcts(c={})", ["1"], [], Conditions()), "without an opponent"),
}


@pytest.mark.parametrize(("make", "output"), WRONG.values(), ids=WRONG.keys())
def test_wrong_plans_are_refused_in_a_line(make: object, output: str) -> None:
    assert callable(make)
    with pytest.raises(InputError) as error:
        make()
    assert output in str(error.value)
    assert "expected" in str(error.value) or "did you mean" in str(error.value)


def test_a_sweep_keeps_its_template() -> None:
    plan = sweep_plan("mcts(c={})@nodes={}", ["1,2", "10,20"], ["random"], Conditions())
    rows = (("1", "10"), ("1", "20"), ("2", "10"), ("2", "20"))
    assert plan.sweep == Sweep("mcts(c={})@nodes={}", rows)


@pytest.mark.parametrize("test", [SprtPlan(-1e308, 1e308), SprtPlan(0, 5), SprtPlan(-4000, 4000)])
def test_a_test_is_refused_or_can_be_read(test: SprtPlan) -> None:
    def plan() -> Plan:
        return match_plan("random", "random", Conditions(pairs=40), test)

    if test.elo1 > 4000:
        with pytest.raises(InputError, match="expected -4,000 to 4,000"):
            plan()
        return
    for won in (True, False):
        tally = Tally(plan(), range(40))
        add_results(tally, ((0, number // 2, number % 2, won) for number in range(80)))
        assert tally.test is not None
        assert all(map(isfinite, tally.test.path))


def test_every_field_of_a_plan_is_checked_when_it_is_read() -> None:
    assert set(JSON_TYPES) == {field.name for field in fields(Plan)}


def test_a_name_of_spaces_is_no_name() -> None:
    assert match_plan("random", "random", Conditions(name="  ")).title == ""
