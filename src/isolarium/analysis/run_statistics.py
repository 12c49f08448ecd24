"""Statistics of a run's games for its report, counted while the games are read once."""

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
    """Visits of one agent, or of its opponents: for each cluster of openings a count for every square."""

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
        """Return a row for each opening, in order of their numbers, with a column for each square."""
        rows = [self.counts[cluster] for cluster in sorted(self.counts)]
        return np.array(rows, dtype=np.int64).reshape(len(rows), self.size)


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Where one agent, or its opponents, went.

    Attributes:
        games: games that count.
        by_opening: visits, a row for each opening and a column for each square.
    """

    games: int
    by_opening: Counts

    @property
    def share(self) -> NDArray[np.float64]:
        """For each square, the share of the games in which it was gone to."""
        total: NDArray[np.float64] = self.by_opening.sum(axis=0) / max(1, self.games)
        return total


class Visits:
    """Counts visits, game by game."""

    def __init__(self, board: Board, players: int) -> None:
        self.board = board
        self._index = {str(square): index for index, square in enumerate(board.squares)}
        self._own = [_ByOpening(board.size) for _ in range(players)]
        self._opponents = [_ByOpening(board.size) for _ in range(players)]

    def add(self, game: Game, cluster: int) -> None:
        """Count a game, whose opening belongs to a cluster."""
        squares = [self._index[move] for move in game.moves]
        if game.players[0] == game.players[1]:  # against itself all moves are its own
            self._own[game.players[0]].add(cluster, squares)
            self._opponents[game.players[0]].add(cluster, squares)
            return
        first, second = (squares[game.offset(seat) :: 2] for seat in (0, 1))
        for player, own, others in zip(game.players, (first, second), (second, first), strict=True):
            self._own[player].add(cluster, own)
            self._opponents[player].add(cluster, others)

    def own(self, player: int) -> HeatMap:
        """Where the agent went."""
        return HeatMap(self._own[player].games, self._own[player].table())

    def opponents(self, player: int) -> HeatMap:
        """Where those it played against went."""
        return HeatMap(self._opponents[player].games, self._opponents[player].table())


# Starting squares


@dataclass(frozen=True, slots=True)
class StartShare:
    """How games went that began on a square.

    Attributes:
        square: where the player started.
        games: how many games began there, or on a mirror image.
        rate: the share of them that the player won.
    """

    square: Square
    games: int
    rate: RateEstimate


class Starts:
    """Counts games by where they began."""

    def __init__(self, board: Board, players: int) -> None:
        self.board = board
        self._class_of = {str(square): _least_image(square, board) for square in board.squares}
        self._first_mover: dict[Square, PairTally] = {}
        self._agents: list[dict[Square, PairTally]] = [{} for _ in range(players)]

    def add(self, game: Game, cluster: int) -> None:
        """Count a game, whose opening belongs to a cluster."""
        for seat in Player:
            start = self._class_of[game.opening[seat]]
            # A game is counted as a pair of its own: the tally knows which share an opening.
            result = Pair(float(game.winner == seat), cluster)
            self._agents[game.players[seat]].setdefault(start, PairTally()).add(result)
            if seat is Player.FIRST:
                self._first_mover.setdefault(start, PairTally()).add(result)

    def first_mover(self) -> list[StartShare]:
        """The first mover's share by the square it started on; squares without a game are left out."""
        return self._shares(self._first_mover)

    def agent(self, player: int) -> list[StartShare]:
        """An agent's share by the square it started on."""
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
"""Of an agent's games must reach a move for its mean to be shown: the last few say little."""


@dataclass(slots=True)
class MoveEffort:
    """What an agent's searches at one move of the game add up to.

    Attributes:
        searches: those whose end was not yet proven; a proven end cuts a search short.
        depth: their plies looked ahead, added up.
        nodes: their positions entered, added up.
    """

    searches: int = 0
    depth: int = 0
    nodes: int = 0


class Effort:
    """Counts searches by agent and by the number of the move, placements being moves 1 and 2."""

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
        """An agent's searches, by the number of the move, as far as enough of its games got."""
        least = LEAST_SHARE * self._games[player]
        return {
            number: effort
            for number, effort in sorted(self._moves[player].items())
            if effort.searches >= least
        }


class Clock:
    """Counts the moves of a run that is played by the clock during which the machine did something else."""

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
        """Encounter, pair and starved moves of the pairs that suffered most."""
        ranked = sorted(self._by_pair.items(), key=lambda item: (-item[1], item[0]))
        return [(encounter, pair, moves) for (encounter, pair), moves in ranked[:most]]


# A run


NOTES_A_REASON = 3


@dataclass(slots=True)
class Overview:
    """What the games of a run show.

    Attributes:
        plan: what was to be played.
        board: what was played on.
        visits: who went where.
        starts: results by starting square.
        effort: depth and nodes by move.
        clock: where the machine was too busy.
        lengths: games by their moves, placements included, and by who won.
        notes: for each player and each early end of a game, the first few different things said of it.
        first_games: the first game of each encounter and leg.
        results: pairs, rates and ratings.
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
        """The agents' names as charts write them, in the plan's order."""
        return self.results.names.short

    @property
    def is_match(self) -> bool:
        """Whether there are only two players."""
        return len(self.names) == 2

    @property
    def has_standings(self) -> bool:
        """Whether there is anything to compare: two or more players, and a complete pair."""
        return len(self.names) > 1 and any(met.summary.pairs for met in self.results.encounters)

    def leading(self, most: int) -> list[int]:
        """The best players, those under test before their opponents, in the plan's order; at most so many."""
        tested = len(self.plan.agents)
        ranked = sorted(self.results.ranking, key=lambda player: player >= tested)
        return sorted(ranked[:most])

    def left_out(self, shown: Sequence[int]) -> str:
        """`the 24 best of 60 agents; `, or nothing where all are shown."""
        players = len(self.names)
        return "" if len(shown) == players else f"the {len(shown)} best of {players} agents; "

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
    """Read a run, finished or not.

    Args:
        record: The run's database.
        sample: The most games to keep in `Results.sample`.
    """
    board, players = record.board, len(record.plan.players)
    visits, starts = Visits(board, players), Starts(board, players)
    overview = Overview(record.plan, board, visits, starts, Effort(players))
    overview.results = read_results(record, overview.add, sample=sample)
    return overview
