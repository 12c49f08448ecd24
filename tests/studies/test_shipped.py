"""The studies that come with Isolarium say what the reports say, and can be played."""

from collections import Counter

import pytest

from isolarium.agents import parse_spec
from isolarium.heuristics.bound_heuristic import bind_call
from isolarium.heuristics.lookup import catalogue
from isolarium.studies.study import Study, StudyPart
from isolarium.studies.study_file import read_study, shipped_studies

STUDIES = {name: read_study(path) for name, path in shipped_studies().items()}
PARTS = [pytest.param(study, part, id=f"{name} {part.name}") for name, study in STUDIES.items() for part in study.parts]


def part_of(study: str, name: str) -> StudyPart:
    [part] = [part for part in STUDIES[study].parts if part.name == name]
    return part


def test_there_is_one_for_the_course_and_for_every_report() -> None:
    assert list(STUDIES) == ["course", "report-000", "report-001", "report-002", "report-003", "report-004"]


@pytest.mark.parametrize(("study", "part"), PARTS)
def test_every_name_is_used_and_every_limit_is_said(study: Study, part: StudyPart) -> None:
    plan = study.plan(part)
    assert len(plan.players) == len(part.players)
    for name, spec in zip(part.players, plan.players, strict=True):
        assert parse_spec(spec).kind == parse_spec(study.agents[name]).kind
        assert not parse_spec(spec).kind.takes_limit or "@" in spec


@pytest.mark.parametrize(("study", "part"), PARTS)
def test_a_limit_by_the_clock_spares_agents_of_fixed_depth(study: Study, part: StudyPart) -> None:
    specs = study.plan(part, limit="ms=150").players
    named = [study.agents[name] for name in part.players]
    for spec, text in zip(specs, named, strict=True):
        if "@" in text or text == "random":
            assert "ms=" not in spec
        else:
            assert spec.endswith("@ms=150")


def test_every_agent_that_is_named_plays() -> None:
    for study in STUDIES.values():
        playing = {name for part in study.parts for name in part.players}
        assert playing == set(study.agents)


def test_course_is_the_whole_catalogue_against_the_courses_opponents() -> None:
    [part] = STUDIES["course"].parts
    plan = STUDIES["course"].plan(part)
    assert sorted(plan.agents) == sorted(f"alphabeta:{name}@nodes=8000" for name in catalogue())
    assert plan.opponents == (
        "random",
        "minimax:open@depth=3",
        "minimax:center@depth=3",
        "minimax:improved@depth=3",
        "alphabeta:open@nodes=8000",
        "alphabeta:center@nodes=8000",
        "alphabeta:improved@nodes=8000",
    )
    assert plan.games >= 1_000


def test_printed_rates_are_what_the_counts_give_but_for_two() -> None:
    misprints = [
        (study.name, claim.source, claim.agent)
        for study in STUDIES.values()
        for part in study.parts
        for claim in part.claims
        if claim.is_misprint
    ]
    assert misprints == [("report-002", "session 1", "AB_Improved"), ("report-002", "session 1", "AB_Custom")]


def test_sessions_of_seed_002_together_are_the_sum_of_the_printed_ones() -> None:
    won, games = Counter[str](), Counter[str]()
    together = {}
    for claim in part_of("report-002", "sessions").claims:
        if claim.source.endswith("together"):
            together[claim.agent] = (claim.wins, claim.games)
        elif not claim.is_cell:
            won[claim.agent] += claim.wins
            games[claim.agent] += claim.games
    for agent in ("AB_Custom_2", "AB_Custom_3"):
        assert together.pop(f"{agent}_as_printed") == together[agent]
    assert together == {agent: (won[agent], games[agent]) for agent in won}


def test_sessions_of_seed_002_compare_the_rates_of_its_tables() -> None:
    part = part_of("report-002", "sessions")
    rates = {
        (claim.source, claim.agent): round(100 * claim.wins / claim.games, 1)
        for claim in part.claims
        if not claim.is_cell
    }
    sources = sorted({source for source, _ in rates if source.startswith("session")})
    for sessions in part.sessions[:3]:
        expected = [
            (rates[source, sessions.agent], rates[source, sessions.than])
            for source in sources
            if (source, sessions.agent) in rates and (source, sessions.than) in rates
        ]
        assert list(sessions.rates) == expected


def test_second_heuristic_of_seed_002_was_better_twice_in_its_own_tables() -> None:
    claim = part_of("report-002", "sessions").sessions[1]
    assert (claim.better, claim.counted) == (1, (2, 0, 3))


def test_eight_of_ten_of_seed_004_is_seven_and_a_tie() -> None:
    claim = part_of("report-004", "tournaments").sessions[0]
    assert (claim.better, claim.counted) == (8, (7, 1, 2))


def test_sums_of_seed_004_are_those_of_its_rates() -> None:
    part = part_of("report-004", "tournaments")
    for sessions in part.sessions:
        agent = sum(round(1.4 * one) for one, _ in sessions.rates)
        other = sum(round(1.4 * two) for _, two in sessions.rates)
        [own] = [claim for claim in part.claims if claim.agent == sessions.agent]
        assert (own.wins, own.games) == (agent, 140 * len(sessions.rates))
        assert other in [claim.wins for claim in part.claims if claim.agent == sessions.than]


def test_averages_of_seed_001_count_rows_and_columns() -> None:
    part = part_of("report-001", "table-1")
    cells = {(c.agent, c.against[0]): c.wins for c in part.claims if c.is_cell}
    averages = {c.agent: c for c in part.claims if not c.is_cell}
    for agent, average in averages.items():
        own = sum(cells[agent, other] for other in part.opponents if other != agent)
        as_column = sum(100 - cells[other, agent] for other in part.agents if other != agent)
        assert (own + as_column, 700) == (average.wins, average.games)


def test_variants_of_seed_001_are_as_printed() -> None:
    study = STUDIES["report-001"]
    plan = study.plan(part_of("report-001", "table-4"))
    assert plan.agents[1] == "alphabeta:free_moves(u=10)@nodes=13000"
    t_column = part_of("report-001", "table-4").columns["T"]
    for name, t in t_column.items():
        heuristic = parse_spec(study.agents[name]).heuristic
        assert heuristic is not None
        bound = bind_call(heuristic)
        d, u = bound.arguments["d"], bound.arguments["u"]
        assert int(t) == sum(u**power for power in range(d))


def test_seed_003_runs_are_cumulative() -> None:
    won: dict[str, list[int]] = {}
    for claim in part_of("report-003", "against-improved").claims:
        won.setdefault(claim.agent, []).append(claim.wins)
    for first, second, third in won.values():
        assert 0 <= first <= second <= third
        assert second - first <= 200
        assert third - second <= 200
