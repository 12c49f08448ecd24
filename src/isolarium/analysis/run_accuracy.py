"""The accuracy of a run's agents: a sample of its games compared with perfect play.

Solving positions is slow, so the marks of a finished run's sample are stored in the run's results
database.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from itertools import pairwise
from json import dumps
from statistics import median
from typing import Any, Final

from isolarium.analysis.accuracy import Mark, MarkedMove, MarkedMoves, Marker
from isolarium.arena.game import Game
from isolarium.arena.results import MOST_SAMPLED, sampled_games
from isolarium.arena.run_db import Record
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.position import Player, Position
from isolarium.limits import Limit
from isolarium.processes.code_loader import check_may_start
from isolarium.processes.worker import WorkerDied, results_in_order
from isolarium.stats import Pair, RateEstimate, summarize, win_rate

ONE_POSITION: Final = Limit(nodes=500_000)
"""The limit for solving one position."""
FEW_GAMES: Final = 12
"""The maximum number of games to mark in this process.

For so few games, starting workers would take longer than marking.
"""

Progress = Callable[[int, int], None]


@dataclass
class AgentAccuracy:
    """An agent's play compared with perfect play.

    Attributes:
        positions: For each critical move, whether the agent kept the win, with the opening's
            cluster.
        openings: For each game whose opening is won for the agent's side, whether the agent won,
            with the opening's cluster.
        flawless: For the same games, whether the agent won without a mistake.
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
        """A lower bound on the score of perfect play against the agent.

        The agent is assumed to make mistakes in as many games as in this run. Perfect play then
        wins every opening that is won for its side, and every other game in which the agent makes a
        mistake. Returns None without won openings.
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
        sampled: The number of games in the sample; 0 if openings on the board take too long to
            solve.
        solved: The number of these games with every position solved.
        upsets: For 0, 1 and 2 games, the number of pairs in which the theoretical loser won that many.
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

    The games of a finished run are solved only once: their marks are stored in the run's results
    database if it can be written.

    Args:
        record: The run's database.
        most_games: The maximum number of games to compare.
        workers: The number of processes.
        progress: Called after each solved game with the number done and the total.
        sample: The games, as in `Results.sample`; read from the database if empty.

    Raises:
        InputError: If the stored marks do not fit these games.
    """
    games = list(sample) or sampled_games(record, most_games)
    marks = _stored_marks(record, games)
    if marks is None:
        marks = _solve(record.board, games, workers, progress)
        _store(record, games, marks)
    found = RunAccuracy([AgentAccuracy() for _ in record.plan.players])
    clusters, upsets = record.clusters(), dict[tuple[int, int], list[bool]]()
    for game, marked in zip(games, marks, strict=True):
        if marked is None:
            continue
        _count(found, game, marked, clusters[game.pair])
        if marked.theoretical_winner is not None:
            upset = marked.theoretical_winner != game.winner
            upsets.setdefault((game.encounter, game.pair), []).append(upset)
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


# Solving


Marks = list[MarkedMoves | None]
"""The marks of each sampled game; None if its opening takes too long to solve."""


def _solve(board: Board, games: list[Game], workers: int, progress: Progress | None) -> Marks:
    """Mark every game whose opening can be solved."""
    reached = [_process_marker().reaches(game.start(board)) for game in games]
    jobs = [
        (game.positions(board), len(game.opening) + 1)
        for game, is_reached in zip(games, reached, strict=True)
        if is_reached
    ]
    solved = list[MarkedMoves]()
    for marked in _marked(jobs, workers):
        solved.append(marked)
        if progress is not None:
            progress(len(solved), len(jobs))
    in_order = iter(solved)
    return [next(in_order) if is_reached else None for is_reached in reached]


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

    If the workers die, mark the remaining games in this process.
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


# Storing


MARKS: Final = "marks"
"""The name of the fact with the marks of a finished run's sample."""
_LETTERS: Final[dict[str, tuple[Mark, bool | None, bool | None]]] = {
    "F": (Mark.FORCED, True, False),
    "f": (Mark.FORCED, False, False),
    "-": (Mark.FORCED, None, False),
    "R": (Mark.RIGHT, True, True),
    "r": (Mark.RIGHT, True, False),
    "_": (Mark.RIGHT, True, None),
    "M": (Mark.MISTAKE, True, True),
    "l": (Mark.LOST, False, False),
    "U": (Mark.UNKNOWN, True, False),
    "u": (Mark.UNKNOWN, None, False),
}
"""The letter of each combination of a mark, a won position and a critical move."""
_LETTER_OF: Final = {mark: letter for letter, mark in _LETTERS.items()}
_AFTER: Final = {"F": False, "f": True, "R": False, "r": False, "_": False, "M": True, "l": True}
"""Whether the player to move wins the next position, by the move's letter.

After the other letters, both are possible.
"""


def _store(record: Record, games: Sequence[Game], marks: Marks) -> None:
    """Store the marks of a finished run's sample in its database if possible."""
    if not (record.is_finished and record.is_current):  # Writing would convert it.
        return
    texts = [None if marked is None else _letters(marked) for marked in marks]
    stored = {"limit": ONE_POSITION.nodes, "games": _digest(games), "marks": texts}
    with suppress(InputError, OSError), closing(Record(record.folder, writes=True)) as writing:
        writing.set_fact(MARKS, dumps(stored))


def _stored_marks(record: Record, games: Sequence[Game]) -> Marks | None:
    """Return the stored marks of these games.

    Returns None if no marks are stored, or if they belong to another sample or limit.

    Raises:
        InputError: If the stored marks do not fit these games.
    """
    with record.checked():
        stored: Any = record.json_fact(MARKS, None)
        if stored is None:
            return None
        if type(stored) is not dict or stored.keys() != {"limit", "games", "marks"}:
            raise ValueError("its marks are not in the expected form")
        if stored["limit"] != ONE_POSITION.nodes or stored["games"] != _digest(games):
            return None
        texts = stored["marks"]
        if type(texts) is not list or len(texts) != len(games):
            raise ValueError("its marks are not one text for each sampled game")
        return [_read(text, game, record.board) for text, game in zip(texts, games, strict=True)]


def _digest(games: Sequence[Game]) -> str:
    keys = [(game.encounter, game.pair, game.leg, " ".join(game.opening), " ".join(game.moves)) for game in games]
    return sha256(dumps(keys).encode()).hexdigest()


def _letters(marked: MarkedMoves) -> str:
    return "".join(_LETTER_OF[one.mark, one.wins, one.decides] for one in marked.moves)


def _read(text: object, game: Game, board: Board) -> MarkedMoves | None:
    """Return a game's marks, given as letters.

    Raises:
        ValueError: If no solver could have found these marks.
    """
    if text is None:
        return None
    first_ply = len(game.opening) + 1
    steps = list(pairwise(game.positions(board)[first_ply - 1 :]))
    if type(text) is not str or len(text) != len(steps) or not _LETTERS.keys() >= set(text):
        raise ValueError("its marks are not one letter for each move")
    moves, known, expected = list[MarkedMove](), False, None
    for ply, (letter, (before, after)) in enumerate(zip(text, steps, strict=True), first_ply):
        mark, wins, decides = _LETTERS[letter]
        is_forced = len(before.legal_moves()) == 1
        if (mark is Mark.FORCED) != is_forced or (known and wins != expected):
            raise ValueError("its marks contradict its games")
        known, expected = letter in _AFTER, _AFTER.get(letter)
        assert after.other is not None  # the player who moved is on the board
        moves.append(MarkedMove(ply, before.to_move, after.other, mark, wins, decides))
    return MarkedMoves(tuple(moves))
