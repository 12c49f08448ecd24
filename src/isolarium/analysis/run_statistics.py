"""Everything a report needs to know of a run, gathered in two passes over its games."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from isolarium.analysis.effort import Clock, Effort
from isolarium.analysis.run_games import SeatedGame, board_of, seated_games
from isolarium.analysis.start_results import Starts
from isolarium.analysis.visit_heatmap import Visits
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
        results: pairs, rates and ratings.
        board: what was played on.
        visits: who went where.
        starts: results by starting square.
        effort: depth and nodes by move.
        clock: where the machine was too busy.
        lengths: games by their moves, placements included, and by who won.
        notes: for each player and each early end of a game, the first few different things said of it.
    """

    results: Results
    board: Board
    visits: Visits
    starts: Starts
    effort: Effort
    clock: Clock = field(default_factory=Clock)
    lengths: Counter[tuple[int, Player]] = field(default_factory=Counter)
    notes: dict[tuple[int, Reason], list[str]] = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        """What was to be played."""
        return self.results.plan

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

    def add(self, game: SeatedGame) -> None:
        """Take in one game."""
        self.visits.add(game)
        self.starts.add(game)
        self.effort.add(game)
        if self.plan.is_timed:
            self.clock.add(game)
        self.lengths[game.length, game.row.winner] += 1
        if game.row.note:
            notes = self.notes.setdefault((game.loser, game.row.reason), [])
            if game.row.note not in notes and len(notes) < NOTES_A_REASON:
                notes.append(game.row.note)


def overview_of(record: Record) -> Overview:
    """Read a run, finished or not."""
    results, board = read_results(record), board_of(record)
    players = len(results.labels)
    overview = Overview(
        results,
        board,
        Visits(board, players),
        Starts(board, players),
        Effort(players),
    )
    for game in seated_games(record):
        overview.add(game)
    return overview
