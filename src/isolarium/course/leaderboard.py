"""The leaderboard of a class, with intervals; as JSON, and in Gradescope's `results.json`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from isolarium.arena.results import Failure, Results, failures
from isolarium.arena.run_store import REPORT_PAGE
from isolarium.course.check import Check
from isolarium.course.class_run import ClassResults, number_of, player_names
from isolarium.course.grading_report import check_result
from isolarium.course.roster import Submission
from isolarium.reporting.cells import json_of
from isolarium.stats import EloEstimate, RateEstimate
from isolarium.text import counted

STUDENTS: Final = "students"
"""The folder of the students' pages."""
SURE: Final = 0.975
"""The minimum likelihood at which one submission counts as better than another."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's standing in the tournament.

    Attributes:
        player: The player's index in the tournament's plan.
        label: The name on pages.
        submission: The submission; None for an opponent of the course.
        places: The best and the worst place among the submissions that the games allow; None for an opponent.
        rate: The win rate against all others.
        elo: The rating.
        games: The number of games.
        early: The games lost other than by having no legal move, by reason.
    """

    player: int
    label: str
    submission: Submission | None
    places: tuple[int, int] | None
    rate: RateEstimate
    elo: EloEstimate | None
    games: int
    early: Sequence[Failure]

    @property
    def place(self) -> str:
        """The places as text, such as `3 to 7`."""
        if self.places is None:
            return "course"
        best, worst = self.places
        return f"{best}" if best == worst else f"{best} to {worst}"


class Leaderboard:
    """The standings of a class.

    Args:
        found: The results of the class.
    """

    def __init__(self, found: ClassResults) -> None:
        self.found = found

    @cached_property
    def standings(self) -> list[Standing]:
        """The players of the tournament, best first; empty before it has games."""
        results = self.found.results
        if results is None or not results.games:
            return []
        return [self._standing(results, player) for player in results.ranking]

    @property
    def students(self) -> list[Standing]:
        """The standings of the submissions, best first."""
        return [one for one in self.standings if one.submission is not None]

    @property
    def by_label(self) -> list[Submission]:
        """The submissions in an order that does not give pseudonyms away."""
        return sorted(self.found.run.roster.submissions, key=lambda one: one.label)

    @property
    def unqualified(self) -> list[tuple[Submission, str]]:
        """The submissions that do not play, with the reasons."""
        problems = self.found.problems
        return [(one, problems[one.number]) for one in self.by_label if one.number in problems]

    def standing_of(self, submission: Submission) -> Standing | None:
        """Return the standing of a submission; None if it has not played."""
        return next((one for one in self.students if one.submission == submission), None)

    def checks(self, submission: Submission) -> Sequence[Check]:
        """Return the checks of a submission; none if it was not checked."""
        return self.found.checks.get(submission.number, ())

    def early(self, submission: Submission) -> list[Failure]:
        """Return a submission's early losses in the tournament, or else in the qualification."""
        for results in (self.found.results, self.found.qualifying):
            if results is not None:
                numbers = [number_of(spec) for spec in results.plan.players]
                if submission.number in numbers:
                    player = numbers.index(submission.number)
                    return [one for one in failures(results) if one.player == player]
        return []

    def shares(self, one: Standing) -> Iterator[tuple[str, int, float]]:
        """Yield the games and points of a player against each opponent, and against the class."""
        results = self.found.results
        assert results is not None
        games, points = 0, 0.0
        for other in self.standings:
            met = None if other.player == one.player else results.against(one.player, other.player)
            if met is None:
                continue
            played = 2 * met.summary.pairs
            if other.submission is None:
                yield other.label, played, met.rate.rate * played
            else:
                games, points = games + played, points + met.rate.rate * played
        if games:
            yield "the rest of the class", games, points

    def _standing(self, results: Results, player: int) -> Standing:
        number = number_of(results.plan.players[player])
        by_number = {one.number: one for one in self.found.run.roster.submissions}
        submission = None if number is None else by_number[number]
        return Standing(
            player,
            player_names(self.found.run, results.plan)[player],
            submission,
            None if submission is None else self._places(results, player),
            results.rates[player],
            results.elo_of(player),
            results.agents[player].games,
            [one for one in failures(results) if one.player == player],
        )

    def _places(self, results: Results, player: int) -> tuple[int, int]:
        others = [one for one, spec in enumerate(results.plan.players) if one != player and number_of(spec) is not None]
        better = sum((results.superiority(one, player) or 0.0) >= SURE for one in others)
        worse = sum((results.superiority(player, one) or 0.0) >= SURE for one in others)
        return 1 + better, 1 + len(others) - worse


def class_answer(board: Leaderboard) -> str:
    """Return the result of a class in one sentence."""
    if not board.students:
        return "No submission has played in the tournament."
    first, number = board.students[0], len(board.students)
    if not board.found.is_finished:
        return f"{first.label} leads so far; the tournament is not finished."
    if number == 1:
        return f"{first.label} is the only submission that qualified."
    equals = sum(one.places is not None and one.places[0] == 1 for one in board.students) - 1
    if first.places == (1, 1):
        return f"{first.label} is the best of {counted(number, 'submission')}."
    if not equals:
        return f"{first.label} has the highest rating of {counted(number, 'submission')}."
    return f"{first.label} leads, but is not shown to be better than {counted(equals, 'other')}."


def page_folders(submissions: Sequence[Submission]) -> dict[int, str]:
    """Return the folder of each student's page by number: the label in plain letters, unique."""
    found = dict[int, str]()
    for one in submissions:
        name = re.sub(r"[^\w]+", "-", one.label).strip("-") or "student"
        while name.lower() in {other.lower() for other in found.values()}:
            name = f"{name}-{one.number}"
        found[one.number] = name
    return found


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
