"""Counts of a run's games: pairs, standings, sequential test, and failing agents.

The results do not depend on the order in which workers return games.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.game_batch import REASON_CODES, GameBatch
from isolarium.arena.game_counts import PairColumns
from isolarium.arena.lines import Numbers
from isolarium.arena.plan import Plan
from isolarium.game.position import Player, Reason
from isolarium.processes.rpc import NO_ANSWER
from isolarium.spec.parser import COURSE, ENGINE, tree_of
from isolarium.stats import Pair, PairSummary, SequentialTest, SprtState, Stratum

KNOWN: Final = (0b0001, 0b0010)
"""The bits that mark each leg as known; the bits two places higher mark wins of the first agent."""
BOTH_KNOWN: Final = KNOWN[0] | KNOWN[1]
WON_SHIFT: Final = 2
MOST_FAILURES: Final = 10
"""The number of consecutive failed games that makes a streak."""
FAILURES: Final = [REASON_CODES[reason] for reason in (Reason.CRASH, Reason.MEMORY)]
NO_FAILURE: Final[list[str | None]] = [None]


class Tally:
    """A count of games in pairs, in any order, with one byte per pair.

    Args:
        plan: The plan.
        clusters: The cluster of each pair's opening.

    Attributes:
        games: The number of games counted.
        pairs: The number of pairs with both games counted.
        won_by_first_mover: For each encounter, the number of games that the first mover won.
        test: The sequential test, if the plan has one.
    """

    def __init__(self, plan: Plan, clusters: Sequence[int] | Numbers) -> None:
        self.plan = plan
        self.games = 0
        self.pairs = 0
        self.won_by_first_mover = [0] * len(plan.encounters)
        self._clusters = np.asarray(clusters, dtype=np.int64)
        self._legs = [bytearray(plan.pairs) for _ in plan.encounters]
        self._encounters = [PairColumns(plan.pairs) for _ in plan.encounters]
        self.test = SequentialTest(plan.test) if plan.test else None
        self._next_for_test = 0

    def add(self, encounter: int, pair: int, leg: int, winner: Player) -> None:
        """Count a game, unless it has already been counted."""
        self._add(encounter, *(np.array([value]) for value in (pair, leg, winner)))

    def add_batch(self, batch: GameBatch) -> None:
        """Count the games of a batch, except those already counted."""
        encounters = np.unique(batch.encounters).tolist()
        for encounter in encounters:
            is_own = batch.encounters == encounter
            own = slice(None) if len(encounters) == 1 else is_own
            self._add(encounter, batch.pairs[own], batch.legs[own], batch.winners[own])

    def _add(
        self, encounter: int, pairs: NDArray[np.integer], legs: NDArray[np.integer], winners: NDArray[np.integer]
    ) -> None:
        flags = np.frombuffer(self._legs[encounter], dtype=np.uint8)  # Shares its memory
        is_complete = flags[pairs] & BOTH_KNOWN == BOTH_KNOWN
        for leg in (0, 1):
            own = np.flatnonzero(legs == leg)
            own = own[flags[pairs[own]] & KNOWN[leg] == 0]
            won = (winners[own] == leg).astype(np.uint8)
            flags[pairs[own]] |= KNOWN[leg] | won * np.uint8(KNOWN[leg] << WON_SHIFT)
            self.games += len(own)
            self.won_by_first_mover[encounter] += int((winners[own] == Player.FIRST).sum())
        done = np.unique(pairs[~is_complete & (flags[pairs] & BOTH_KNOWN == BOTH_KNOWN)])
        self.pairs += len(done)
        points = (flags[done] >> WON_SHIFT & 1) + (flags[done] >> (WON_SHIFT + 1) & 1)
        self._encounters[encounter].add(self._clusters[done], points.astype(np.int64), done)
        self._test_in_order()

    def _score(self, encounter: int, pair: int) -> float:
        """Return the score of a complete pair for the encounter's first agent."""
        return (self._legs[encounter][pair] >> WON_SHIFT).bit_count() / 2

    def _test_in_order(self) -> None:
        """Add pairs to the test in numerical order, up to a gap or the test's decision."""
        while self.test is not None and self.test.state is SprtState.RUNNING:
            number = self._next_for_test
            if number == self.plan.pairs or not self.is_done(0, number):
                return
            cluster = int(self._clusters[number])
            self.test.add(number, Pair(self._score(0, number), cluster))
            self._next_for_test += 1

    @property
    def decided_at(self) -> int | None:
        """The number of pairs that the test needed; None if it has not decided."""
        if self.test is None or self.test.state is SprtState.RUNNING:
            return None
        return self._next_for_test

    @property
    def is_complete(self) -> bool:
        """Whether no games are left to play."""
        return self.decided_at is not None or self.games == self.plan.games

    def is_done(self, encounter: int, pair: int) -> bool:
        """Return whether both games of a pair are counted."""
        return self._legs[encounter][pair] & BOTH_KNOWN == BOTH_KNOWN

    def summary(self, encounter: int) -> PairSummary:
        """Summarize the pairs of an encounter for its first agent.

        With a test, only the pairs that the test has used are counted.
        """
        if self.test is not None and self.test.summary.pairs:
            return self.test.summary
        return self._encounters[encounter].summary()

    def against_others(self, player: int) -> list[Stratum]:
        """Return a summary of a player's pairs against every other player."""
        found = []
        for met, tally in zip(self.plan.encounters, self._encounters, strict=True):
            if player in (met.first, met.second) and met.first != met.second:
                stratum = Stratum(tally.summary(), tally.clusters)
                found.append(stratum if player == met.first else stratum.swapped())
        return found

    def games_against_others(self, player: int) -> int:
        """Return the number of games in a player's complete pairs against all others."""
        return 2 * sum(
            tally.pairs
            for met, tally in zip(self.plan.encounters, self._encounters, strict=True)
            if player in (met.first, met.second) and met.first != met.second
        )


# Agents that keep failing
#
# A run is aborted once every encounter has an agent that failed `MOST_FAILURES` games in a row. One
# such agent therefore ends a match, but not a tournament whose other agents work. An agent fails a
# game if it crashes, cannot be loaded, runs out of memory, or does not return although moves have
# no time limit. A loss by the rules, by an illegal move, by resignation, by exceeding `move_ms`, or
# by a program's own clock is not a failure. A course agent that counts positions has a clock too;
# it fails if it never answers, and is therefore terminated long after its clock ran out.


@dataclass(frozen=True, slots=True)
class Streak:
    """An agent that failed in `MOST_FAILURES` games in a row.

    Attributes:
        player: The agent's index in the plan's players.
        note: The note of the last game of the streak.
        pairs: The number of pairs of each encounter up to the end of the streak.
    """

    player: int
    note: str
    pairs: int


@dataclass(slots=True)
class _AgentGames:
    """An agent's games, ordered by pair and then by encounter.

    Attributes:
        encounters: The agent's encounters.
        next: The number of pairs read so far.
        waiting: Pairs that arrived early; for each leg, the note if the agent failed, else None.
        failed: The length of the current streak of failures.
    """

    encounters: list[int]
    next: int = 0
    waiting: dict[tuple[int, int], list[str | None]] = field(default_factory=dict)
    failed: int = 0


class FailureStreaks:
    """A detector of agents that keep failing, independent of the order of arrival.

    Games played before the run was resumed are ignored, because the user knew about them.

    Args:
        plan: The plan.
        is_done: Returns whether a pair of an encounter is known.
    """

    def __init__(self, plan: Plan, is_done: Callable[[int, int], bool]) -> None:
        self._plan, self._is_done = plan, is_done
        searches = [tree_of(spec).search.word for spec in plan.players]
        self._untimed = np.array([plan.move_ms is None and search not in (COURSE, ENGINE) for search in searches])
        self._silent = np.array([search == COURSE for search in searches])
        self._found = dict[int, Streak]()
        met = list(enumerate(plan.encounters))
        self._agents = [
            _AgentGames([number for number, one in met if player in (one.first, one.second)])
            for player in range(len(plan.players))
        ]

    def add(self, games: GameBatch) -> Streak | None:
        """Add both games of some pairs.

        Once every encounter has a failing agent, return the last streak.
        """
        notes = self._failures(games)
        places = zip(games.encounters.tolist(), games.pairs.tolist(), strict=True)
        for where, own in groupby(enumerate(places), lambda place: place[1]):
            met, numbers = self._plan.encounters[where[0]], [number for number, _ in own]
            failed = [notes.get(number) for number in numbers] if notes else ()
            for player in {met.first, met.second}:
                self._agents[player].waiting[where] = [
                    note[1] if note is not None and note[0] == player else None for note in failed
                ] or NO_FAILURE
        for player in set(range(len(self._agents))) - self._found.keys():
            streak = self._read_on(player)
            if streak is not None:
                self._found[player] = streak
        if any({one.first, one.second}.isdisjoint(self._found) for one in self._plan.encounters):
            return None
        return max(self._found.values(), key=lambda streak: streak.pairs, default=None)

    def _failures(self, games: GameBatch) -> dict[int, tuple[int, str]]:
        """Return the player that failed in a game, and the note, by the game's place."""
        losers = games.losing_players
        is_late = games.reasons == REASON_CODES[Reason.TIME]
        failed = np.isin(games.reasons, FAILURES) | (is_late & self._untimed[losers])
        for number in np.flatnonzero(is_late & self._silent[losers]).tolist():
            failed[number] = NO_ANSWER in games.notes.get(number, "")
        return {
            number: (int(losers[number]), games.notes.get(number, "")) for number in np.flatnonzero(failed).tolist()
        }

    def _read_on(self, player: int) -> Streak | None:
        """Read an agent's games up to the first gap.

        A streak that ends with the agent's last pair does not abort the run.
        """
        agent, spec = self._agents[player], self._plan.players[player]
        width = len(agent.encounters)
        while agent.next < width * self._plan.pairs:
            pair, place = divmod(agent.next, width)
            where = agent.encounters[place], pair
            notes = agent.waiting.pop(where, None)
            if notes is None and not self._is_done(*where):
                return None
            agent.next += 1
            for note in notes or ():
                agent.failed = 0 if note is None else agent.failed + 1
                is_last = agent.next == width * self._plan.pairs
                if agent.failed >= MOST_FAILURES and not is_last and note is not None:
                    return Streak(player, note.removeprefix(f"{spec}: "), pair + 1)
        return None
