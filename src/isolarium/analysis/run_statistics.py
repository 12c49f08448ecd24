"""The statistics of a run that its report shows, all counted while its games are read once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from isolarium.analysis.effort import Clock, Effort
from isolarium.analysis.start_results import Starts
from isolarium.analysis.visit_heatmap import Visits
from isolarium.arena.game import Game
from isolarium.arena.plan import Plan
from isolarium.arena.results import Results, read_results
from isolarium.arena.run_db import Record
from isolarium.game.board import Board
from isolarium.game.outcome import Player, Reason

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
