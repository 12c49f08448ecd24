"""What is known while a run goes on: pairs counted, standings, and the sequential test, in pair order."""

from collections.abc import Iterable, Sequence
from typing import Final

from isolarium.arena.plan import Plan
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
