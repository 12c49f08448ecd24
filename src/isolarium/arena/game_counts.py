"""Counts of a run's games: each agent's figures, distinct openings, duplicate games, and sums over columns."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.game import FAIR_SHARE, FAIR_WAIT_MS, Game
from isolarium.arena.game_batch import REASONS, GameBatch
from isolarium.arena.lines import Numbers
from isolarium.arena.plan import Plan
from isolarium.game.board import Board
from isolarium.game.position import Player, Reason
from isolarium.game.symmetry import symmetries
from isolarium.stats import PairSummary
from isolarium.stats.pairs import ClusterMoments, effective_pairs


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


class GameCounts:
    """Counts of games, many at a time.

    Args:
        plan: The run's plan.
        board: The plan's board.
        clusters: The cluster of each pair's opening.
        plies: The length of each pair's opening.
        sampled: The pairs whose games to keep, by their places in the plan.

    Attributes:
        agents: The figures of each player, in the plan's order.
        games: The number of games.
        first_won: The number of games that the first mover won.
        sample: The games of the sampled pairs.
    """

    def __init__(self, plan: Plan, board: Board, clusters: Numbers, plies: Numbers, sampled: Numbers) -> None:
        self.agents = [AgentFigures() for _ in plan.players]
        self.games = self.first_won = 0
        self.sample = list[Game]()
        self._plan, self._sampled = plan, sampled
        self._seen = np.zeros(plan.pairs, dtype=np.int64)
        self._is_mirrored = np.bincount(clusters, minlength=plan.pairs) > 1
        if np.ptp(plies):  # A long opening may continue the mirror image of a short one, whose cluster differs.
            self._is_mirrored[:] = True
        self._lines = _LineKeys(board)
        self._keys = list[NDArray[np.uint64]]()

    def add(self, batch: GameBatch, clusters: Numbers) -> None:
        """Count games with these clusters."""
        self.games += len(batch)
        self.first_won += int((batch.winners == Player.FIRST).sum())
        np.add.at(self._seen, clusters, np.int64(1))
        self._keys.append(self._lines.of(batch, self._is_mirrored[clusters]))
        self._count_results(batch)
        self._count_moves(batch)
        self.sample += games_of_pairs(batch, self._sampled, self._plan)

    @property
    def openings(self) -> int:
        """The number of distinct openings."""
        return int((self._seen > 0).sum())

    @property
    def effective_openings(self) -> float:
        """Kish's effective number of openings."""
        squares = int((self._seen * self._seen).sum())
        return self.games**2 / squares if squares else 0.0

    @property
    def duplicates(self) -> int:
        """The number of games identical to an earlier game, or to its mirror image.

        Only games between the same players are compared.
        """
        return self.games - len(np.unique(np.concatenate(self._keys))) if self._keys else 0

    def _count_results(self, batch: GameBatch) -> None:
        first, second = batch.players.T
        played = self._tally(first) + self._tally(second[first != second])
        won_first = self._tally(first[batch.winners == Player.FIRST])
        columns = (played, self._tally(batch.winning_players), won_first)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for agent, (games, won, first_won) in zip(self.agents, rows, strict=True):
            agent.games += games
            agent.won += won
            agent.won_first += first_won
        losers = batch.losing_players.astype(np.int64)
        codes, _, counts = in_order(losers * len(REASONS) + batch.reasons)
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            player, reason = divmod(code, len(REASONS))
            self.agents[player].losses[REASONS[reason]] += count
        for number, note in sorted(batch.notes.items()):
            notes = self.agents[losers[number]].notes
            notes.setdefault(REASONS[batch.reasons[number]], note)

    def _count_moves(self, batch: GameBatch) -> None:
        movers = batch.move_players
        open_ = np.flatnonzero(~batch.is_proven)
        searchers, count = movers[open_], len(self.agents)
        depths = exact_sums(searchers, batch.depths[open_], count)
        nodes = exact_sums(searchers, batch.nodes[open_], count)
        before = np.array([agent.time_ms for agent in self.agents])
        times = continued_sums(before, searchers, batch.move_times_ms[open_])
        moves, searched = self._tally(movers), self._tally(searchers)
        starved = np.zeros(count, dtype=np.int64)
        if self._plan.is_timed:
            starved = self._tally(movers[held_up(batch)])
        for player, agent in enumerate(self.agents):
            agent.moves += int(moves[player])
            agent.searched += int(searched[player])
            agent.depth += depths[player]
            agent.nodes += nodes[player]
            agent.time_ms = float(times[player])
            agent.starved += int(starved[player])

    def _tally(self, players: NDArray[np.integer]) -> Numbers:
        return np.bincount(players, minlength=len(self.agents)).astype(np.int64)


def games_of_pairs(batch: GameBatch, places: Numbers, plan: Plan) -> list[Game]:
    """Return the games of a batch whose pairs have one of these places in the plan."""
    pairs = batch.encounters.astype(np.int64) * plan.pairs + batch.pairs
    own = np.flatnonzero(np.isin(pairs, places))
    return [*batch.with_times().take(own)] if own.size else []


def held_up(batch: GameBatch) -> NDArray[np.bool_]:
    """Return whether the machine kept the agent waiting during each move, as `is_held_up` does."""
    times_ms, busy_ms = batch.move_times_ms, batch.move_busy_ms
    found: NDArray[np.bool_] = (busy_ms < FAIR_SHARE * times_ms) & (times_ms - busy_ms > FAIR_WAIT_MS)
    return found


SEED: Final = 1


class _LineKeys:
    """Keys of games: equal for identical games, and for mirror images where these matter.

    A key is the sum of a random number for each move: by Zobrist, "A new hashing method with
    application for game playing", 1970. Of all mirror images, the least key counts.
    """

    def __init__(self, board: Board) -> None:
        chance = np.random.default_rng(SEED)
        shape = (board.size, board.size)
        self._moves = chance.integers(0, 1 << 63, shape, dtype=np.uint64)
        self._players = chance.integers(0, 1 << 63, 2, dtype=np.uint64) | np.uint64(1)
        self._images = [
            np.array([board.index(one.square(square, board)) for square in board.squares]) for one in symmetries(board)
        ]

    def of(self, batch: GameBatch, is_mirrored: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """Return the key of each game.

        Args:
            batch: The games.
            is_mirrored: Whether mirror images of a game have the same key.
        """
        lines = batch.openings.followed_by(batch.moves)
        plies = np.arange(lines.squares.size) - np.repeat(lines.starts[:-1], lines.lengths)
        keys = np.add.reduceat(self._moves[plies, lines.squares], lines.starts[:-1])
        mirrored = np.flatnonzero(is_mirrored)
        if mirrored.size:
            own = lines.take(mirrored)
            plies = plies[lines.places(mirrored)]
            images = [
                np.add.reduceat(self._moves[plies, image[own.squares]], own.starts[:-1]) for image in self._images
            ]
            keys[mirrored] = np.min(images, axis=0)
        players = batch.players.astype(np.uint64) * self._players
        found: NDArray[np.uint64] = keys + players.sum(axis=1, dtype=np.uint64)
        return found


# Sums over columns, with the same results as adding one game after the other


EXACT: Final = 1 << 53
"""Every whole number below this is a float."""


def exact_sums(groups: Numbers, values: Numbers, count: int) -> list[int]:
    """Return the sum of the values of each of `count` groups; no sum overflows."""
    most = max(abs(int(values.max())), abs(int(values.min()))) if values.size else 0
    if most * values.size < EXACT:
        return [int(total) for total in np.bincount(groups, values, count).tolist()]
    sums = [0] * count
    for group, value in zip(groups.tolist(), values.tolist(), strict=True):
        sums[group] += value
    return sums


def continued_sums(totals: NDArray[np.float64], groups: Numbers, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add values to the totals of their groups, one after the other, which decides the last digit."""
    every = np.concatenate([np.arange(totals.size), groups])
    return np.bincount(every, np.concatenate([totals, values]), totals.size).astype(np.float64)


def in_order(codes: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the distinct codes by first appearance, their first places, and their counts."""
    found, places, counts = np.unique(codes, return_index=True, return_counts=True)
    order = np.argsort(places)
    return found[order], places[order], counts[order]


class PairColumns:
    """Pairs counted by cluster, like `PairTally`, but many at a time.

    Clusters are whole numbers from 0 up to but not including `clusters`.
    """

    def __init__(self, clusters: int) -> None:
        self._sizes = np.zeros(clusters, dtype=np.int32)
        self._points = np.zeros(clusters, dtype=np.int32)
        self._first = np.full(clusters, np.iinfo(np.int32).max, dtype=np.int32)
        self._counts = np.zeros(3, dtype=np.int64)

    def add(self, clusters: Numbers, points: Numbers, pairs: Numbers | None = None) -> None:
        """Count pairs.

        Args:
            clusters: The cluster of each pair.
            points: Twice the score of each.
            pairs: Their numbers, which order the clusters; by default the clusters.
        """
        first = clusters if pairs is None else pairs
        np.add.at(self._sizes, clusters, np.int32(1))  # Slow with another type
        np.add.at(self._points, clusters, points.astype(np.int32))
        np.minimum.at(self._first, clusters, first.astype(np.int32))
        self._counts += np.bincount(points, minlength=3)

    @property
    def pairs(self) -> int:
        """The number of pairs counted."""
        return int(self._counts.sum())

    @property
    def clusters(self) -> Mapping[Any, tuple[int, int]]:
        """The number of pairs of each opening, and twice their total score."""
        known = np.flatnonzero(self._sizes)
        known = known[np.argsort(self._first[known], kind="stable")]
        columns = (known, self._sizes[known], self._points[known])
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return {cluster: (size, points) for cluster, size, points in rows}

    def summary(self) -> PairSummary:
        """Return the counts so far."""
        known = np.flatnonzero(self._sizes)
        sizes, points = self._sizes[known].astype(np.int64), self._points[known].astype(np.int64)
        lost, split, won = self._counts.tolist()
        counts = list(enumerate(np.bincount(sizes).tolist()))
        moments = ClusterMoments(
            clusters=len(known),
            size=lost + split + won,
            size_squared=sum(size**2 * count for size, count in counts),
            size_cubed=sum(size**3 * count for size, count in counts),
            points=split + 2 * won,
            points_squared=int((points * points).sum()),
            size_times_points=int((sizes * points).sum()),
            pair_points_squared=split + 4 * won,
        )
        return PairSummary(won, split, lost, len(known), effective_pairs(moments))


def summary_of(clusters: Numbers, points: Numbers) -> PairSummary:
    """Summarize pairs with these clusters and twice these scores."""
    found, numbers = np.unique(clusters, return_inverse=True)
    pairs = PairColumns(len(found))
    pairs.add(numbers, points)
    return pairs.summary()
