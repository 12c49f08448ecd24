"""Summaries of runs: tables, verdicts and line widths."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isolarium.analysis.run_accuracy import AgentAccuracy, RunAccuracy
from isolarium.arena import Conditions
from isolarium.arena.openings import columns_of
from isolarium.arena.plan import Plan, match_plan, sweep_plan, tournament_plan
from isolarium.arena.results import Results, failures, read_results
from isolarium.arena.run_db import Record
from isolarium.game.board import parse_board, parse_square
from isolarium.game.position import Player, Reason
from isolarium.game.symmetry import symmetries
from isolarium.reporting.cells import is_best, text_of
from isolarium.reporting.model import Table
from isolarium.reporting.run_summary import duplicates_in_words, run_json, run_summary
from isolarium.reporting.run_tables import course_table, cross_table, standings_table, sweep_table
from isolarium.reporting.terminal import plain_text
from isolarium.reporting.verdict import verdict_of
from isolarium.stats import SprtPlan
from tests.arena.playing import play
from tests.playing import made_up_row, players_of

Score = dict[int, tuple[int, int, int]]
"""For every encounter, pairs won, split and lost by its first agent."""


def results_of(
    folder: Path,
    plan: Plan,
    scores: Score,
    reason: Reason = Reason.NO_MOVES,
    *,
    finished: bool = True,
    busy_ms: float = 7,
    distinct: int | None = None,
) -> Results:
    """The results of a run with made-up games; `distinct` openings are repeated in turn."""
    drawn = plan.draw_openings()
    if distinct is not None:
        drawn = [drawn[number % distinct] for number in range(len(drawn))]
    with closing(Record.create(folder, plan, columns_of(parse_board(plan.board), drawn))) as record:
        openings = record.openings()
        for encounter, (won, split, lost) in scores.items():
            pairs = [2] * won + [1] * split + [0] * lost
            rows = (
                made_up_row(
                    (encounter, pair, leg),
                    openings[pair],
                    plan.board,
                    Player.FIRST if (leg < points) == (leg == 0) else Player.SECOND,
                    reason,
                    said=((1, 3, 5, 7), (2, 4, 6, 8)),
                    players=players_of(plan, encounter, leg),
                )
                for pair, points in enumerate(pairs)
                for leg in (0, 1)
            )
            record.add(replace(game, busy_ms=[busy_ms, *game.busy_ms[1:]] if game.busy_ms else []) for game in rows)
        if finished:
            record.finish("now")
        return read_results(record)


def column(table: Table, heading: str) -> list[str]:
    """Return the displayed cells of a column."""
    [found] = [one for one in table.shown if one.heading == heading]
    return [text_of(row.get(found.key), found.form) for row in table.rows]


def marked(table: Table, key: str) -> list[bool]:
    """Return which cells of a column are marked as best."""
    return [is_best(row.get(key)) for row in table.rows]


def verdict(results: Results) -> str:
    return verdict_of(results).words


def lines(results: Results, width: int = 100) -> list[str]:
    return plain_text(run_summary(results, width), width).splitlines()


THREE = tournament_plan(["random", "greedy:open", "greedy:improved"], Conditions(pairs=10))


def test_cross_table_averages_games_as_row_and_as_column(tmp_path: Path) -> None:
    results = results_of(tmp_path, THREE, {0: (1, 3, 6), 1: (0, 2, 8), 2: (4, 2, 4)})
    table = cross_table(results)
    assert column(table, "") == ["1", "2", "3"]
    assert column(table, "win rate against") == ["greedy:improved", "greedy:open", "random"]
    assert column(table, "1") == ["·", "50%", "10%"]
    assert column(table, "3") == ["90%", "75%", "·"]
    assert [text.partition("%")[0] for text in column(table, "average")] == ["70", "63", "18"]
    assert marked(table, "average") == [True, False, False]
    assert set(column(table, "by chance")) == {"50% ± 15.5"}  # 40 games


def test_cross_table_shows_self_play_but_does_not_average_it(tmp_path: Path) -> None:
    plan = tournament_plan(["random", "greedy:open"], Conditions(pairs=10), self_play=True)
    results = results_of(tmp_path, plan, {0: (10, 0, 0), 1: (5, 0, 5), 2: (0, 10, 0)})
    table = cross_table(results)
    assert column(table, "1") == ["(50%)", "50%"]
    assert column(table, "2") == ["50%", "(100%)"]
    assert [text.partition("%")[0] for text in column(table, "average")] == ["50", "50"]


GAUNTLET = tournament_plan(["greedy:open", "greedy:improved"], Conditions(pairs=10), against=["random", "greedy:open"])
GAUNTLET_SCORES = {0: (8, 2, 0), 1: (0, 10, 0), 2: (9, 1, 0), 3: (0, 9, 1)}


def test_tables_and_scores_round_the_same_way(tmp_path: Path) -> None:
    plan = tournament_plan(["random", "greedy:open"], Conditions(pairs=20))
    results = results_of(tmp_path, plan, {0: (4, 9, 7)})  # 17 of 40
    assert column(cross_table(results), "1") == ["·", "43%"]
    assert column(standings_table(results), "win rate")[1].startswith("43%")
    assert text_of(17 / 40, ".0%") == "43%"


def test_course_table_has_games_won_and_lost_and_marks_the_best(tmp_path: Path) -> None:
    table = course_table(results_of(tmp_path, GAUNTLET, GAUNTLET_SCORES), 100)
    assert column(table, "against") == ["random", "greedy:open", "win rate", "by chance"]
    opened, improved = (one.heading or "" for one in table.shown[1:])
    assert [cell.split() for cell in column(table, opened)[:2]] == [["18", "2"], ["10", "10"]]
    assert [cell.split() for cell in column(table, improved)[:2]] == [["19", "1"], ["9", "11"]]
    assert marked(table, "greedy:open") == [False, True, False, False]
    assert marked(table, "greedy:improved") == [True, False, False, False]
    rates = [column(table, heading)[2].split()[0] for heading in (opened, improved)]
    assert rates == ["70%", "70%"]  # so neither is the best
    assert column(table, opened)[3] == "50% ± 15.5"


def test_course_table_is_transposed_if_agents_do_not_fit(tmp_path: Path) -> None:
    table = course_table(results_of(tmp_path, GAUNTLET, GAUNTLET_SCORES), 30)
    assert column(table, "agent") == ["greedy:open", "greedy:improved"]
    assert [one.heading for one in table.shown[1:3]] == ["win rate", "by chance"]
    assert column(table, table.shown[3].heading or "")[0].split() == ["18", "2"]


def test_standings_have_ratings_with_intervals(tmp_path: Path) -> None:
    results = results_of(tmp_path, THREE, {0: (0, 1, 9), 1: (0, 0, 10), 2: (4, 2, 4)})
    assert results.ratings is not None
    table = standings_table(results)
    elos, sure = column(table, "Elo"), column(table, "LOS over\nthe next")
    assert column(table, "agent")[2] == "random"
    assert elos[2].startswith("-")
    assert all("±" in elo or " to " in elo for elo in elos)
    assert sure[1].startswith("> 99")
    assert sure[2] == ""


def test_verdict_names_the_best_or_the_tied_agents(tmp_path: Path) -> None:
    clear = results_of(tmp_path / "clear", THREE, {0: (10, 0, 0), 1: (10, 0, 0), 2: (5, 0, 5)})
    assert verdict(clear).startswith("random is the best (LOS ")
    level = results_of(tmp_path / "level", THREE, {0: (5, 0, 5), 1: (5, 0, 5), 2: (5, 0, 5)})
    assert verdict(level) == "greedy:improved, greedy:open and random are tied"
    ahead = results_of(tmp_path / "ahead", THREE, {0: (5, 3, 2), 1: (5, 3, 2), 2: (3, 4, 3)})
    assert (
        verdict(ahead) == "random leads, but is not significantly better than greedy:improved and greedy:open "
        "(places 2 and 3)"
    )


@pytest.mark.parametrize("distinct", [1, 4])
def test_few_openings_give_no_verdict_no_interval_and_no_best(tmp_path: Path, distinct: int) -> None:
    pairs = 20
    plan = tournament_plan(["random", "greedy:open", "greedy:improved"], Conditions(pairs=pairs))
    won = {0: (0, 0, pairs), 1: (0, 0, pairs), 2: (pairs, 0, 0)}
    results = results_of(tmp_path / "tournament", plan, won, distinct=distinct)
    openings = "1 distinct opening" if distinct == 1 else "4 distinct openings"
    assert verdict_of(results).figure == "120 games"
    nothing = f"no verdict: {openings}; at least 5 are needed"
    assert verdict(results) == nothing
    assert verdict_of(results).answer == f"No verdict: {openings} cannot show which agent is better"
    printed = "\n".join(lines(results))
    assert "the best" not in printed
    assert "(no interval)" in printed
    assert "LOS >" not in printed
    found = run_json(results)
    assert found["verdict"] == nothing
    for agent in found["per_agent"]:
        assert agent["superiority"] is None
        assert (agent["elo"]["low"], agent["elo"]["high"]) == (None, None)
    for met in found["encounters"]:
        assert met["superiority"] is None
        assert (met["elo"]["low"], met["elo"]["high"]) == (None, None)
    plan = match_plan("greedy:open", "random", Conditions(pairs=pairs), SprtPlan(0, 50))
    match = results_of(tmp_path / "match", plan, {0: (pairs, 0, 0)}, distinct=distinct)
    assert verdict(match) == nothing
    printed = "\n".join(lines(match))
    assert "LOS" not in printed
    assert "significance" not in printed


def test_repeated_openings_and_games_are_counted(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=40))
    results = results_of(tmp_path / "repeated", plan, {0: (40, 0, 0)}, distinct=8)
    assert (results.openings, results.effective_openings) == (8, 8)
    assert results.duplicates == 64  # both games of 32 pairs
    assert "\n".join(lines(results)).count("80.0% of the games are duplicates") == 1
    assert "8 distinct openings" in "\n".join(lines(results))
    rare = replace(results, games=64 * 2000)
    assert duplicates_in_words(rare) == "fewer than 0.1% of the games are duplicates"
    uneven = results_of(tmp_path / "uneven", plan, {0: (13, 0, 0)}, distinct=8, finished=False)
    assert uneven.effective_openings == pytest.approx(13**2 / (5 * 2**2 + 3))
    assert "8 distinct openings, worth 7" in "\n".join(lines(uneven))
    found = run_json(results)
    assert found["duplicate_games"] == results.duplicates
    assert found["effective_openings"] == results.effective_openings
    other = match_plan("greedy:open", "random", Conditions(pairs=40))
    distinct = results_of(tmp_path / "other", other, {0: (20, 10, 10)})
    assert (distinct.effective_openings, distinct.duplicates) == (40, 0)


def test_mirrored_games_are_duplicates_also_after_openings_of_different_lengths(tmp_path: Path) -> None:
    """On 3x3 openings run out and become longer: the mirror image of one may begin as another continues."""
    play(tmp_path, match_plan("random", "random", Conditions(pairs=60, board="3x3")), workers=1)
    with closing(Record(tmp_path)) as record:
        board = record.board
        assert np.ptp(record.opening_lines.lengths) > 0
        images = {
            (game.players, min(tuple(str(one.square(move, board)) for move in line) for one in symmetries(board)))
            for game in record.games()
            for line in [[parse_square(move, board) for move in (*game.opening, *game.moves)]]
        }
        assert read_results(record).duplicates == 120 - len(images) > 60


def test_a_tournament_has_no_verdict_before_its_end(tmp_path: Path) -> None:
    scores = {0: (8, 0, 0), 1: (8, 0, 0), 2: (4, 0, 4)}
    stopped = results_of(tmp_path, THREE, scores, finished=False)
    assert verdict(stopped) == "no verdict before the planned end; random leads so far"
    assert "its interval is valid at the planned end only" in verdict_of(stopped).figure_is


def test_a_stopped_match_is_judged_by_an_anytime_interval(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=100))
    planned = results_of(tmp_path / "planned", match_plan("greedy:open", "random", Conditions(pairs=9)), {0: (8, 0, 1)})
    assert verdict(planned).startswith("better (LOS")
    stopped = results_of(tmp_path / "stopped", plan, {0: (8, 0, 1)}, finished=False)
    assert verdict(stopped) == "before the planned end: no significant difference so far"
    clear = results_of(tmp_path / "clear", plan, {0: (30, 5, 1)}, finished=False)
    valid = "an interval valid whenever the match stops"
    assert verdict(clear) == f"before the planned end: better, by {valid}"
    assert not any("LOS" in line or "significance" in line for line in lines(clear))


def test_a_match_without_pairs_has_no_verdict(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=100))
    nothing = results_of(tmp_path, plan, {}, finished=False)
    assert verdict(nothing) == "no verdict: no pair of games is finished yet"
    assert not any(line.startswith("score") for line in lines(nothing))


def test_a_clock_that_was_not_fair_qualifies_the_verdict(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "alphabeta:open@ms=10", Conditions(pairs=20))
    fair = results_of(tmp_path / "fair", plan, {0: (18, 1, 1)})
    assert "fair" not in verdict(fair)
    assert any("timed games are not reproducible" in line for line in lines(fair))
    unfair = results_of(tmp_path / "unfair", plan, {0: (18, 1, 1)}, busy_ms=1)
    assert verdict(unfair).endswith("; the clock was not fair")
    assert verdict_of(unfair).answer.endswith(", but the clock was not fair")


@pytest.mark.parametrize("finished", [True, False])
def test_likelihood_of_superiority_is_reported_at_the_planned_end_only(tmp_path: Path, finished: bool) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=20))
    output = run_json(results_of(tmp_path / "match", plan, {0: (8, 1, 1)}, finished=finished))
    best = max(output["per_agent"], key=lambda agent: agent["won"])
    assert (output["superiority"] is None, best["superiority"] is None) == (not finished,) * 2
    plan = tournament_plan(["random", "greedy:open", "greedy:improved"], Conditions(pairs=10))
    some = {0: (0, 1, 4), 1: (0, 1, 4), 2: (2, 1, 2)}
    output = run_json(results_of(tmp_path / "tournament", plan, some, finished=finished))
    assert {met["superiority"] is None for met in output["encounters"]} == {not finished}


def test_accuracy_without_games_is_explained(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=20))
    results = results_of(tmp_path, plan, {}, finished=False)
    nothing = RunAccuracy([AgentAccuracy(), AgentAccuracy()])
    output = plain_text(run_summary(results, 100, accuracy=nothing))
    assert "accuracy     not measured: no pair is finished" in output


def test_a_tournament_of_two_has_the_verdict_of_a_match(tmp_path: Path) -> None:
    plan = tournament_plan(["random", "greedy:open"], Conditions(pairs=10))
    results = results_of(tmp_path, plan, {0: (0, 1, 9)})
    table = standings_table(results)
    assert column(table, "agent") == ["greedy:open", "random"]
    assert [elo[0] for elo in column(table, "Elo")] == ["+", "-"]
    assert column(table, "LOS over\nthe next")[0][0] == ">"
    assert verdict(results).startswith("greedy:open against random: better (LOS ")


def test_losses_by_other_reasons_are_reported(tmp_path: Path) -> None:
    results = results_of(tmp_path, THREE, {0: (0, 0, 10)}, Reason.CRASH)
    assert "crash        random lost 20 of 20 games by a crash: did it" in lines(results)
    assert verdict(results).endswith("; random lost 20 of 20 games by a crash")


def test_sweep_table_has_a_row_for_each_value(tmp_path: Path) -> None:
    plan = sweep_plan("mcts(c={})@nodes=9", ["1,2,3"], ["random"], Conditions(pairs=10))
    results = results_of(tmp_path, plan, {0: (1, 1, 8), 1: (5, 0, 5), 2: (3, 4, 3)})
    table = sweep_table(results)
    assert column(table, "value") == ["1", "2", "3"]
    assert marked(table, "score") == [False, True, True]
    pictures = column(table, table.shown[-1].heading or "")
    assert pictures[0].index("●") < pictures[1].index("●")
    assert len({len(picture) for picture in pictures}) == 1
    assert verdict(results).startswith("value ")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_tables_fit_the_screen(tmp_path: Path, width: int) -> None:
    heuristics = ("open", "improved", "center", "balanced", "ratio", "reachable", "aggressive")
    agents = [f"alphabeta:{name}@nodes={nodes}" for name in heuristics for nodes in (10, 20)]
    plan = tournament_plan(agents, Conditions(pairs=1), field="course")
    scores = dict.fromkeys(range(len(plan.encounters)), (1, 0, 0))
    results = results_of(tmp_path, plan, scores)
    assert max(map(len, lines(results, width))) <= width
    assert max(map(len, plain_text([cross_table(results)], width).splitlines())) <= width


def test_match_summary_reports_significance(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=50))
    output = lines(results_of(tmp_path, plan, {0: (40, 5, 5)}))
    assert output[0] == "verdict      better (LOS > 99.9%)"
    assert output[1].startswith("score        85")
    assert "pairs        won 40 · split 5 · lost 5     50 distinct openings" in output
    significant = "p < 0.001 against 50%: significant"
    assert f"significance {significant}     chance alone: 50% ± 13.6 for 45 decided pairs" in output


def test_a_sequential_test_decides_the_verdict(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=60), SprtPlan(0, 50))
    decided = results_of(tmp_path / "decided", plan, {0: (60, 0, 0)})
    assert verdict(decided).startswith("the test accepts +50 over 0 Elo")
    open_ = results_of(tmp_path / "open", plan, {0: (2, 2, 1)})
    assert verdict(open_).startswith("the test is undecided; ")


def test_a_test_in_normalised_elo_names_its_unit(tmp_path: Path) -> None:
    test = SprtPlan(0, 50, normalised=True)
    plan = match_plan("greedy:open", "random", Conditions(pairs=60), test)
    decided = results_of(tmp_path, plan, {0: (50, 10, 0)})
    assert verdict(decided).startswith("the test accepts +50 over 0 normalised Elo")
    assert any("H0 +0, H1 +50 normalised Elo" in line for line in lines(decided))


def test_a_match_of_crashes_has_no_verdict_on_strength(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=10))
    crashed = results_of(tmp_path / "most", plan, {0: (0, 6, 4)}, Reason.CRASH)
    assert verdict(crashed) == "no verdict on strength: greedy:open lost 14 of 20 games by a crash"
    assert "crash        random lost 6 of 20 games by a crash: did it" in lines(crashed)
    half = results_of(tmp_path / "half", plan, {0: (0, 10, 0)}, Reason.CRASH)
    assert verdict(half).startswith("no difference seen")
    resigned = results_of(tmp_path / "resigned", plan, {0: (0, 0, 10)}, Reason.RESIGNATION)
    assert verdict(resigned).startswith("worse")
    (early,) = failures(resigned)
    assert replace(early, note="resigned").describe("it") == "it lost 20 of 20 games by resignation"
    assert early.describe("it") == "it lost 20 of 20 games by resignation: did it"  # A known cause


def test_a_match_without_games_has_a_summary(tmp_path: Path) -> None:
    plan = match_plan("random", "random", Conditions(pairs=3))
    assert any("0 pairs" in line for line in lines(results_of(tmp_path, plan, {})))
