"""Tables of studies: the course's layout, and published figures judged."""

import re
from pathlib import Path

from isolarium.arena.run_db import Record
from isolarium.game.position import Player
from isolarium.reporting.cells import text_of
from isolarium.reporting.html import write_page
from isolarium.reporting.study_report import not_informative, study_document, study_sections
from isolarium.reporting.study_tables import course_table, missed_in_words, part_tables, verdicts_in_words
from isolarium.reporting.terminal import plain_text
from isolarium.stats import PairSummary, compare_published, win_rate
from isolarium.studies.study import Study
from isolarium.studies.study_file import parse_study
from isolarium.studies.study_results import PartResult, StudyResults, judged_cells, judged_rows, read_part
from tests.playing import made_up_row, players_of

STUDY = """
title = "Four games each"

[agents]
A = "random"
B = "random"
X = "random"
Y = "random"

[[part]]
name = "gauntlet"
format = "gauntlet"
agents = ["A", "B"]
opponents = ["X", "Y"]
pairs = 2
"""
COLUMNS = """
[[part]]
name = "columns"
format = "gauntlet"
agents = ["A", "B"]
opponents = ["A", "B", "X"]
pairs = 2
counts_columns = true
"""
WON = {0: "11 11", 1: "11 00", 2: "10 00", 3: "00 00"}
"""By encounter: the games that its first agent won, by pair and leg."""


def played(folder: Path, study: Study, won: dict[int, str], scale: float = 1.0) -> PartResult:
    """Return a part with the given results."""
    [part] = study.parts
    plan = study.plan(part, scale=scale)
    record = Record.create(folder, plan)
    openings = record.openings()
    record.add(
        made_up_row(
            (encounter, pair, leg),
            openings[pair],
            plan.board,
            Player.FIRST if (letter == "1") == (leg == 0) else Player.SECOND,
            players=players_of(plan, encounter, leg),
        )
        for encounter, pairs in won.items()
        for pair, legs in enumerate(pairs.split())
        for leg, letter in enumerate(legs)
    )
    try:
        return read_part(record, part)
    finally:
        record.close()


def study_of(text: str) -> Study:
    return parse_study(text, "mine", Path(), "mine.toml")


def test_course_table_has_the_course_s_layout(tmp_path: Path) -> None:
    table = course_table(played(tmp_path, study_of(STUDY), WON))
    output = [line.split() for line in plain_text([table], 100).splitlines()[1:7]]
    assert output[0] == ["A", "B"]
    assert output[1] == ["Match", "#", "Opponent", "Won", "|", "Lost", "Won", "|", "Lost"]
    assert output[3] == ["1", "X", "4", "|", "0", "1", "|", "3"]
    assert output[4] == ["2", "Y", "2", "|", "2", "0", "|", "4"]
    *_, last = table.rows
    assert last["opponent"] == "Win Rate:"
    assert text_of(last["A"]).startswith("75%")
    assert "by chance over 8 games: 50% ± 34.6 (95%)" in table.notes[0]


def test_win_rates_without_games_are_dashes(tmp_path: Path) -> None:
    study = study_of(STUDY)
    result = played(tmp_path, study, {1: WON[1]})  # B has not played yet
    standings, *others = part_tables(result)
    by_name = {row["name"]: text_of(row["score"]) for row in standings.rows}
    assert by_name["A"].startswith("50% ±")
    assert by_name["B"] == "\N{EN DASH}"
    [grid] = [table for table in others if table.name == "rates"]
    assert [[text_of(row[agent])[:3] for agent in "AB"] for row in grid.rows] == [
        ["\N{EN DASH}"] * 2,
        ["50%", "\N{EN DASH}"],
    ]
    assert text_of(course_table(result).rows[-1]["B"]) == "\N{EN DASH}"
    (tmp_path / "none").mkdir()
    none = played(tmp_path / "none", study, {})
    headline = study_document(StudyResults(study, "", 1.0, 1, (none,))).headline
    assert headline.figure == "no win rate"


def test_course_table_has_the_best_agent_first(tmp_path: Path) -> None:
    swapped = {0: WON[2], 1: WON[3], 2: WON[0], 3: WON[1]}
    table = course_table(played(tmp_path, study_of(STUDY), swapped))
    assert [column.key for column in table.columns[2:]] == ["B", "A"]


def test_claims_are_judged_by_our_pairs(tmp_path: Path) -> None:
    claims = """
[[part.claim]]
source = "table 1"
games = 10
won.A = [9, 5]
total.A = 70.0

[[part.claim]]
source = "table 2"
games = 20
against = ["X"]
won.A = [11]
rate.B = 5
"""
    result = played(tmp_path, study_of(STUDY + claims), WON)
    cells = judged_cells(result)
    assert set(cells) == {("A", "X"), ("A", "Y")}
    added = cells["A", "X"]
    assert (added.claim.wins, added.claim.games) == (20, 30)
    assert added.comparison == compare_published(20, 30, win_rate(PairSummary.distinct(2, 0, 0)))
    total, single = judged_rows(result)
    assert (total.claim.wins, total.claim.games, total.ours.rate) == (14, 20, 0.75)
    assert (single.claim.against, single.claim.wins, single.ours.rate) == (("X",), 1, 0.25)


def test_average_of_rows_and_columns_leaves_itself_out(tmp_path: Path) -> None:
    text = STUDY[: STUDY.index("[[part]]")] + COLUMNS
    won = {
        0: "11 11",  # A against itself: not counted
        1: "11 10",  # A against B: 3 of 4
        2: "00 00",  # A against X
        3: "11 11",  # B against A: A has none of 4
        4: "11 11",
        5: "11 00",
    }
    result = played(tmp_path, study_of(text), won)
    assert result.row("A").rate == 3 / 12
    assert result.row("B").rate == (1 + 4 + 2) / 12
    assert result.cell("A", "A").rate == 1.0


def test_agents_are_compared_opening_by_opening(tmp_path: Path) -> None:
    result = played(tmp_path, study_of(STUDY), WON)
    # A - B, by opening: (1 - 0.5) + (1 - 0) and (1 - 0) + (0 - 0), over two opponents.
    assert result.beside("A", "B").difference == (1.5 + 1.0) / 4


def test_comparisons_with_a_baseline_note_their_correction(tmp_path: Path) -> None:
    three = STUDY.replace('agents = ["A", "B"]', 'agents = ["A", "B", "X"]\nbaseline = "A"')
    result = played(tmp_path, study_of(three), WON)
    standings, *_ = part_tables(result)
    assert standings.notes[0] == "vs A: corrected for 2 comparisons (Bonferroni)"


def test_a_scaled_study_says_so_in_its_headline(tmp_path: Path) -> None:
    study = study_of(STUDY)
    result = played(tmp_path, study, WON)
    whole = study_document(StudyResults(study, "", 1.0, 1, (result,))).headline
    scaled = study_document(StudyResults(study, "", 0.02, 1, (result,))).headline
    size = "scale 0.02"
    assert (whole.answer, scaled.answer) == ("Four games each", f"Four games each: {size}")
    assert any(f"not played at full size: {size}" in warning for warning in scaled.warnings)
    assert not any("size" in warning for warning in whole.warnings)


def test_a_quick_study_reports_its_pairs(tmp_path: Path) -> None:
    study = study_of(STUDY)
    quick = 1e-9
    result = played(tmp_path, study, {}, quick)
    document = study_document(StudyResults(study, "", quick, 1, (result,)))
    assert document.headline.answer == "Four games each: one pair per encounter"
    assert "1e-09" not in write_page(document)


def test_misprints_are_noted_below_the_table(tmp_path: Path) -> None:
    claims = '\n[[part.claim]]\nsource = "page 1"\ngames = 10\nwon.A = [9, 5]\ntotal.A = 61.3\n'
    tables = part_tables(played(tmp_path, study_of(STUDY + claims), WON))
    notes = [note for table in tables for note in table.notes]
    assert "page 1, A: printed as 61.3%, but its counts give 70.0%" in notes


BASELINE = STUDY.replace("pairs = 2", 'pairs = {pairs}\nbaseline = "A"')


def found_by(part: PartResult, study: Study) -> StudyResults:
    return StudyResults(study, "", 1.0, 1, (part,))


def test_a_study_states_what_it_would_have_missed(tmp_path: Path) -> None:
    study = parse_study(BASELINE.format(pairs=6), "baseline", tmp_path, "here")
    won = {0: "11 11 11 10 10 00", 1: "11 00 10 11 00 10", 2: "10 00 10 11 11 11"}
    part = played(tmp_path, study, {**won, 3: "00 00 11 10 10 11"})
    missed = missed_in_words(part)
    assert re.fullmatch(r"a difference of less than \d+ points from A would likely be missed", missed)
    assert missed in plain_text(part_tables(part))
    assert not not_informative(found_by(part, study))
    assert missed in study_document(found_by(part, study)).headline.figure_is


def test_a_study_of_few_openings_says_first_that_it_is_not_informative(tmp_path: Path) -> None:
    study = parse_study(BASELINE.format(pairs=2), "baseline", tmp_path, "here")
    part = played(tmp_path, study, WON)
    few = "2 distinct openings"
    assert missed_in_words(part) == f"no verdicts: {few}; at least 5 are needed"
    found = found_by(part, study)
    assert not_informative(found).startswith(f"Not informative: {few} cannot show which")
    assert study_document(found).headline.warnings[0] == not_informative(found)
    printed = plain_text(part_tables(part))
    assert "too few openings" in printed
    assert "better" not in printed


def many_agents(folder: Path) -> tuple[Study, PartResult]:
    """Return a study of eight agents against two opponents."""
    agents = [f"Agent {letter}" for letter in "ABCDEFGH"]
    named = "".join(f'"{name}" = "random"\n' for name in [*agents, "X", "Y"])
    text = (
        f'title = "Many"\n[agents]\n{named}\n[[part]]\nname = "all"\nformat = "gauntlet"\n'
        f'agents = {agents}\nopponents = ["X", "Y"]\npairs = 5\nbaseline = "Agent A"\n'
    )
    study = parse_study(text, "many", folder, "here")
    return study, played(folder / "run", study, dict.fromkeys(range(16), "11 00 10 11 00"))


def test_the_ranking_comes_first_and_wide_tables_only_when_wanted(tmp_path: Path) -> None:
    study, part = many_agents(tmp_path)
    found = found_by(part, study)
    verdicts = "Compared with Agent A, 0 of 7 agents are better, 0 worse, and 7 undecided."
    assert verdicts_in_words(part) == verdicts
    assert [table.name for table in part_tables(part)] == ["standings", "rates"]
    assert [table.name for table in part_tables(part, wide=False)] == ["standings"]
    whole = plain_text(study_sections(found), 80)
    short = plain_text(study_sections(found, wide=False), 80)
    assert short.splitlines()[1] == verdicts
    assert whole.index("no difference seen") < whole.index("Win rates by opponent")
    assert "Win rates by opponent" not in short
