"""The tables: what they count, what they mark, and that they fit."""

from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import pytest

from isolab.arena.labels import labels_of, short_labels
from isolab.arena.match_text import match_lines, verdict
from isolab.arena.plan import Plan
from isolab.arena.plans import Conditions, match_plan, sweep_plan, tournament_plan
from isolab.arena.record import GameRow, Record
from isolab.arena.results import Results, read_results
from isolab.arena.table import Cell, Row, Table, as_html, as_text
from isolab.arena.tournament_tables import (
    course_table,
    cross_table,
    standings_table,
    sweep_table,
)
from isolab.arena.tournament_text import tournament_lines
from isolab.arena.tournament_text import verdict as tournament_verdict
from isolab.game.outcome import Player, Reason
from isolab.stats import SprtPlan
from isolab.text import shortened

Score = dict[int, tuple[int, int, int]]
"""For every encounter, pairs won, split and lost by its first agent."""


def results_of(
    folder: Path, plan: Plan, scores: Score, reason: Reason = Reason.NO_MOVES
) -> Results:
    """The results of a run with made-up games."""
    with closing(Record.create(folder, plan, plan.openings_in_order())) as record:
        for encounter, (won, split, lost) in scores.items():
            pairs = [2] * won + [1] * split + [0] * lost
            for pair, points in enumerate(pairs):
                record.add(_row(encounter, pair, leg, leg < points, reason) for leg in (0, 1))
        record.finish("now")
        return read_results(record)


def _row(encounter: int, pair: int, leg: int, first_won: bool, reason: Reason) -> GameRow:
    winner = Player.FIRST if first_won == (leg == 0) else Player.SECOND
    note = "" if reason is Reason.NO_MOVES else "did it"
    return GameRow(
        encounter,
        pair,
        leg,
        ("a1", "b3"),
        winner,
        reason,
        note,
        [1, 2],
        [3, 4],
        [5, 6],
        [7, 8],
        [7, 8],
    )


def text_of(table: Table, row: str) -> list[str]:
    """The cells of the row whose label ends so."""
    (found,) = (one for one in table.rows if one.label.endswith(row))
    return [cell.text for cell in found.cells]


THREE = tournament_plan(["random", "greedy:open", "greedy:improved"], Conditions(pairs=10))


def test_cross_table_averages_games_as_row_and_as_column(tmp_path: Path) -> None:
    results = results_of(tmp_path, THREE, {0: (1, 3, 6), 1: (0, 2, 8), 2: (4, 2, 4)})
    table = cross_table(results)
    assert [row.label for row in table.rows] == [
        "1  greedy:improved",
        "2  greedy:open",
        "3  random",
    ]
    assert text_of(table, "random")[:3] == ["10%", "25%", "·"]
    assert text_of(table, "greedy:improved")[:3] == ["·", "50%", "90%"]
    assert [row.cells[3].text.partition("%")[0] for row in table.rows] == ["70", "62", "18"]
    assert [row.cells[3].best for row in table.rows] == [True, False, False]
    assert {row.cells[4].text for row in table.rows} == {"50% ± 15.5"}  # 40 games


def test_cross_table_shows_games_against_itself_and_leaves_them_out(tmp_path: Path) -> None:
    plan = tournament_plan(["random", "greedy:open"], Conditions(pairs=10), self_play=True)
    results = results_of(tmp_path, plan, {0: (10, 0, 0), 1: (5, 0, 5), 2: (0, 10, 0)})
    table = cross_table(results)
    assert text_of(table, "random")[:2] == ["(50%)", "50%"]
    assert text_of(table, "greedy:open")[:2] == ["50%", "(100%)"]
    assert [row.cells[2].text.partition("%")[0] for row in table.rows] == ["50", "50"]


GAUNTLET = tournament_plan(
    ["greedy:open", "greedy:improved"], Conditions(pairs=10), against=["random", "greedy:open"]
)
GAUNTLET_SCORES = {0: (8, 2, 0), 1: (0, 10, 0), 2: (9, 1, 0), 3: (0, 9, 1)}


def test_course_table_has_games_won_and_lost_and_marks_the_best(tmp_path: Path) -> None:
    table = course_table(results_of(tmp_path, GAUNTLET, GAUNTLET_SCORES), 100)
    assert [row.label for row in table.rows] == ["random", "greedy:open", "win rate", "fair coin"]
    assert [[cell.text.split() for cell in row.cells] for row in table.rows[:2]] == [
        [["18", "2"], ["19", "1"]],
        [["10", "10"], ["9", "11"]],
    ]
    assert [[cell.best for cell in row.cells] for row in table.rows[:3]] == [
        [False, True],
        [True, False],
        [True, True],
    ]
    assert table.rows[3].cells[0].text == "50% ± 15.5"


def test_course_table_turns_where_agents_do_not_fit(tmp_path: Path) -> None:
    table = course_table(results_of(tmp_path, GAUNTLET, GAUNTLET_SCORES), 30)
    assert [row.label for row in table.rows] == ["greedy:open", "greedy:improved"]
    assert table.columns[:2] == ("win rate", "fair coin")
    assert table.rows[0].cells[2].text.split() == ["18", "2"]


def test_standings_have_ratings_with_intervals(tmp_path: Path) -> None:
    results = results_of(tmp_path, THREE, {0: (0, 1, 9), 1: (0, 0, 10), 2: (4, 2, 4)})
    assert results.ratings is not None
    table = standings_table(results)
    elos = [row.cells[0].text for row in table.rows]
    assert table.rows[2].label == "3  random"
    assert elos[2].startswith("-")
    assert all("±" in elo or " to " in elo for elo in elos)
    assert table.rows[1].cells[3].text.startswith("> 99")
    assert table.rows[2].cells[3].text == ""


def test_verdict_says_who_is_best_or_that_it_is_not_known(tmp_path: Path) -> None:
    clear = results_of(tmp_path / "clear", THREE, {0: (10, 0, 0), 1: (10, 0, 0), 2: (5, 0, 5)})
    assert tournament_verdict(clear).startswith("random is the best (LOS ")
    level = results_of(tmp_path / "level", THREE, {0: (5, 0, 5), 1: (5, 0, 5), 2: (5, 0, 5)})
    assert "leads; not told apart from" in tournament_verdict(level)


def test_a_tournament_of_two_says_what_a_match_does(tmp_path: Path) -> None:
    plan = tournament_plan(["random", "greedy:open"], Conditions(pairs=10))
    results = results_of(tmp_path, plan, {0: (0, 1, 9)})
    first, second = standings_table(results).rows
    assert (first.label, first.cells[0].text[0]) == ("1  greedy:open", "+")
    assert (first.cells[3].text[0], second.cells[0].text[0]) == (">", "-")
    assert tournament_verdict(results).startswith("greedy:open against random: better (LOS ")


def test_losses_by_other_reasons_are_told(tmp_path: Path) -> None:
    results = results_of(tmp_path, THREE, {0: (0, 0, 10)}, Reason.CRASH)
    told = ["".join(piece.text for piece in line) for line in tournament_lines(results)]
    assert "crash        random lost 20 of 20 games by a crash: did it" in told
    assert tournament_verdict(results).endswith("; random lost 20 of 20 games by a crash")


def test_sweep_table_has_a_row_for_each_value(tmp_path: Path) -> None:
    plan = sweep_plan("mcts(c={})@nodes=9", ["1,2,3"], ["random"], Conditions(pairs=10))
    results = results_of(tmp_path, plan, {0: (1, 1, 8), 1: (5, 0, 5), 2: (3, 4, 3)})
    table = sweep_table(results)
    assert [row.label for row in table.rows] == ["1", "2", "3"]
    assert [row.cells[0].best for row in table.rows] == [False, True, True]
    pictures = [row.cells[-1].text for row in table.rows]
    assert pictures[0].index("●") < pictures[1].index("●")
    assert len({len(picture) for picture in pictures}) == 1
    assert tournament_verdict(results).startswith("value ")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_tables_fit_the_screen(tmp_path: Path, width: int) -> None:
    heuristics = ("open", "improved", "center", "balanced", "ratio", "reachable", "aggressive")
    agents = [f"alphabeta:{name}@nodes={nodes}" for name in heuristics for nodes in (10, 20)]
    plan = tournament_plan(agents, Conditions(pairs=1), field="course")
    scores = dict.fromkeys(range(len(plan.encounters)), (1, 0, 0))
    results = results_of(tmp_path, plan, scores)
    for table in (course_table(results, width), cross_table(results)):
        assert max(map(len, as_text(table, width).splitlines())) <= width


def test_match_lines_say_how_sure_it_is(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=50))
    lines = "\n".join(match_lines(results_of(tmp_path, plan, {0: (40, 5, 5)})))
    assert "score        85" in lines
    assert "won 40 · split 5 · lost 5     50 distinct openings" in lines
    assert (
        "fair coin    50% ± 9.8 in as many games (95%)     outside its noise (p < 0.001)" in lines
    )
    assert "verdict      better (LOS > 99.9%)" in lines


def test_match_verdict_after_a_test_is_the_tests(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=60), SprtPlan(0, 50))
    decided = results_of(tmp_path / "decided", plan, {0: (60, 0, 0)})
    assert verdict(decided).startswith("by the test +50 Elo rather than +0")
    open_ = results_of(tmp_path / "open", plan, {0: (2, 1, 1)})
    assert verdict(open_).startswith("the test has not decided; ")


def test_a_match_that_an_agent_only_crashed_in_has_no_other_verdict(tmp_path: Path) -> None:
    plan = match_plan("greedy:open", "random", Conditions(pairs=10))
    crashed = results_of(tmp_path / "most", plan, {0: (0, 6, 4)}, Reason.CRASH)
    assert verdict(crashed) == "none on play: greedy:open lost 14 of 20 games by a crash"
    assert "crash        random lost 6 of 20 games by a crash: did it" in match_lines(crashed)
    half = results_of(tmp_path / "half", plan, {0: (0, 10, 0)}, Reason.CRASH)
    assert verdict(half).startswith("no difference seen")
    resigned = results_of(tmp_path / "resigned", plan, {0: (0, 0, 10)}, Reason.RESIGNATION)
    assert verdict(resigned).startswith("worse")


def test_a_match_without_a_game_has_lines_too(tmp_path: Path) -> None:
    plan = match_plan("random", "random", Conditions(pairs=3))
    assert any("0 pairs" in line for line in match_lines(results_of(tmp_path, plan, {})))


def test_labels_leave_out_what_all_share() -> None:
    plan = tournament_plan(
        ["alphabeta:open@nodes=9", "alphabeta:improved@nodes=9", "alphabeta:open@nodes=9"],
        Conditions(),
    )
    assert short_labels(plan).labels == ("open", "improved", "open #2")
    assert short_labels(plan).shared == "alphabeta, nodes=9"
    assert labels_of(plan)[2] == "alphabeta:open@nodes=9 #2"


@pytest.mark.parametrize(
    ("agents", "short"),
    [
        (
            ["random", "mcts@nodes=9", "alphabeta:open@nodes=9"],
            ("random", "mcts", "alphabeta:open"),
        ),
        (["mcts@nodes=9", "mcts@nodes=8"], ("mcts@nodes=9", "mcts@nodes=8")),
        (["random", "random"], ("random", "random #2")),
    ],
)
def test_labels_stay_apart(agents: list[str], short: tuple[str, ...]) -> None:
    assert short_labels(tournament_plan(agents, Conditions())).labels == short


def test_html_is_escaped_and_whole() -> None:
    table = Table("<b>", ("x & y",), (Row("<script>", (Cell("1 < 2", best=True),)),), ("a > b",))
    checker = _Tags()
    checker.feed(as_html(table))
    assert checker.open == []
    assert "script" not in checker.seen
    assert "1 &lt; 2</b>" in as_html(table)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_long_text_is_shortened_in_its_middle() -> None:
    assert shortened("abcdefghij", 5) == "ab…ij"
    assert shortened("abcde", 5) == "abcde"
