"""What is known while a run goes on: pairs counted, standings, and the sequential test, in pair order."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from isolarium.arena.game import Game
from isolarium.arena.plan import Plan
from isolarium.game.outcome import Reason
from isolarium.spec.parser import tree_of
from isolarium.stats import Pair, PairSummary, PairTally, SequentialTest, SprtState, Stratum

KNOWN: Final = (0b0001, 0b0010)
"""The bit that says that a leg is known; two places further is whether the encounter's first agent won it."""
BOTH_KNOWN: Final = KNOWN[0] | KNOWN[1]
WON_SHIFT: Final = 2


class Tally:
    """Counts games into pairs, whatever order they come in and however often; it takes a byte for each pair.

    Args:
        plan: what is to be played.
        clusters: the cluster of each pair's opening.

    Attributes:
        games: games known.
        pairs: pairs of which both games are known.
        won_by_first_mover: for every encounter, the games that whoever moved first has won.
        test: the sequential test, where the plan has one.
    """

    def __init__(self, plan: Plan, clusters: Sequence[int]) -> None:
        self.plan = plan
        self.games = 0
        self.pairs = 0
        self.won_by_first_mover = [0] * len(plan.encounters)
        self._clusters = clusters
        self._legs = [bytearray(plan.pairs) for _ in plan.encounters]
        self._encounters = [PairTally() for _ in plan.encounters]
        self.test = SequentialTest(plan.test) if plan.test else None
        self._next_for_test = 0

    def add(self, results: Iterable[tuple[int, int, int, bool]]) -> None:
        """Take in games: encounter, pair, leg, and whether the encounter's first agent won."""
        for encounter, pair, leg, first_won in results:
            known = self._legs[encounter][pair]
            if known & KNOWN[leg]:
                continue
            known |= KNOWN[leg] | first_won * KNOWN[leg] << WON_SHIFT
            self._legs[encounter][pair] = known
            self.games += 1
            self.won_by_first_mover[encounter] += first_won == (leg == 0)
            if known & BOTH_KNOWN == BOTH_KNOWN:
                self._count(encounter, pair)
        self._test_in_order()

    def _count(self, encounter: int, pair: int) -> None:
        score, cluster = self._score(encounter, pair), self._clusters[pair]
        self.pairs += 1
        self._encounters[encounter].add(Pair(score, cluster))

    def _score(self, encounter: int, pair: int) -> float:
        """What a complete pair is worth to the encounter's first agent."""
        return (self._legs[encounter][pair] >> WON_SHIFT).bit_count() / 2

    def _test_in_order(self) -> None:
        """Show the test the pairs by number, as far as there is no gap, until it decides."""
        while self.test is not None and self.test.state is SprtState.RUNNING:
            number = self._next_for_test
            if number == self.plan.pairs or not self.is_done(0, number):
                return
            self.test.add(number, Pair(self._score(0, number), self._clusters[number]))
            self._next_for_test += 1

    @property
    def decided_at(self) -> int | None:
        """How many pairs the test took to decide, once it has."""
        if self.test is None or self.test.state is SprtState.RUNNING:
            return None
        return self._next_for_test

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to play."""
        return self.decided_at is not None or self.games == self.plan.games

    def is_done(self, encounter: int, pair: int) -> bool:
        """Whether both games of a pair are known."""
        return self._legs[encounter][pair] & BOTH_KNOWN == BOTH_KNOWN

    def summary(self, encounter: int) -> PairSummary:
        """The pairs of an encounter so far, from the side of its first agent; with a test, those that it has read."""
        if self.test is not None and self.test.summary.pairs:
            return self.test.summary
        return self._encounters[encounter].summary()

    def against_others(self, player: int) -> list[Stratum]:
        """The pairs of a player against each other player so far, from its side."""
        found = []
        for met, tally in zip(self.plan.encounters, self._encounters, strict=True):
            if player in (met.first, met.second) and met.first != met.second:
                stratum = Stratum(tally.summary(), tally.clusters)
                found.append(stratum if player == met.first else stratum.swapped())
        return found

    def games_against_others(self, player: int) -> int:
        """The games of a player's pairs against all others so far."""
        return 2 * sum(
            tally.pairs
            for met, tally in zip(self.plan.encounters, self._encounters, strict=True)
            if player in (met.first, met.second) and met.first != met.second
        )


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
