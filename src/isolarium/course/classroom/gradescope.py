"""The results of a class for programs: Gradescope's `results.json`, and the command's JSON."""

from collections.abc import Sequence
from typing import Any

from isolarium.arena.results import Failure
from isolarium.arena.run_store import REPORT_PAGE
from isolarium.course.classroom.leaderboard import STUDENTS, Leaderboard, Standing, class_answer, page_folders
from isolarium.course.classroom.roster import Submission
from isolarium.course.grading_report import check_result
from isolarium.reporting.cells import json_of
from isolarium.text import counted


def gradescope(board: Leaderboard, submission: Submission) -> dict[str, Any]:
    """Return a submission's results in the form of Gradescope's `results.json`.

    Qualifying and each check that could be run count one point each.
    """
    problem, one = board.found.problems.get(submission.number, ""), board.standing_of(submission)
    tests = [_test("qualified", not problem, problem or "legal moves in time in every qualifying game")]
    for check in board.checks(submission):
        text = f"{check.question} {check_result(check)}."
        if check.wrong:
            examples = "".join(f"\n{example.text}\n  {example.position}" for example in check.examples)
            text = f"{text} {check.advice}{examples}"
        name = f"{check.name}, {check.whose}"
        if check.tried:
            tests.append(_test(name, check.is_passed, text))
        else:
            tests.append({"name": name, "output": f"Not checked: {check.skipped}", "visibility": "visible"})
    found: dict[str, Any] = {
        "output": (problem and f"Not qualified: {problem}") or _student_line(board, one),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    if one is not None:
        found["leaderboard"] = [
            {"name": "win rate (%)", "value": round(100 * one.rate.rate, 1), "order": "desc"},
            {"name": "lost early", "value": sum(lost.lost for lost in one.early), "order": "asc"},
        ]
    return found


def _test(name: str, is_passed: bool, output: str) -> dict[str, Any]:
    return {
        "name": name,
        "score": float(is_passed),
        "max_score": 1.0,
        "status": "passed" if is_passed else "failed",
        "output": output,
        "visibility": "visible",
    }


def _student_line(board: Leaderboard, one: Standing | None) -> str:
    if one is None:
        return "The tournament has not been played yet."
    of = counted(len(board.students), "submission")
    return f"Place {one.place} of {of}; {one.rate} of {counted(one.games, 'game')} won."


def class_json(board: Leaderboard) -> dict[str, Any]:
    """Return the results of a class as JSON."""
    roster = board.found.run.roster
    folders = page_folders(roster.submissions)
    by_number = {one.submission.number: one for one in board.students if one.submission}
    whole: dict[str, Any] = json_of(
        {
            "class": roster.name,
            "answer": class_answer(board),
            "finished": board.found.is_finished,
            "board": roster.board,
            "limit": roster.limit,
            "pairs": roster.pairs,
            "seed": roster.seed,
            "games": 0 if board.found.results is None else board.found.results.games,
            "submissions": [
                {
                    "folder": one.name,
                    "name": one.label,
                    "qualified": one.number not in board.found.problems,
                    "problem": board.found.problems.get(one.number, ""),
                    "page": f"{STUDENTS}/{folders[one.number]}/{REPORT_PAGE}",
                    "checks_passed": sum(check.is_passed for check in board.checks(one)),
                    "checks_failed": sum(bool(check.wrong) for check in board.checks(one)),
                    "early_losses": _early_json(board.early(one)),
                    **(_standing_json(by_number[one.number]) if one.number in by_number else {}),
                }
                for one in roster.submissions
            ],
            "opponents": [
                {"name": one.label, **_standing_json(one)} for one in board.standings if one.submission is None
            ],
        }
    )
    return whole


def _early_json(early: Sequence[Failure]) -> list[dict[str, Any]]:
    return [{"reason": one.reason, "games": one.lost, "note": one.note} for one in early]


def _standing_json(one: Standing) -> dict[str, Any]:
    places = {} if one.places is None else {"places": list(one.places)}
    return {**places, "win_rate": one.rate, "elo": one.elo, "games": one.games}
