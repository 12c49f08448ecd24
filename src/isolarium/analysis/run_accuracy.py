"""The accuracy of a run's agents: a sample of its games compared with perfect play."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from statistics import median
from typing import Final

from isolarium.analysis.accuracy import Mark, MarkedMoves, Marker
from isolarium.arena.game import Game
from isolarium.arena.results import MOST_SAMPLED, sampled_pairs
from isolarium.arena.run_db import Record
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.processes.permissions import check_may_start
from isolarium.processes.worker import WorkerDied, results_in_order
from isolarium.stats import Pair, RateEstimate, summarize, win_rate

ONE_POSITION: Final = Limit(nodes=500_000)
"""The limit for solving one position."""
FEW_GAMES: Final = 12
"""The most games that are marked in this process, because starting workers would take longer."""

Progress = Callable[[int, int], None]


@dataclass
class AgentAccuracy:
    """An agent's play compared with perfect play.

    Attributes:
        positions: For each critical move, whether the agent kept the win, with the opening's cluster.
        openings: For each game whose opening is won for the agent's side, whether it won, with the opening's cluster.
        flawless: For the same games, whether it won without a mistake.
        chances: Critical moves by ply.
        mistakes: Mistakes by ply.
        first_mistakes: The ply of the first mistake of each game with a mistake.
    """

    positions: list[Pair] = field(default_factory=list)
    openings: list[Pair] = field(default_factory=list)
    flawless: list[Pair] = field(default_factory=list)
    chances: Counter[int] = field(default_factory=Counter)
    mistakes: Counter[int] = field(default_factory=Counter)
    first_mistakes: list[int] = field(default_factory=list)

    @property
    def accuracy(self) -> RateEstimate | None:
        """Critical-move accuracy; None without critical moves.

        The unit of evidence is the opening.
        """
        return win_rate(summarize(self.positions)) if self.positions else None

    @property
    def conversion(self) -> RateEstimate | None:
        """The share of won openings that the agent won; None without won openings."""
        return win_rate(summarize(self.openings)) if self.openings else None

    @property
    def perfect_play_at_least(self) -> RateEstimate | None:
        """The least score of perfect play against the agent.

        The agent is assumed to make mistakes in as many games as in this run. Perfect play then wins every opening that
        is won for its side, and every other game in which the agent makes a mistake. Returns None without won openings.
        """
        if not self.flawless:
            return None
        won = win_rate(summarize(self.flawless))
        return RateEstimate(*(1 - rate / 2 for rate in (won.rate, won.high, won.low)))

    @property
    def first_mistake(self) -> float | None:
        """The median ply of the first mistake, over games with a mistake.

        Returns None without mistakes.
        """
        return median(self.first_mistakes) if self.first_mistakes else None


@dataclass
class RunAccuracy:
    """A sample of a run's games compared with perfect play.

    Attributes:
        agents: The accuracy of each player of the plan.
        sampled: The number of games in the sample; 0 if openings on the board take too long to solve.
        solved: The number of these games with every position solved.
        upsets: The number of pairs by games that the theoretical loser won, from 0 to 2.
    """

    agents: list[AgentAccuracy]
    sampled: int = 0
    solved: int = 0
    upsets: Counter[int] = field(default_factory=Counter)


def run_accuracy(
    record: Record,
    most_games: int = MOST_SAMPLED,
    workers: int = 1,
    progress: Progress | None = None,
    sample: Sequence[Game] = (),
) -> RunAccuracy:
    """Compare the games of pairs drawn evenly over a run with perfect play.

    Args:
        record: The run's database.
        most_games: The most games to compare.
        workers: The number of processes.
        progress: Called after each game with the number done and the total.
        sample: The games, as in `Results.sample`; read from the database if empty.
    """
    found = RunAccuracy([AgentAccuracy() for _ in record.plan.players])
    games, jobs, clusters = list[Game](), list[Job](), record.clusters()
    for game in sample or _sample(record, most_games):
        if _process_marker().reaches(game.start(record.board)):
            games.append(game)
            jobs.append((game.positions(record.board), len(game.opening) + 1))
    upsets = dict[tuple[int, int], list[bool]]()
    for done, (game, marked) in enumerate(zip(games, _marked(jobs, workers), strict=True), 1):
        _count(found, game, marked, clusters[game.pair])
        if marked.theoretical_winner is not None:
            upset = marked.theoretical_winner != game.winner
            upsets.setdefault((game.encounter, game.pair), []).append(upset)
        if progress is not None:
            progress(done, len(games))
    found.upsets.update(sum(pair) for pair in upsets.values() if len(pair) == 2)
    return found


def _count(found: RunAccuracy, game: Game, marked: MarkedMoves, cluster: int) -> None:
    """Add a game to the figures of its players."""
    found.sampled += 1
    found.solved += marked.is_known
    for one in marked.moves:
        agent = found.agents[game.players[one.player]]
        if one.decides:
            agent.positions.append(Pair(float(one.mark is not Mark.MISTAKE), cluster))
            agent.chances[one.ply] += 1
        agent.mistakes[one.ply] += one.mark is Mark.MISTAKE
    for player in Player:
        first = marked.first_mistake(player)
        if first is not None:
            found.agents[game.players[player]].first_mistakes.append(first.ply)
    winner = marked.theoretical_winner
    if winner is not None:
        won, agent = game.winner == winner, found.agents[game.players[winner]]
        agent.openings.append(Pair(float(won), cluster))
        flawless = won and marked.first_mistake(winner) is None
        agent.flawless.append(Pair(float(flawless), cluster))


def _sample(record: Record, most_games: int) -> list[Game]:
    """Read the games of complete pairs drawn evenly over the run."""
    chosen = sampled_pairs(record, most_games)
    return [game for game in record.games() if (game.encounter, game.pair) in chosen]


@cache
def _process_marker() -> Marker:
    """Return this process's marker."""
    return Marker(ONE_POSITION)


Job = tuple[list[Position], int]
"""A game's positions, and the first ply to mark."""


def _mark_game(positions: list[Position], first_ply: int) -> MarkedMoves:
    return MarkedMoves(tuple(_process_marker().marks(positions, first_ply)))


def _marked(jobs: list[Job], workers: int) -> Iterable[MarkedMoves]:
    """Yield each game marked, in order.

    If the workers die, mark the rest in this process.
    """
    if workers == 1 or len(jobs) <= FEW_GAMES:
        yield from (_mark_game(*job) for job in jobs)
        return
    check_may_start()
    done = 0
    with suppress(WorkerDied):
        for game in results_in_order(_mark_game, jobs, workers):
            done += 1
            yield game
    yield from (_mark_game(*job) for job in jobs[done:])
