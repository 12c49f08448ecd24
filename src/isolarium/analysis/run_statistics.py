"""Statistics for the report of a run, counted in one pass over its games."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.game import Game, is_held_up, is_proven
from isolarium.arena.plan import Plan
from isolarium.arena.results import Results, read_results
from isolarium.arena.run_db import Record
from isolarium.game.board import Board, Square
from isolarium.game.outcome import Player, Reason
from isolarium.game.symmetry import symmetries
from isolarium.stats import Pair, PairTally, RateEstimate, win_rate

# Visits


Counts = NDArray[np.int64]


@dataclass(slots=True)
class _ByOpening:
    """The visits of one agent or of its opponents, by cluster of openings."""

    size: int
    games: int = 0
    counts: dict[int, list[int]] = field(default_factory=dict)

    def add(self, cluster: int, squares: list[int]) -> None:
        self.games += 1
        counts = self.counts.get(cluster)
        if counts is None:
            counts = self.counts[cluster] = [0] * self.size
        for square in squares:
            counts[square] += 1

    def table(self) -> Counts:
        """Return the counts: a row for each opening, a column for each square."""
        rows = [self.counts[cluster] for cluster in sorted(self.counts)]
        return np.array(rows, dtype=np.int64).reshape(len(rows), self.size)


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
        self.board = board
        self._index = {str(square): index for index, square in enumerate(board.squares)}
        self._own = [_ByOpening(board.size) for _ in range(players)]
        self._opponents = [_ByOpening(board.size) for _ in range(players)]

    def add(self, game: Game, cluster: int) -> None:
        """Count a game; `cluster` identifies equivalent openings."""
        squares = [self._index[move] for move in game.moves]
        if (
            game.players[0] == game.players[1]
        ):  # If an agent plays itself, all moves are the agent's.
            self._own[game.players[0]].add(cluster, squares)
            self._opponents[game.players[0]].add(cluster, squares)
            return
        first, second = (squares[game.offset(seat) :: 2] for seat in (0, 1))
        for player, own, others in zip(game.players, (first, second), (second, first), strict=True):
            self._own[player].add(cluster, own)
            self._opponents[player].add(cluster, others)

    def own(self, player: int) -> HeatMap:
        """Return the agent's visits."""
        return HeatMap(self._own[player].games, self._own[player].table())

    def opponents(self, player: int) -> HeatMap:
        """Return the visits of the agent's opponents."""
        return HeatMap(self._opponents[player].games, self._opponents[player].table())


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
        self._class_of = {str(square): _least_image(square, board) for square in board.squares}
        self._first_mover: dict[Square, PairTally] = {}
        self._agents: list[dict[Square, PairTally]] = [{} for _ in range(players)]

    def add(self, game: Game, cluster: int) -> None:
        """Count a game; `cluster` identifies equivalent openings."""
        for seat in Player:
            start = self._class_of[game.opening[seat]]
            # Each game counts as a pair; the tally groups those that share an opening.
            result = Pair(float(game.winner == seat), cluster)
            self._agents[game.players[seat]].setdefault(start, PairTally()).add(result)
            if seat is Player.FIRST:
                self._first_mover.setdefault(start, PairTally()).add(result)

    def first_mover(self) -> list[StartShare]:
        """Return the first mover's win rate by its starting square.

        Squares without games are left out.
        """
        return self._shares(self._first_mover)

    def agent(self, player: int) -> list[StartShare]:
        """Return an agent's win rate by its starting square."""
        return self._shares(self._agents[player])

    def _shares(self, tallies: dict[Square, PairTally]) -> list[StartShare]:
        known = {
            start: (summary.pairs, win_rate(summary))
            for start, summary in ((start, tally.summary()) for start, tally in tallies.items())
        }
        return [
            StartShare(square, *known[start])
            for square in self.board.squares
            if (start := self._class_of[str(square)]) in known
        ]


def _least_image(square: Square, board: Board) -> Square:
    return min(symmetry.square(square, board) for symmetry in symmetries(board))


# Search effort and the clock


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

    def add(self, game: Game) -> None:
        """Count a game."""
        before = len(game.opening)
        for seat, player in enumerate(game.players):
            self._games[player] += 1
            moves = self._moves[player]
            for place in range(game.offset(seat), len(game.moves), 2):
                if is_proven(game.scores[place]) or not game.nodes[place]:
                    continue
                effort = moves.setdefault(before + place + 1, MoveEffort())
                effort.searches += 1
                effort.depth += game.depths[place]
                effort.nodes += game.nodes[place]

    def by_move(self, player: int) -> dict[int, MoveEffort]:
        """Return an agent's searches by move number, if enough games reached it."""
        least = LEAST_SHARE * self._games[player]
        return {
            number: effort
            for number, effort in sorted(self._moves[player].items())
            if effort.searches >= least
        }


class Clock:
    """Counts the moves of a timed run that the machine delayed."""

    def __init__(self) -> None:
        self.moves = 0
        self.starved = 0
        self._by_pair: Counter[tuple[int, int]] = Counter()

    def add(self, game: Game) -> None:
        """Count a game."""
        starved = sum(map(is_held_up, game.times_ms, game.busy_ms))
        self.moves += len(game.moves)
        self.starved += starved
        if starved:
            self._by_pair[game.encounter, game.pair] += starved

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

    def add(self, game: Game, cluster: int) -> None:
        """Count a game."""
        self.visits.add(game, cluster)
        self.starts.add(game, cluster)
        self.effort.add(game)
        if self.plan.is_timed:
            self.clock.add(game)
        self.lengths[game.length, game.winner] += 1
        self.first_games.setdefault((game.encounter, game.leg), game)
        if game.note:
            notes = self.notes.setdefault((game.losing_player, game.reason), [])
            if game.note not in notes and len(notes) < NOTES_A_REASON:
                notes.append(game.note)


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
