"""Statistics for the report of a run, counted in one pass over its games."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.game import Game
from isolarium.arena.game_batch import REASONS, GameBatch
from isolarium.arena.game_counts import exact_sums, held_up, in_order, summary_of
from isolarium.arena.lines import Numbers
from isolarium.arena.plan import Plan
from isolarium.arena.results import Results, read_results
from isolarium.arena.run_db import Record
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Reason
from isolarium.game.symmetry import symmetries
from isolarium.stats import RateEstimate, win_rate

# Visits


Counts = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The visits of one agent, or of its opponents.

    Attributes:
        games: The number of games.
        by_opening: The visits, with a row for each opening and a column for each square.
    """

    games: int
    by_opening: Counts

    @property
    def share(self) -> NDArray[np.float64]:
        """The share of games in which each square was visited."""
        total: NDArray[np.float64] = self.by_opening.sum(axis=0) / max(1, self.games)
        return total


class Visits:
    """Counts the squares that agents and their opponents visit.

    Squares of the opening are not counted, because chance or a file chose them. Visits are kept by
    opening, because games from one opening, its repeats and its mirror images are not independent.
    """

    def __init__(self, board: Board, players: int) -> None:
        self.board, self._players = board, players
        self._games = [0] * players
        self._row_of = np.full(0, -1, dtype=np.int64)  # By cluster
        self._rows = 0
        # An agent visits a square at most once a game, so its games bound the counts.
        self._most = np.zeros(0, dtype=np.int64)
        self._met = np.zeros((players, 0), dtype=np.bool_)
        self._counts: Counts = np.zeros((2, players, 0, board.size), dtype=np.uint8)

    def add(self, batch: GameBatch, clusters: Numbers) -> None:
        """Count games; clusters identify equivalent openings."""
        if not len(batch):
            return
        rows = self._rows_of(clusters)
        for seat in Player:
            self._met[batch.players[:, seat], rows] = True
        first, second = batch.players.T
        games = np.bincount(np.concatenate([first, second[first != second]]), minlength=self._players)
        self._games = [old + new for old, new in zip(self._games, games.tolist(), strict=True)]
        of_move, squares = batch.move_games, batch.moves.squares
        movers, own = batch.move_players, rows[of_move]
        others = batch.players[of_move].sum(axis=1) - movers
        shape, counts = self._counts.shape, self._counts.reshape(-1)
        for whose, players in enumerate((movers, others)):
            where = ((whose * shape[1] + players) * shape[2] + own) * shape[3] + squares
            np.add.at(counts, where, counts.dtype.type(1))  # Slow with another type

    def _rows_of(self, clusters: Numbers) -> Numbers:
        """Return the row of each cluster; make room for new ones, and for larger counts."""
        most = int(clusters.max()) + 1
        if most > self._row_of.size:
            self._row_of = _grown(self._row_of, max(most, 2 * self._row_of.size), -1)
        found = np.unique(clusters)
        new = found[self._row_of[found] < 0]
        self._row_of[new] = self._rows + np.arange(len(new))
        self._rows += len(new)
        if self._rows > self._most.size:
            size = max(self._rows, 2 * self._most.size)
            self._most = _grown(self._most, size, 0)
            self._met = _grown(self._met.T, size, 0).T
            self._counts = _grown(self._counts.swapaxes(0, 2), size, 0).swapaxes(0, 2).copy()
        rows: Numbers = self._row_of[clusters]
        np.add.at(self._most, rows, 1)
        if self._most.max() > np.iinfo(self._counts.dtype).max:
            self._counts = self._counts.astype(np.min_scalar_type(4 * int(self._most.max())))
        return rows

    def _heat_map(self, whose: int, player: int) -> HeatMap:
        rows = self._row_of[self._row_of >= 0]
        rows = rows[self._met[player, rows]]
        return HeatMap(self._games[player], self._counts[whose, player, rows])

    def own(self, player: int) -> HeatMap:
        """Return the agent's visits."""
        return self._heat_map(0, player)

    def opponents(self, player: int) -> HeatMap:
        """Return the visits of the agent's opponents."""
        return self._heat_map(1, player)


def _grown(values: NDArray[Any], size: int, new: int) -> NDArray[Any]:
    """Return an array with a larger first dimension."""
    found = np.full((size, *values.shape[1:]), new, dtype=values.dtype)
    found[: len(values)] = values
    return found


# Starting squares


@dataclass(frozen=True, slots=True)
class StartShare:
    """The results from a starting square and its mirror images.

    Attributes:
        square: The starting square.
        games: The number of games.
        rate: The share of games that the player won.
    """

    square: Square
    games: int
    rate: RateEstimate


class Starts:
    """Counts results by starting square; mirror images count as one square."""

    def __init__(self, board: Board, players: int) -> None:
        self.board = board
        self._class_of = np.array(
            [board.index(_least_image(square, board)) for square in board.squares], dtype=np.uint8
        )
        self._parts = list[tuple[NDArray[Any], ...]]()

    def add(self, batch: GameBatch, clusters: Numbers) -> None:
        """Count games; clusters identify equivalent openings."""
        for seat in Player:
            starts = self._class_of[batch.openings.squares[batch.openings.starts[:-1] + seat]]
            players, won = batch.players[:, seat], batch.winners == seat
            seats = np.full(len(batch), seat, dtype=np.uint8)
            self._parts.append((players, seats, starts, clusters.astype(np.int32), won))

    def first_mover(self) -> list[StartShare]:
        """Return the first mover's win rate by its starting square.

        Squares without games are left out.
        """
        return self._shares(None)

    def agent(self, player: int) -> list[StartShare]:
        """Return an agent's win rate by its starting square."""
        return self._shares(player)

    def _shares(self, player: int | None) -> list[StartShare]:
        """Return the shares of a player, or of the first mover."""
        if not self._parts:
            return []
        players, seats, starts, clusters, won = map(np.concatenate, zip(*self._parts, strict=True))
        is_own = seats == Player.FIRST if player is None else players == player
        known = dict[int, tuple[int, RateEstimate]]()
        for start in np.unique(starts[is_own]).tolist():
            own = is_own & (starts == start)
            # Each game counts as a pair; games that share an opening are grouped.
            summary = summary_of(clusters[own], 2 * won[own].astype(np.int64))
            known[start] = (summary.pairs, win_rate(summary))
        classes = zip(self.board.squares, self._class_of.tolist(), strict=True)
        return [StartShare(square, *known[start]) for square, start in classes if start in known]


def _least_image(square: Square, board: Board) -> Square:
    return min(symmetry.square(square, board) for symmetry in symmetries(board))


# Search effort and the clock


MOST_MOVES: Final = 256
"""More than the number of moves in any game."""
LEAST_SHARE: Final = 0.05
"""The minimum share of an agent's games that reach a move for its mean to be shown."""


@dataclass(slots=True)
class MoveEffort:
    """The totals of an agent's searches at one move number.

    Attributes:
        searches: The number of searches without a proven result; a proof ends a search early.
        depth: The sum of their depths.
        nodes: The sum of their nodes.
    """

    searches: int = 0
    depth: int = 0
    nodes: int = 0


class Effort:
    """Counts searches by agent and move number; the placements are moves 1 and 2."""

    def __init__(self, players: int) -> None:
        self._games = [0] * players
        self._moves: list[dict[int, MoveEffort]] = [{} for _ in range(players)]

    def add(self, batch: GameBatch) -> None:
        """Count games."""
        games = np.bincount(batch.players.ravel(), minlength=len(self._games))
        self._games = [old + new for old, new in zip(self._games, games.tolist(), strict=True)]
        own = np.flatnonzero(~batch.is_proven & (batch.nodes != 0))
        codes = batch.move_players[own] * MOST_MOVES + batch.move_plies[own] + 1
        count = len(self._moves) * MOST_MOVES
        searches = np.bincount(codes, minlength=count)
        depths = exact_sums(codes, batch.depths[own], count)
        nodes = exact_sums(codes, batch.nodes[own], count)
        for code in np.flatnonzero(searches).tolist():
            player, move = divmod(code, MOST_MOVES)
            effort = self._moves[player].setdefault(move, MoveEffort())
            effort.searches += int(searches[code])
            effort.depth += depths[code]
            effort.nodes += nodes[code]

    def by_move(self, player: int) -> dict[int, MoveEffort]:
        """Return an agent's searches by move number, if enough games reached it."""
        least = LEAST_SHARE * self._games[player]
        return {number: effort for number, effort in sorted(self._moves[player].items()) if effort.searches >= least}


class Clock:
    """Counts the moves of a timed run that the machine delayed."""

    def __init__(self) -> None:
        self.moves = 0
        self.starved = 0
        self._by_pair: Counter[tuple[int, int]] = Counter()

    def add(self, batch: GameBatch) -> None:
        """Count games."""
        starved = np.bincount(batch.move_games[held_up(batch)], minlength=len(batch))
        self.moves += batch.moves.squares.size
        self.starved += int(starved.sum())
        for number in np.flatnonzero(starved).tolist():
            place = int(batch.encounters[number]), int(batch.pairs[number])
            self._by_pair[place] += int(starved[number])

    def worst(self, most: int = 5) -> list[tuple[int, int, int]]:
        """Return encounter, pair and count for the pairs with the most delayed moves."""
        ranked = sorted(self._by_pair.items(), key=lambda item: (-item[1], item[0]))
        return [(encounter, pair, moves) for (encounter, pair), moves in ranked[:most]]


# A run


NOTES_A_REASON = 3


@dataclass(slots=True)
class Overview:
    """The statistics of a run.

    Attributes:
        plan: The plan of the run.
        board: The board.
        visits: Visits to squares.
        starts: Results by starting square.
        effort: Depth and nodes by move.
        clock: Moves that the machine delayed.
        lengths: The number of games by length, placements included, and winner.
        notes: The first few distinct notes on games that ended early, by player and reason.
        first_games: The first game of each encounter and leg.
        results: Pairs, rates and ratings.
    """

    plan: Plan
    board: Board
    visits: Visits
    starts: Starts
    effort: Effort
    clock: Clock = field(default_factory=Clock)
    lengths: Counter[tuple[int, Player]] = field(default_factory=Counter)
    notes: dict[tuple[int, Reason], list[str]] = field(default_factory=dict)
    first_games: dict[tuple[int, int], Game] = field(default_factory=dict)
    results: Results = field(init=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The agents' display names, in the plan's order."""
        return self.results.names.short

    @property
    def is_match(self) -> bool:
        """Whether there are only two players."""
        return len(self.names) == 2

    @property
    def has_standings(self) -> bool:
        """Whether there are at least two players and a complete pair."""
        return len(self.names) > 1 and any(met.summary.pairs for met in self.results.encounters)

    def leading(self, most: int) -> list[int]:
        """Return up to `most` of the best players, those under test first.

        The players are returned in the plan's order.
        """
        tested = len(self.plan.agents)
        ranked = sorted(self.results.ranking, key=lambda player: player >= tested)
        return sorted(ranked[:most])

    def left_out(self, shown: Sequence[int]) -> str:
        """Return a note such as `the best 24 of 60 agents; `, empty if all are shown."""
        players = len(self.names)
        return "" if len(shown) == players else f"the best {len(shown)} of {players} agents; "

    def add(self, batch: GameBatch, clusters: Numbers) -> None:
        """Count games; clusters identify equivalent openings."""
        self.visits.add(batch, clusters)
        self.starts.add(batch, clusters)
        self.effort.add(batch)
        if self.plan.is_timed:
            self.clock.add(batch)
        codes, _, counts = in_order(2 * batch.lengths + batch.winners)
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            self.lengths[code // 2, Player(code % 2)] += count
        _, places, _ = in_order(2 * batch.encounters.astype(np.int64) + batch.legs)
        for place in places.tolist():
            key = int(batch.encounters[place]), int(batch.legs[place])
            if key not in self.first_games:
                self.first_games[key] = batch.game(place)
        losers = batch.losing_players
        for number, note in sorted(batch.notes.items()):
            reason = REASONS[batch.reasons[number]]
            notes = self.notes.setdefault((int(losers[number]), reason), [])
            if note not in notes and len(notes) < NOTES_A_REASON:
                notes.append(note)


def overview_of(record: Record, sample: int = 0) -> Overview:
    """Read the statistics of a run, finished or not.

    Args:
        record: The run's database.
        sample: The maximum number of games to keep in `Results.sample`.
    """
    board, players = record.board, len(record.plan.players)
    visits, starts = Visits(board, players), Starts(board, players)
    overview = Overview(record.plan, board, visits, starts, Effort(players))
    overview.results = read_results(record, overview.add, sample=sample)
    return overview
