"""The results of a run: pairs, rates, ratings, and statistics of each agent."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import cycle
from typing import Final

import numpy as np

from isolarium.arena.cluster.worker_audit import Verdicts, read_verdicts
from isolarium.arena.display_names import Names, full_names, names_of
from isolarium.arena.game import ClockTroubles, Game, is_held_up, is_proven
from isolarium.arena.plan import Encounter, Format, Plan
from isolarium.arena.run_db import Record
from isolarium.arena.tally import Tally
from isolarium.game.board import Board
from isolarium.game.outcome import Player, Reason
from isolarium.game.symmetry import symmetries
from isolarium.stats import (
    LEAST_OPENINGS,
    EloEstimate,
    GameResult,
    PairSummary,
    RateEstimate,
    Ratings,
    SequentialEstimate,
    any_time_rate,
    elo_difference,
    likelihood_of_superiority,
    rate_agents,
    sequential_estimate,
    stratified_rate,
    win_rate,
)

MOST_SAMPLED: Final = 200
"""The maximum number of a run's games to compare with perfect play."""

Listener = Callable[[Game, int], None]
"""Receives each game and its opening's cluster: the number of the cluster's first opening."""


@dataclass(slots=True)
class AgentFigures:
    """One agent's moves, wins and losses.

    Means over zero moves are None, for instance for an oracle, whose moves are all proven.

    Attributes:
        games: The number of games; a game of the agent against itself counts once.
        won: The number of wins.
        won_first: The number of wins as first mover.
        moves: The number of moves.
        searched: The number of moves without a proven result; the next three sums are over these.
        depth: The sum of the search depths.
        nodes: The sum of the positions entered.
        time_ms: The sum of the times on the clock.
        starved: The number of moves during which the machine kept the agent waiting.
        losses: The number of losses by reason.
        notes: The note of the first loss for each reason except having no legal moves.
    """

    games: int = 0
    won: int = 0
    won_first: int = 0
    moves: int = 0
    searched: int = 0
    depth: int = 0
    nodes: int = 0
    time_ms: float = 0.0
    starved: int = 0
    losses: Counter[Reason] = field(default_factory=Counter)
    notes: dict[Reason, str] = field(default_factory=dict)

    @property
    def mean_depth(self) -> float | None:
        """The mean search depth."""
        return self.depth / self.searched if self.searched else None

    @property
    def mean_nodes(self) -> float | None:
        """The mean number of positions entered per move."""
        return self.nodes / self.searched if self.searched else None

    @property
    def mean_time_ms(self) -> float | None:
        """The mean milliseconds per move."""
        return self.time_ms / self.searched if self.searched else None


@dataclass(frozen=True, slots=True)
class EncounterResult:
    """The result of an encounter from its first agent's point of view.

    Attributes:
        encounter: The encounter.
        summary: The summary of the pairs.
        rate: The first agent's share of the points. Before the planned end, its interval is valid
            at any stopping time.
        superiority: The likelihood that the first agent is better, as if the number of pairs had
            been fixed; None with fewer than `LEAST_OPENINGS` distinct openings.
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
        effective_openings: The effective number of openings by Kish's formula: the number of
            equally frequent openings that would provide the same evidence.
        duplicates: The number of games identical to an earlier game between the same players, or
            to its mirror image.
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

        The likelihood follows from the ratings or, with two players, from their pairs. It is None
        if it is unknown.
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
        listeners: Called with each game, in the order of encounter, pair and leg.
        sample: The maximum number of games to keep in `Results.sample`.
    """
    plan = record.plan
    reader = _Reader(record, listeners, sample)
    names = names_of(plan)
    # Computing the ratings consumes the same stream of games.
    ratings = rate_agents(reader.rated(), names.full) if len(names.full) > 2 else None
    if ratings is None:
        deque(reader.games(), maxlen=0)
    tally, finished = reader.tally, record.is_finished
    return Results(
        plan,
        tally,
        tuple(encounter_result(tally, number, finished) for number in range(len(plan.encounters))),
        tuple(reader.agents),
        names,
        ratings if reader.count else None,
        games=reader.count,
        openings=len(reader.seen),
        effective_openings=_effective(reader.seen),
        duplicates=reader.duplicates,
        first_won=reader.first_won,
        finished=finished,
        rates=tuple(player_rate(tally, player, finished) for player in range(len(plan.players))),
        troubles=record.troubles(),
        verdicts=read_verdicts(record),
        sample=tuple(reader.sample),
    )


class _Reader:
    """A reader that reads and counts a run's games once."""

    def __init__(self, record: Record, listeners: tuple[Listener, ...], sample: int) -> None:
        self.record, self.plan = record, record.plan
        self.clusters: list[int] = record.clusters().tolist()
        self.tally = Tally(self.plan, self.clusters)
        self.agents = [AgentFigures() for _ in self.plan.players]
        self.count = self.first_won = self.duplicates = 0
        self.seen = Counter[int]()
        self._repeated = {cluster for cluster, pairs in Counter(self.clusters).items() if pairs > 1}
        self._symmetries = _symmetry_tables(record.board)
        self._games = set[int]()
        self.sample = list[Game]()
        self._sampled = sampled_pairs(record, sample)
        self._listeners = listeners

    def games(self) -> Iterator[Game]:
        """Count every game, and then yield it."""
        for game in self.record.games():
            cluster = self.clusters[game.pair]
            self.tally.add(game.encounter, game.pair, game.leg, game.winner)
            _count(self.agents, game, self.plan.is_timed)
            self.count += 1
            self.first_won += game.winner == Player.FIRST
            self.seen[cluster] += 1
            self._note_duplicate(game, cluster)
            if (game.encounter, game.pair) in self._sampled:
                self.sample.append(game)
            for listen in self._listeners:
                listen(game, cluster)
            yield game

    def _note_duplicate(self, game: Game, cluster: int) -> None:
        """Count a game identical to, or a mirror image of, an earlier game.

        Only games between the same players are compared.
        """
        line = game.line
        if cluster in self._repeated:
            line = min(tuple(table[square] for square in line) for table in self._symmetries)
        key = hash((game.players, line))  # The games themselves would not fit into memory.
        self.duplicates += key in self._games
        self._games.add(key)

    def rated(self) -> Iterator[GameResult]:
        """Yield every game in the form used to compute ratings."""
        labels = full_names(self.plan)
        for game in self.games():
            first, second = (labels[player] for player in game.players)
            won = game.winner == Player.FIRST
            yield GameResult(first, second, won, self.clusters[game.pair])


def _symmetry_tables(board: Board) -> list[dict[str, str]]:
    """Return the permutation of a board's squares for each symmetry."""
    return [
        {str(square): str(symmetry.square(square, board)) for square in board.squares}
        for symmetry in symmetries(board)
    ]


def _effective(games: Counter[int]) -> float:
    """Return Kish's effective number of openings from each opening's games."""
    squares = sum(count * count for count in games.values())
    return games.total() ** 2 / squares if squares else 0.0


def sampled_pairs(record: Record, most_games: int) -> Set[tuple[int, int]]:
    """Return the encounters and pairs of a sample.

    The sample consists of complete pairs, drawn evenly from a run.
    """
    if not most_games:
        return frozenset()
    complete = record.complete_pairs()
    wanted = min(len(complete), most_games // 2)
    chosen = complete[np.arange(wanted) * len(complete) // max(1, wanted)]
    return {divmod(pair, record.plan.pairs) for pair in chosen.tolist()}


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


def _count(agents: Sequence[AgentFigures], game: Game, is_timed: bool) -> None:
    """Add a game to the figures of its two agents."""
    first, second = (agents[player] for player in game.players)
    winner, loser = agents[game.winning_player], agents[game.losing_player]
    first.games += 1
    second.games += first is not second
    winner.won += 1
    first.won_first += game.winner == Player.FIRST
    loser.losses[game.reason] += 1
    if game.note:
        loser.notes.setdefault(game.reason, game.note)
    moves = zip(game.scores, game.depths, game.nodes, game.times_ms, game.busy_ms, strict=True)
    turns = cycle((first, second) if game.offset(Player.FIRST) == 0 else (second, first))
    for mover, (score, depth, nodes, time_ms, busy_ms) in zip(turns, moves, strict=False):
        mover.moves += 1
        if not is_proven(score):
            mover.searched += 1
            mover.time_ms += time_ms
            mover.depth += depth
            mover.nodes += nodes
        if is_timed and is_held_up(time_ms, busy_ms):
            mover.starved += 1


# Early losses: games that ended by an agent's failure


BY: Final = {
    Reason.ILLEGAL_MOVE: "by an illegal move",
    Reason.RESIGNATION: "by resignation",
    Reason.TIME: "on time",
    Reason.CRASH: "by a crash",
    Reason.MEMORY: "by running out of memory",
}


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
        has_note = self.note and self.reason is not Reason.RESIGNATION
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
