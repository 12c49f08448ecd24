"""Positions of every stage of the game with their exact values, to hold heuristics against.

They come from games between the `AGENTS`, two drawn for each game, in which one move in `RANDOM_ONE_IN` is drawn at
random, so that better and worse positions occur. A game gives at most one position to a stage.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from isolarium.agents import Agent, parse_agent
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.limits import Limit, read_seed
from isolarium.solver.exact_value import Truth

AGENTS: Final = (
    "alphabeta:improved@nodes=300",
    "alphabeta:distance@nodes=300",
    "alphabeta:cut_off_reachable@nodes=300",
    "mcts@nodes=300",
)
RANDOM_ONE_IN: Final = 6
ONE_MOVE: Final = Limit(nodes=4_000_000)
"""A move that costs the solver more is given up, and the position left out with it."""
WITHIN_REACH: Final = 1 / 16
"""A position is tried where none of its moves is likely to cost more than this much of that, told by its blanks alone.
So few are given up, and the sample does not hold the easy ones alone."""
PATIENCE: Final = 60
GAMES_A_POSITION: Final = 6
"""A stage is given up once it gave fewer positions than one in so many games, the first `PATIENCE` games aside."""
MOST_POSITIONS: Final = 100_000
"""Of a stage: drawing them takes hours."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of the game, by the share of the board's squares that are blocked, from `low` to below `high`."""

    low: float
    high: float

    def __contains__(self, position: Position) -> bool:
        size = position.board.size
        return self.low * size <= size - position.blank_count < self.high * size

    def __str__(self) -> str:
        """`under 20%`, `20 to 35%`, `from 50%`."""
        if self.low == 0.0:
            return f"under {self.high:.0%}"
        return (
            f"from {self.low:.0%}" if self.high > 1.0 else f"{100 * self.low:g} to {self.high:.0%}"
        )


STAGES: Final = (Stage(0.0, 0.2), Stage(0.2, 0.35), Stage(0.35, 0.5), Stage(0.5, 1.01))


@dataclass(frozen=True)
class SolvedPosition:
    """A position whose moves are all known to win or to lose.

    Attributes:
        position: the position.
        right: for every legal move in order, whether it wins.
        game: the number of the game that it comes from.
        stage: its place in `STAGES`.
    """

    position: Position
    right: tuple[bool, ...]
    game: int
    stage: int

    @property
    def wins(self) -> bool:
        """Whether the player to move wins."""
        return any(self.right)

    @cached_property
    def afters(self) -> tuple[Position, ...]:
        """The positions that the moves lead to."""
        return tuple(map(self.position.play, self.position.legal_moves()))

    @cached_property
    def decides(self) -> bool:
        """Whether a heuristic is asked something: moves win and lose, and none ends the game at once."""
        ends = any(after.outcome() is not None for after in self.afters)
        return self.wins and not all(self.right) and not ends


@dataclass
class Sample:
    """Solved positions of a board.

    Attributes:
        board: the board.
        seed: what they were drawn with.
        positions: the positions, game by game.
        games: how many games were played.
        given_up: positions that were tried and not solved within the limit.
    """

    board: Board
    seed: int
    positions: list[SolvedPosition] = field(default_factory=list)
    games: int = 0
    given_up: int = 0


def draw_sample(board: Board, wanted: int, seed: int, progress: Progress | None = None) -> Sample:
    """Solve so many positions of every stage; fewer where the solver does not reach, or games do not last.

    Args:
        board: the board.
        wanted: positions of each stage.
        seed: the same seed, the same positions.
        progress: told after each position how many there are, and how many are wanted.
    """
    check_wanted(wanted)
    sample, truth = Sample(board, read_seed(seed)), Truth(ONE_MOVE, WITHIN_REACH)
    agents = [parse_agent(spec) for spec in AGENTS]
    found = Counter[int]()
    while places := [
        place for place in range(len(STAGES)) if _goes_on(sample, found[place], wanted)
    ]:
        chance = random.Random(f"{seed} {sample.games}")
        game = list(_game(board, agents, chance))
        for place in places:
            position = _drawn(game, STAGES[place], chance, truth)
            if position is None:
                continue
            right = _solved(position, truth)
            if right is None:
                sample.given_up += 1
                continue
            sample.positions.append(SolvedPosition(position, right, sample.games, place))
            found[place] += 1
            if progress is not None:
                progress(len(sample.positions), wanted * len(STAGES))
        sample.games += 1
    return sample


def check_wanted(positions: int) -> None:
    """See that so many positions of a stage can be asked for.

    Raises:
        InputError: they cannot.
    """
    if not 1 <= positions <= MOST_POSITIONS:
        told = f"expected a number from 1 to {MOST_POSITIONS:,}"
        raise InputError(f"positions={quoted(positions, 30)}: {told}")


def draw_deciding_sample(
    board: Board, wanted: int, seed: int, progress: Progress | None = None
) -> Sample:
    """The same, and it asks heuristics something.

    Raises:
        InputError: no position in it has moves that win and moves that lose.
    """
    sample = draw_sample(board, wanted, seed, progress)
    if not any(one.decides for one in sample.positions):
        told = "none has moves that win and moves that lose; expected more positions"
        raise InputError(f"{board}, {wanted} positions: {told}")
    return sample


def _goes_on(sample: Sample, found: int, wanted: int) -> bool:
    """Whether more positions are looked for in a stage of which so many were found."""
    return found < wanted and sample.games < PATIENCE + GAMES_A_POSITION * found


def _game(board: Board, agents: Sequence[Agent], chance: random.Random) -> Iterator[Position]:
    """The positions of a game in which somebody is to move, both being placed."""
    players = chance.sample(agents, 2)
    for player in players:
        player.new_game(chance.getrandbits(32))
    position = Position.empty(board)
    while position.outcome() is None:
        if not position.placing:
            yield position
        position = position.play(_move(position, players[position.to_move], chance))


def _move(position: Position, player: Agent, chance: random.Random) -> Square:
    if position.placing or chance.randrange(RANDOM_ONE_IN) == 0:
        return chance.choice(position.legal_moves())
    return player.choose(position).move


def _drawn(
    game: Sequence[Position], stage: Stage, chance: random.Random, truth: Truth
) -> Position | None:
    """One of a game's positions of a stage that are within the solver's reach; None if there is none."""
    found = [one for one in game if one in stage and truth.reaches(one.play(one.legal_moves()[0]))]
    return chance.choice(found) if found else None


def _solved(position: Position, truth: Truth) -> tuple[bool, ...] | None:
    """Whether each move wins; None if one of them took too long to find out."""
    right = list[bool]()
    for _, wins in truth.moves(position):
        if wins is None:
            return None
        right.append(wins)
    return tuple(right)
