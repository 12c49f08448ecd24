"""The results of a run: pairs, rates, ratings, statistics of each agent, and early losses."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from isolarium.arena.game import ClockTroubles, Game
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.game_counts import AgentFigures, GameCounts, games_of_pairs
from isolarium.arena.lines import Numbers
from isolarium.arena.plan import Encounter, Format, Plan
from isolarium.arena.provenance import Verdicts, read_verdicts
from isolarium.arena.run_db import Record
from isolarium.arena.run_store import Names, names_of
from isolarium.arena.tally import Tally
from isolarium.game.position import Player, Reason
from isolarium.stats import (
    LEAST_OPENINGS,
    EloEstimate,
    PairSummary,
    RatedGames,
    RateEstimate,
    Ratings,
    SequentialEstimate,
    any_time_rate,
    elo_difference,
    likelihood_of_superiority,
    sequential_estimate,
    stratified_rate,
    win_rate,
)

MOST_SAMPLED: Final = 200
"""The maximum number of a run's games to compare with perfect play."""

Listener = Callable[[GameBatch, Numbers], None]
"""Receives games, and the cluster of each: the number of the first opening in the cluster."""


@dataclass(frozen=True, slots=True)
class EncounterResult:
    """The result of an encounter from its first agent's point of view.

    Attributes:
        encounter: The encounter.
        summary: The summary of the pairs.
        rate: The first agent's share of the points. Before the planned end, its interval is valid at any stopping time.
        superiority: The likelihood that the first agent is better, as if the number of pairs had been fixed; None with
            fewer than `LEAST_OPENINGS` distinct openings.
        sequential: The estimates after a sequential test, corrected for early stopping.
        won_by_first_mover: The number of games that the first mover won.
    """

    encounter: Encounter
    summary: PairSummary
    rate: RateEstimate
    superiority: float | None
    sequential: SequentialEstimate | None = None
    won_by_first_mover: int = 0

    @property
    def elo(self) -> EloEstimate:
        """The Elo difference that corresponds to `rate`.

        It has no interval if there are too few distinct openings.
        """
        elo = elo_difference(self.rate)
        return elo if self.summary.clusters >= LEAST_OPENINGS else elo.without_interval()


@dataclass(frozen=True)
class Results:
    """All results of a run, as shown in tables and reports.

    Attributes:
        plan: The run's plan.
        tally: The pairs, and the test's path.
        encounters: The result of each encounter, in the plan's order.
        agents: The figures of each player, in the plan's order.
        names: The players' names.
        ratings: Joint ratings by full name, if there are more than two players.
        games: The number of games finished.
        openings: The number of distinct openings among them.
        effective_openings: The effective number of openings by Kish's formula: the number of equally frequent openings
            that would provide the same evidence.
        duplicates: The number of games identical to an earlier game between the same players, or to its mirror image.
        first_won: The number of games that the first mover won.
        finished: Whether the run is complete.
        rates: Each player's share of the points against all others, in the plan's order.
        troubles: The machine's delays in games that the clock affects.
        verdicts: The results of checks on a cluster's workers.
        sample: Games of complete pairs, drawn evenly from the run, up to the number requested.
    """

    plan: Plan
    tally: Tally
    encounters: tuple[EncounterResult, ...]
    agents: tuple[AgentFigures, ...]
    names: Names
    ratings: Ratings | None
    games: int
    openings: int
    effective_openings: float
    duplicates: int
    first_won: int
    finished: bool
    rates: tuple[RateEstimate, ...]
    troubles: ClockTroubles
    verdicts: Verdicts
    sample: tuple[Game, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The players' full names."""
        return self.names.full

    @cached_property
    def ranking(self) -> tuple[int, ...]:
        """The players, best first, by rating, or by share of the points without ratings."""
        if self.ratings is not None:
            place = {label: player for player, label in enumerate(self.labels)}
            return tuple(place[rating.agent] for rating in self.ratings.table)
        return tuple(sorted(range(len(self.labels)), key=lambda player: -self.rates[player].rate))

    @property
    def tested(self) -> list[int]:
        """The agents under test, best first."""
        return [player for player in self.ranking if player < len(self.plan.agents)]

    @property
    def cross_sides(self) -> tuple[list[int], list[int]]:
        """The players of a cross table's rows and columns, best first.

        In a gauntlet, the rows are one side and the columns are the other.
        """
        order = list(self.ranking)
        if self.plan.format is not Format.GAUNTLET:
            return order, order
        tested = self.tested
        return tested, [player for player in order if player not in tested]

    @property
    def duel(self) -> EncounterResult | None:
        """The result of a run with two players, once a pair is complete.

        None with more than two players.
        """
        if len(self.labels) != 2:
            return None
        met = [one for one in self.encounters if one.encounter.first != one.encounter.second]
        return met[0] if met[0].summary.pairs else None

    def elo_of(self, player: int) -> EloEstimate | None:
        """Return a player's rating; with two players, the difference from the other."""
        if self.ratings is not None:
            elo = self.ratings[self.labels[player]].elo
        elif self.duel is not None:
            elo = elo_difference(self.rates[player])
        else:
            return None
        return elo if self.has_enough_openings else elo.without_interval()

    @property
    def has_enough_openings(self) -> bool:
        """Whether there are enough distinct openings to judge strength."""
        return self.openings >= LEAST_OPENINGS

    def superiority(self, player: int, other: int) -> float | None:
        """Return the likelihood that a player is better than another.

        The likelihood follows from the ratings or, with two players, from their pairs. It is None if it is unknown.
        """
        if not self.has_enough_openings:
            return None
        if self.ratings is not None:
            return self.ratings.superiority(self.labels[player], self.labels[other])
        met = None if self.duel is None else self.against(player, other)
        return None if met is None else met.superiority

    def against(self, player: int, other: int) -> EncounterResult | None:
        """Return the result of `player` against another; None if they did not play."""
        for met in self.encounters:
            if (met.encounter.first, met.encounter.second) == (player, other):
                return met
            if (met.encounter.first, met.encounter.second) == (other, player):
                return _swapped(met)
        return None

    @property
    def starved_share(self) -> float:
        """The share of all moves during which the machine kept an agent waiting.

        The share is 0 in a run without time limits. It includes late moves that lost their games.
        """
        late = self.troubles.late_moves_held_up
        moves = late + sum(figures.moves for figures in self.agents)
        return (late + sum(figures.starved for figures in self.agents)) / moves if moves else 0.0


def read_results(record: Record, *listeners: Listener, sample: int = 0) -> Results:
    """Read a finished or unfinished run.

    Each game is decoded only once, and the games are never all in memory at the same time.

    Args:
        record: The run's database.
        listeners: Called with all games, many at a time, in the order of encounter, pair and leg.
        sample: The maximum number of games to keep in `Results.sample`.
    """
    plan, clusters = record.plan, record.clusters()
    names, tally = names_of(plan), Tally(plan, clusters)
    counts = GameCounts(plan, record.board, clusters, record.opening_lines.lengths, sampled_pairs(record, sample))
    rated = RatedGames(names.full)
    for batch in record.batches():
        own = clusters[batch.pairs]
        tally.add_batch(batch)
        counts.add(batch, own)
        if len(names.full) > 2:
            first, second = batch.players.T
            rated.add(first, second, batch.winners == Player.FIRST, own)
        for listen in listeners:
            listen(batch, own)
    finished = record.is_finished
    return Results(
        plan,
        tally,
        tuple(encounter_result(tally, number, finished) for number in range(len(plan.encounters))),
        tuple(counts.agents),
        names,
        rated.ratings() if len(names.full) > 2 and counts.games else None,
        games=counts.games,
        openings=counts.openings,
        effective_openings=counts.effective_openings,
        duplicates=counts.duplicates,
        first_won=counts.first_won,
        finished=finished,
        rates=tuple(player_rate(tally, player, finished) for player in range(len(plan.players))),
        troubles=record.troubles(),
        verdicts=read_verdicts(record),
        sample=tuple(counts.sample),
    )


def sampled_pairs(record: Record, most_games: int) -> Numbers:
    """Return the pairs of a sample: complete pairs, drawn evenly from a run.

    The number of a pair is its place in the plan, encounter by encounter.
    """
    complete = record.complete_pairs() if most_games else np.empty(0, dtype=np.int64)
    wanted = min(len(complete), most_games // 2)
    chosen: Numbers = complete[np.arange(wanted) * len(complete) // max(1, wanted)]
    return chosen


def sampled_games(record: Record, most_games: int) -> list[Game]:
    """Return the games of `sampled_pairs`."""
    plan, places = record.plan, sampled_pairs(record, most_games)
    return [game for batch in record.batches() for game in games_of_pairs(batch, places, plan)]


def encounter_result(tally: Tally, number: int, finished: bool) -> EncounterResult:
    """Return an encounter's result so far; `finished` means the run is complete."""
    summary, plan = tally.summary(number), tally.plan
    sequential = None
    if plan.test is not None and summary.pairs:
        sequential = sequential_estimate(summary, plan.test)
    if sequential is not None and (finished or sequential.corrected):
        rate = sequential.rate
    else:
        rate = win_rate(summary) if finished else any_time_rate(summary)
    return EncounterResult(
        plan.encounters[number],
        summary,
        rate,
        _superiority(summary, sequential),
        sequential,
        tally.won_by_first_mover[number],
    )


def _superiority(summary: PairSummary, sequential: SequentialEstimate | None) -> float | None:
    if summary.clusters < LEAST_OPENINGS:
        return None
    return sequential.superiority if sequential else likelihood_of_superiority(summary)


def player_rate(tally: Tally, player: int, finished: bool) -> RateEstimate:
    """Return a player's share of the points against all others so far."""
    if len(tally.plan.encounters) > 1:
        return stratified_rate(tally.against_others(player))
    rate = encounter_result(tally, 0, finished).rate
    return rate if player == tally.plan.encounters[0].first else rate.swapped()


def _swapped(met: EncounterResult) -> EncounterResult:
    """Return the result for the second agent, without a sequential test's estimates."""
    return EncounterResult(
        Encounter(met.encounter.second, met.encounter.first),
        met.summary.swapped(),
        met.rate.swapped(),
        None if met.superiority is None else 1.0 - met.superiority,
        won_by_first_mover=met.won_by_first_mover,
    )


# Early losses


BY: Final = {
    Reason.ILLEGAL_MOVE: "by an illegal move",
    Reason.RESIGNATION: "by resignation",
    Reason.TIME: "on time",
    Reason.CRASH: "by a crash",
    Reason.MEMORY: "by running out of memory",
}


RESIGNED: Final = "resigned"
"""The start of the note of a resignation without a known cause."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The early losses of one agent for one reason.

    Attributes:
        player: The agent's index in the plan's players.
        reason: The reason of the losses.
        lost: The number of these losses.
        games: The number of games that the agent played.
        note: The note of the first loss.
    """

    player: int
    reason: Reason
    lost: int
    games: int
    note: str

    def describe(self, name: str) -> str:
        """Describe the failure in words, for an agent with the given name.

        For instance `open lost 60 of 60 games by a crash: TypeError: ...`.
        """
        has_note = self.note and not (self.reason is Reason.RESIGNATION and self.note.startswith(RESIGNED))
        return f"{self.summarize(name)}: {self.note}" if has_note else self.summarize(name)

    def summarize(self, name: str) -> str:
        """Return the description without the note."""
        return f"{name} lost {self.lost:,} of {self.games:,} games {BY[self.reason]}"


def failures(results: Results) -> list[Failure]:
    """Return all early losses by player, starting with the most frequent reason."""
    return [
        Failure(player, reason, lost, figures.games, _note(results, player, reason))
        for player, figures in enumerate(results.agents)
        for reason, lost in figures.losses.most_common()
        if reason is not Reason.NO_MOVES
    ]


def broken(results: Results) -> Iterator[Failure]:
    """Yield the main failure of each agent that failed in more than half of its games.

    Resigning is not a failure. The other statistics of a failing agent are meaningless.
    """
    seen = set[int]()
    for failure in failures(results):
        if failure.player in seen or failure.reason is Reason.RESIGNATION:
            continue
        seen.add(failure.player)
        losses = results.agents[failure.player].losses
        failed = losses.total() - losses[Reason.NO_MOVES] - losses[Reason.RESIGNATION]
        if 2 * failed > failure.games:
            yield failure


def _note(results: Results, player: int, reason: Reason) -> str:
    """Return the first note without the agent's name at its start."""
    note = results.agents[player].notes.get(reason, "")
    return note.removeprefix(f"{results.plan.players[player]}: ")
