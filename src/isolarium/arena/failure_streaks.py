"""Agents that fail in one game after the other: ten games of one say enough.

A run ends once no two agents are left that meet and do not fail: a match with the first of them, a tournament with one
bad agent among good ones not at all. A game counts as failed where its agent crashed, could not be loaded, ran out of
memory, or did not return in a run without a time for moves. Games lost by the rules, by an illegal move or by
resignation are play, and one that is lost to `move_ms`, or by a program to its own clock, is what that was asked for.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from isolarium.arena.game import Game
from isolarium.arena.plan import Plan
from isolarium.game.outcome import Reason
from isolarium.spec.parser import tree_of

MOST_FAILURES: Final = 10


@dataclass(frozen=True, slots=True)
class Streak:
    """An agent that failed in `MOST_FAILURES` games in a row.

    Attributes:
        player: its place among the plan's players.
        note: what was said of the last of them.
        pairs: the pairs of each encounter that this needed.
    """

    player: int
    note: str
    pairs: int


@dataclass(slots=True)
class _Course:
    """An agent's games in order: by pairs, and each pair's by the encounters.

    Attributes:
        encounters: those that it is in.
        next: how many pairs have been looked at.
        waiting: pairs that came before their turn, with the note of each leg in which it failed.
        failed: games in a row.
    """

    encounters: list[int]
    next: int = 0
    waiting: dict[tuple[int, int], list[str | None]] = field(default_factory=dict)
    failed: int = 0


class Streaks:
    """Looks for them in the order of pairs, so that it finds the same whatever order games come in.

    What was played before a run was taken up does not count: somebody has seen it, and goes on.

    Args:
        plan: what is to be played.
        is_done: whether a pair of an encounter is known: from before, or since `add` was told of it.
    """

    def __init__(self, plan: Plan, is_done: Callable[[int, int], bool]) -> None:
        self._plan, self._is_done = plan, is_done
        self._timeless = [
            plan.move_ms is None and not tree_of(spec).is_program for spec in plan.players
        ]
        self._found = dict[int, Streak]()
        met = list(enumerate(plan.encounters))
        self._courses = [
            _Course([number for number, one in met if player in (one.first, one.second)])
            for player in range(len(plan.players))
        ]

    def add(self, games: Iterable[Game]) -> Streak | None:
        """Take in both games of some pairs; who failed too often last, if nobody is left to play on."""
        for (encounter, pair), legs in groupby(games, lambda game: (game.encounter, game.pair)):
            met, rows = self._plan.encounters[encounter], list(legs)
            for player in {met.first, met.second}:
                notes = [self._note(row, player) for row in rows]
                self._courses[player].waiting[encounter, pair] = notes
        for player in set(range(len(self._courses))) - self._found.keys():
            streak = self._look(player)
            if streak is not None:
                self._found[player] = streak
        if any({one.first, one.second}.isdisjoint(self._found) for one in self._plan.encounters):
            return None
        return max(self._found.values(), key=lambda streak: streak.pairs, default=None)

    def _note(self, game: Game, player: int) -> str | None:
        """What was said of a game in which a player failed; None where it did not."""
        failed = game.reason in (Reason.CRASH, Reason.MEMORY) or (
            game.reason is Reason.TIME and self._timeless[player]
        )
        return game.note if game.losing_player == player and failed else None

    def _look(self, player: int) -> Streak | None:
        """Go on through an agent's games as far as there is no gap; the last of them end no run."""
        course, spec = self._courses[player], self._plan.players[player]
        width = len(course.encounters)
        while course.next < width * self._plan.pairs:
            pair, place = divmod(course.next, width)
            where = course.encounters[place], pair
            notes = course.waiting.pop(where, None)
            if notes is None and not self._is_done(*where):
                return None
            course.next += 1
            for note in notes or ():
                course.failed = 0 if note is None else course.failed + 1
                is_last = course.next == width * self._plan.pairs
                if course.failed >= MOST_FAILURES and not is_last and note is not None:
                    return Streak(player, note.removeprefix(f"{spec}: "), pair + 1)
        return None
