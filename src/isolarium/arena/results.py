"""What a run's record says: pairs, rates, ratings, and how each agent spent its moves."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from isolarium.arena.cluster.spot_checks import Verdicts, read_verdicts
from isolarium.arena.display_names import Names, full_names, names_of
from isolarium.arena.game import is_held_up
from isolarium.arena.game_row import ClockTroubles, GameRow, is_proven
from isolarium.arena.plan import Encounter, Format, Plan
from isolarium.arena.run_db import Record
from isolarium.arena.tally import Tally
from isolarium.game.outcome import Player, Reason
from isolarium.stats import (
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


@dataclass(slots=True)
class AgentFigures:
    """How one agent spent its moves, and why it lost.

    A mean over no moves is unknown: None, as of an oracle, all of whose moves are proven.

    Attributes:
        games: games played; one against itself counts once.
        won: games won.
        won_first: of those, the ones in which it moved first.
        moves: moves made.
        searched: moves whose end was not yet proven; depth, nodes and time are counted over these.
        depth: their plies looked ahead, added up.
        nodes: their positions entered, added up.
        time_ms: their time on the clock, added up.
        starved: moves in which the machine kept the agent waiting.
        losses: games lost, by reason.
        notes: for each reason but that there were no moves, what was said of the first game lost so.
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
        """Plies looked ahead a move."""
        return self.depth / self.searched if self.searched else None

    @property
    def mean_nodes(self) -> float | None:
        """Positions entered a move."""
        return self.nodes / self.searched if self.searched else None

    @property
    def mean_time_ms(self) -> float | None:
        """Milliseconds a move."""
        return self.time_ms / self.searched if self.searched else None


@dataclass(frozen=True, slots=True)
class EncounterResult:
    """What two agents' pairs say, from the side of the first of them.

    Attributes:
        encounter: who met.
        summary: the pairs.
        rate: the first agent's share of the points. Before the planned end its interval is one that holds whenever
            somebody stops.
        superiority: how likely the first is the better one, as if the number of pairs had been planned.
        sequential: the same after a sequential test, corrected for when it stopped.
        won_by_first_mover: games that whoever moved first has won.
    """

    encounter: Encounter
    summary: PairSummary
    rate: RateEstimate
    superiority: float
    sequential: SequentialEstimate | None = None
    won_by_first_mover: int = 0


@dataclass(frozen=True)
class Results:
    """Everything the tables show.

    Attributes:
        plan: what was to be played.
        tally: the pairs, and the test's path.
        encounters: the result of each encounter, in the plan's order.
        agents: the figures of each player, in the plan's order.
        names: what the players are called.
        ratings: joint ratings by full name, where more than two play.
        games: games finished.
        openings: distinct openings among them.
        first_won: games that the first mover won.
        finished: whether the run is complete.
        rates: each player's share of the points against all others, in the plan's order.
        troubles: what the machine did to games that the clock decided, beside the moves of these.
        verdicts: what is known of the workers of a cluster.
    """

    plan: Plan
    tally: Tally
    encounters: tuple[EncounterResult, ...]
    agents: tuple[AgentFigures, ...]
    names: Names
    ratings: Ratings | None
    games: int
    openings: int
    first_won: int
    finished: bool
    rates: tuple[RateEstimate, ...]
    troubles: ClockTroubles
    verdicts: Verdicts

    @property
    def labels(self) -> tuple[str, ...]:
        """The players' names in full."""
        return self.names.full

    @cached_property
    def ranking(self) -> tuple[int, ...]:
        """The players, by their ratings where there are any, else by their share of the points; best first."""
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
        """The players of a cross table's rows and columns, best first; in a gauntlet its two sides."""
        order = list(self.ranking)
        if self.plan.format is not Format.GAUNTLET:
            return order, order
        tested = self.tested
        return tested, [player for player in order if player not in tested]

    @property
    def duel(self) -> EncounterResult | None:
        """What the pairs of the two players say, where there are only two and a pair is complete."""
        if len(self.labels) != 2:
            return None
        met = [one for one in self.encounters if one.encounter.first != one.encounter.second]
        return met[0] if met[0].summary.pairs else None

    def elo_of(self, player: int) -> EloEstimate | None:
        """A player's rating among many; of two, how far it is above the other."""
        if self.ratings is not None:
            return self.ratings[self.labels[player]].elo
        return None if self.duel is None else elo_difference(self.rates[player])

    def superiority(self, player: int, other: int) -> float | None:
        """How likely a player is better than another, by the ratings or, of two, by their pairs."""
        if self.ratings is not None:
            return self.ratings.superiority(self.labels[player], self.labels[other])
        met = None if self.duel is None else self.against(player, other)
        return None if met is None else met.superiority

    def against(self, player: int, other: int) -> EncounterResult | None:
        """What the pairs of two players say from the side of `player`, if they met."""
        for met in self.encounters:
            if (met.encounter.first, met.encounter.second) == (player, other):
                return met
            if (met.encounter.first, met.encounter.second) == (other, player):
                return _swapped(met)
        return None

    @property
    def starved_share(self) -> float:
        """The share of all moves in which the machine kept an agent waiting; 0 where no clock decides.

        Those that came too late and lost their game are among them: they are the ones that matter.
        """
        late = self.troubles.late_moves_held_up
        moves = late + sum(figures.moves for figures in self.agents)
        return (late + sum(figures.starved for figures in self.agents)) / moves if moves else 0.0


def read_results(record: Record) -> Results:
    """Read a record, finished or not, game by game."""
    plan = record.plan
    reader = _Reader(record)
    names = names_of(plan)
    # Ratings are read off the same stream, so that games are never held all at once.
    ratings = rate_agents(reader.read(), names.full) if len(names.full) > 2 else None
    if ratings is None:
        for _ in reader.read():
            pass
    tally, finished = reader.tally, record.is_finished
    return Results(
        plan,
        tally,
        tuple(encounter_result(tally, number, finished) for number in range(len(plan.encounters))),
        tuple(reader.agents),
        names,
        ratings if reader.games else None,
        games=reader.games,
        openings=len(reader.seen),
        first_won=reader.first_won,
        finished=finished,
        rates=tuple(player_rate(tally, player, finished) for player in range(len(plan.players))),
        troubles=record.troubles(),
        verdicts=read_verdicts(record),
    )


class _Reader:
    """Goes through a record's games once and counts them."""

    def __init__(self, record: Record) -> None:
        self.record, self.plan = record, record.plan
        self.clusters = record.clusters()
        self.tally = Tally(self.plan, self.clusters)
        self.agents = [AgentFigures() for _ in self.plan.players]
        self.games = self.first_won = 0
        self.seen = set[int]()

    def read(self) -> Iterator[GameResult]:
        """Every game as the ratings take it, once it is counted."""
        labels, timed = full_names(self.plan), self.plan.is_timed
        for game in self.record.games():
            first, second = movers(self.plan, game)
            won = game.winner == Player.FIRST
            cluster = self.clusters[game.pair]
            self.tally.add([(game.encounter, game.pair, game.leg, game.first_won)])
            _count(self.agents[first], self.agents[second], game, timed)
            self.games += 1
            self.first_won += won
            self.seen.add(cluster)
            yield GameResult(labels[first], labels[second], won, cluster)


def movers(plan: Plan, game: GameRow) -> tuple[int, int]:
    """Who moved first and who second, by their places among the plan's players."""
    encounter = plan.encounters[game.encounter]
    pair = (encounter.first, encounter.second)
    return pair if game.leg == 0 else (pair[1], pair[0])


def encounter_result(tally: Tally, number: int, finished: bool) -> EncounterResult:
    """What the pairs of an encounter say so far; `finished` if this is the end that was planned."""
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
        sequential.superiority if sequential else likelihood_of_superiority(summary),
        sequential,
        tally.won_by_first_mover[number],
    )


def player_rate(tally: Tally, player: int, finished: bool) -> RateEstimate:
    """A player's share of the points against all others so far."""
    if len(tally.plan.encounters) > 1:
        return stratified_rate(tally.against_others(player))
    rate = encounter_result(tally, 0, finished).rate
    return rate if player == tally.plan.encounters[0].first else rate.swapped()


def _swapped(met: EncounterResult) -> EncounterResult:
    """The same from the side of the second agent; only a match has a sequential test, and is not asked this."""
    return EncounterResult(
        Encounter(met.encounter.second, met.encounter.first),
        met.summary.swapped(),
        met.rate.swapped(),
        1.0 - met.superiority,
        won_by_first_mover=met.won_by_first_mover,
    )


def _count(first: AgentFigures, second: AgentFigures, game: GameRow, timed: bool) -> None:
    """Add a game to the figures of its two agents."""
    winner, loser = (first, second) if game.winner == Player.FIRST else (second, first)
    first.games += 1
    second.games += first is not second
    winner.won += 1
    first.won_first += game.winner == Player.FIRST
    loser.losses[game.reason] += 1
    if game.note:
        loser.notes.setdefault(game.reason, game.note)
    moves = zip(game.scores, game.depths, game.nodes, game.times_ms, game.busy_ms, strict=True)
    mover = _first_mover(first, second, game)
    for score, depth, nodes, time_ms, busy_ms in moves:
        mover.moves += 1
        if not is_proven(score):
            mover.searched += 1
            mover.time_ms += time_ms
            mover.depth += depth
            mover.nodes += nodes
        if timed and is_held_up(time_ms, busy_ms):
            mover.starved += 1
        mover = second if mover is first else first


def _first_mover(first: AgentFigures, second: AgentFigures, game: GameRow) -> AgentFigures:
    """Who made the first of the row's moves.

    Where the opening has an odd number of random moves it is the second player. The row does not say how long the
    opening was, but whoever lost was to move after the last move.
    """
    loser_is_first = game.winner == Player.SECOND
    even = len(game.moves) % 2 == 0
    return first if loser_is_first == even else second


# Games that agents lost by something else than the game


BY: Final = {
    Reason.ILLEGAL_MOVE: "by an illegal move",
    Reason.RESIGNATION: "by resignation",
    Reason.TIME: "on time",
    Reason.CRASH: "by a crash",
    Reason.MEMORY: "by running out of memory",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """The games that one agent lost early for one reason.

    Attributes:
        player: the agent's place among the plan's players.
        reason: why they were lost.
        lost: how many.
        games: games the agent played.
        note: what was said of the first of them.
    """

    player: int
    reason: Reason
    lost: int
    games: int
    note: str

    def told(self, name: str) -> str:
        """`open lost 60 of 60 games by a crash: TypeError: ...`, for an agent of that name."""
        says_more = self.note and self.reason is not Reason.RESIGNATION
        return f"{self.shortly(name)}: {self.note}" if says_more else self.shortly(name)

    def shortly(self, name: str) -> str:
        """The same without the note."""
        return f"{name} lost {self.lost:,} of {self.games:,} games {BY[self.reason]}"


def failures(results: Results) -> list[Failure]:
    """Every early end there was, by player, the most frequent reason first."""
    return [
        Failure(player, reason, lost, figures.games, _note(results, player, reason))
        for player, figures in enumerate(results.agents)
        for reason, lost in figures.losses.most_common()
        if reason is not Reason.NO_MOVES
    ]


def broken(results: Results) -> Iterator[Failure]:
    """The main failure of each agent that failed in more than half of its games: its figures say nothing of its play.

    To resign is an agent's right, and no failure.
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
    """The first note, without the agent's name before it."""
    note = results.agents[player].notes.get(reason, "")
    return note.removeprefix(f"{results.plan.players[player]}: ")
