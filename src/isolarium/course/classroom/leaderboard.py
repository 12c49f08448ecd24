"""The leaderboard of a class: places, win rates and ratings with their intervals."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from isolarium.arena.results import Failure, Results, failures
from isolarium.course.classroom.class_run import ClassResults, number_of, player_names
from isolarium.course.classroom.roster import Submission
from isolarium.course.grading.check import Check
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
