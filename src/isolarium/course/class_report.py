"""The pages of a class: one summary, a page for each student, and results for Gradescope."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from isolarium.arena.run_store import REPORT_PAGE
from isolarium.course.check import Check
from isolarium.course.class_run import ClassResults
from isolarium.course.grading_report import check_blocks
from isolarium.course.leaderboard import STUDENTS, Leaderboard, Standing, class_answer, gradescope, page_folders
from isolarium.course.roster import Submission
from isolarium.reporting.cells import Cell
from isolarium.reporting.chart import Heading, checked_as_a_whole, svg_of
from isolarium.reporting.interval_charts import Bar, Layout, intervals_chart
from isolarium.reporting.model import (
    Block,
    Chart,
    Column,
    Document,
    Fact,
    Facts,
    Figure,
    FileList,
    Headline,
    Listing,
    Paragraph,
    Row,
    Section,
    Table,
    csv_text,
    rows_of,
)
from isolarium.reporting.report_folder import with_file_list, write_document
from isolarium.safe_files import write_whole
from isolarium.text import counted, listed, signed

GRADESCOPE: Final = "results.json"
NAMES: Final = "names.csv"
KINDS: Final = ("submission", "opponent of the course")
NOTES: Final = (
    "place: those that the games allow; each comparison has 97.5% confidence",
    "course: an opponent of the course",
    "± and brackets: 95% intervals over openings, for each row alone",
    "lost early: on time, by an illegal move, a resignation or a crash",
)


def write_class_report(found: ClassResults) -> Path:
    """Write the pages of a class into its folder; return the summary's path.

    Raises:
        InputError: If the folder cannot be written.
    """
    board, folder = Leaderboard(found), found.run.folder
    places = page_folders(found.run.roster.submissions)
    for submission in found.run.roster.submissions:
        place = folder / STUDENTS / places[submission.number]
        write_document(student_document(board, submission), place)
        grades = json.dumps(gradescope(board, submission), indent=2, ensure_ascii=False)
        write_whole(place / GRADESCOPE, grades + "\n")
    columns = (Column("folder"), Column("name"), Column("page"))
    rows = [
        (one.name, one.label, f"{STUDENTS}/{places[one.number]}/{REPORT_PAGE}") for one in found.run.roster.submissions
    ]
    names = Table("names", "", columns, rows_of(columns, rows))
    write_whole(folder / NAMES, csv_text(names))
    write_document(class_document(board), folder)
    return folder / REPORT_PAGE


# The class


def class_warnings(board: Leaderboard) -> Iterator[str]:
    """Yield the warnings for the top of the summary."""
    if board.unqualified:
        of = counted(len(board.found.run.roster.submissions), "submission")
        names = listed([one.label for one, _ in board.unqualified])
        yield f"{len(board.unqualified)} of {of} did not qualify: {names}."
    lost = [one.label for one in board.students if one.early]
    if lost:
        yield f"Lost games in the tournament on time, by an illegal move or a crash: {listed(lost)}."
    if not board.found.is_finished:
        yield "The class is not finished. Continue it with isolarium resume."


def leaderboard_table(board: Leaderboard) -> Table:
    """Return the standings, with the opponents of the course among them."""
    columns = (
        Column("place", "place", repeats=True),
        Column("agent", "submission", "<", repeats=True, shrinks=True),
        Column("rate", "win rate"),
        Column("elo", "Elo"),
        Column("early", "lost\nearly"),
        Column("checks", "checks\npassed"),
        Column("games", "games", can_go=True),
    )
    rows = [_standing_row(board, one) for one in board.standings]
    return Table("leaderboard", "Leaderboard", columns, rows, notes=NOTES, is_file=True)


def _standing_row(board: Leaderboard, one: Standing) -> Row:
    return {
        "place": one.place,
        "agent": one.label,
        "rate": one.rate,
        "elo": one.elo,
        "early": sum(failure.lost for failure in one.early),
        "checks": "" if one.submission is None else _passed(board.checks(one.submission)),
        "games": one.games,
    }


def _passed(checks: Sequence[Check]) -> str:
    tried = [check for check in checks if check.tried]
    return f"{sum(check.is_passed for check in tried)} of {len(tried)}" if tried else ""


def unqualified_table(board: Leaderboard) -> Table:
    """Return the submissions that do not play, with the reasons."""
    columns = (
        Column("agent", "submission", "<", repeats=True),
        Column("problem", "problem", "<", shrinks=True),
        Column("checks", "checks\npassed"),
    )
    rows = [(one.label, why, _passed(board.checks(one))) for one, why in board.unqualified]
    title = "Submissions that did not qualify"
    return Table("unqualified", title, columns, rows_of(columns, rows), is_file=True)


def _failed_checks_table(board: Leaderboard) -> Table:
    """Return how many submissions failed each check."""
    failed, tried = Counter[str](), Counter[str]()
    for checks in board.found.checks.values():
        tried.update({check.name for check in checks if check.tried})
        failed.update({check.name for check in checks if check.wrong})
    columns = (Column("name", "check", "<"), Column("failed", "submissions\nthat failed"), Column("tried", "checked"))
    rows = [(name, failed[name], tried[name]) for name in sorted(tried, key=lambda one: -failed[one])]
    return Table("checks", "The checks", columns, rows_of(columns, rows), is_file=True)


def class_blocks(board: Leaderboard) -> list[Block]:
    """Return the tables of a class for a terminal."""
    blocks: list[Block] = [leaderboard_table(board)] if board.standings else []
    if board.unqualified:
        lines = [f"{one.label}: {why}" for one, why in board.unqualified]
        blocks += [Paragraph("Not qualified:"), Listing(lines)]
    return blocks


@checked_as_a_whole
def class_document(board: Leaderboard) -> Document:
    """Return the summary of a class as a document."""
    roster = board.found.run.roster
    students = len(roster.submissions)
    headline = Headline(
        class_answer(board),
        f"{len(board.students)} of {students}",
        "submissions qualified and played in the tournament",
        _setting(board),
        list(class_warnings(board)),
    )
    sections = [Section("leaderboard", "Leaderboard", [leaderboard_table(board)])]
    if board.unqualified:
        sections.append(Section("unqualified", "Not qualified", [unqualified_table(board)]))
    sections.append(Section("checks", "Checks", [_failed_checks_table(board)]))
    folders = page_folders(roster.submissions)
    pages = [(f"{STUDENTS}/{folders[one.number]}/{REPORT_PAGE}", one.label) for one in board.by_label]
    sections.append(Section("students", "Pages of the students", [FileList(pages)]))
    document = Document(f"class {roster.name}", headline, _chart(board), sections=sections)
    return with_file_list(document, [])


def _setting(board: Leaderboard) -> str:
    roster = board.found.run.roster
    games = 0 if board.found.results is None else board.found.results.games
    return (
        f"{counted(games, 'game')} on {roster.board}, {roster.limit}, {counted(roster.pairs, 'pair')} per encounter, "
        f"seed {roster.seed}. Each submission plays with its first agent, such as AlphaBetaPlayer with custom_score, "
        "against every other and against the course's seven opponents. To qualify, it plays four games against "
        "Random and AB_Improved without an illegal move, a crash or a loss on time."
    )


def _chart(board: Leaderboard) -> Figure | None:
    bars = [
        Bar(one.label, one.elo.elo, one.elo.low, one.elo.high, signed(str(one.elo)), KINDS[one.submission is None])
        for one in board.standings
        if one.elo is not None
    ]
    if not bars:
        return None

    def chart(narrow: bool) -> Chart:
        heading = Heading("leaderboard", "Ratings of the class", ["bars are 95% intervals"])
        return intervals_chart(bars, Layout("Elo", 0.0, KINDS, True, narrow), heading)

    return Figure(chart(False), svg_of, chart(True))


# A student


@checked_as_a_whole
def student_document(board: Leaderboard, submission: Submission) -> Document:
    """Return the page of a student as a document."""
    roster, one = board.found.run.roster, board.standing_of(submission)
    problem, checks = board.found.problems.get(submission.number, ""), board.checks(submission)
    if one is not None:
        answer = f"Place {one.place} of {counted(len(board.students), 'submission')}"
        figure, figure_is = str(one.rate), f"of {counted(one.games, 'game')} won"
    else:
        answer = "This submission did not qualify" if problem else "The tournament has not been played yet"
        figure, figure_is = _passed(checks) or "No", "checks passed"
    early = board.early(submission)
    warnings = [f"Not qualified: {problem}"] if problem else []
    warnings += [] if problem else [lost.describe("This submission") for lost in early]
    sections = list[Section]()
    if one is not None:
        sections.append(Section("results", "Results", [_shares_table(board, one)]))
    if checks:
        blocks = [*check_blocks(checks, submission.file, roster.seed)]
        sections.append(Section("checks", "Checks", blocks))
    sections.append(Section("setting", "How this was played", [_student_setting(board, submission)]))
    headline = Headline(answer, figure, figure_is, _setting(board), warnings)
    document = Document(f"{submission.label} in class {roster.name}", headline, None, sections=sections)
    return with_file_list(document, [(GRADESCOPE, "the results for Gradescope")])


def _shares_table(board: Leaderboard, one: Standing) -> Table:
    columns = (
        Column("opponent", "opponent", "<", repeats=True),
        Column("games", "games"),
        Column("won", "won", form=",.0f"),
        Column("rate", "win rate", form=".0%"),
    )
    rows: list[Row] = [
        {"opponent": name, "games": games, "won": points, "rate": points / games}
        for name, games, points in board.shares(one)
        if games
    ]
    total: Row = {
        "opponent": "all",
        "games": one.games,
        "won": Cell(one.rate.rate * one.games, f"{one.rate.rate * one.games:,.0f}"),
        "rate": one.rate,
    }
    title = "Games won against each opponent"
    return Table("results", title, columns, [*rows, total], footer=1, is_file=True)


def _student_setting(board: Leaderboard, submission: Submission) -> Facts:
    roster = board.found.run.roster
    agent = submission.spec.rpartition(":")[2] if submission.spec else "none"
    return Facts(
        [
            Fact("agent", (agent,)),
            Fact("limit", (roster.limit,)),
            Fact("board", (roster.board,)),
            Fact("seed", (str(roster.seed),)),
        ]
    )
