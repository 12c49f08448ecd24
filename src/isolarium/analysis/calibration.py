"""Heuristics compared with exact values: the positions, and how often a heuristic is right."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan
from typing import Final

from isolarium.agents import Agent, AgentFailure, make_valuer, parse_agent
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board, Square
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.limits import Limit, read_seed
from isolarium.solver.exact_value import Truth
from isolarium.solver.start_map import law_says_win
from isolarium.stats import Pair, RateEstimate, summarize, win_rate
from isolarium.stats.differences import RateDifference, rate_difference

# Positions


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


# Calibration


CHANCE = "a random move"
LAW = "the colour law"

Value = Callable[[Position, Player], float]


@dataclass(frozen=True, slots=True)
class Score:
    """What one position says of a heuristic.

    Attributes:
        game: the game that it comes from; positions of one game are no independent evidence.
        stage: its place in `STAGES`.
        right: the share of right moves among the best; None where nothing is asked.
        chance: the share among all moves.
        sign: 1 where the sign is right, 1/2 where the value is zero, 0 where it is wrong.
    """

    game: int
    stage: int
    right: float | None
    chance: float
    sign: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What the positions of a stage, or of all, say of a heuristic; None where there is no such position.

    Attributes:
        positions: how many there are.
        decided: how many of them ask for a move.
        right: how often the best move is right.
        over_chance: the same less what a random move gives.
        sign: how often the sign is right.
        zeros: the share of positions with the value zero.
    """

    positions: int
    decided: int
    right: RateEstimate | None
    over_chance: RateDifference | None
    sign: RateEstimate | None
    zeros: float


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A heuristic against the truth: over all positions, and stage by stage."""

    name: str
    overall: Figures
    stages: Sequence[Figures]


@dataclass(frozen=True)
class Calibration:
    """Heuristics against the same solved positions.

    Attributes:
        sample: the positions.
        heuristics: those asked, the one that is right most often first.
        baselines: a random move, and the colour law, which tells who wins and not how.
    """

    sample: Sample
    heuristics: Sequence[Calibrated]
    baselines: Sequence[Calibrated]

    @property
    def rows(self) -> list[Calibrated]:
        """All of them in the order of their truth."""
        return sorted([*self.heuristics, *self.baselines], key=_truth)


def calibrate(
    heuristics: Sequence[str], sample: Sample, progress: Progress | None = None
) -> Calibration:
    """Ask heuristics about every position of a sample.

    Args:
        heuristics: as they are written, in full.
        sample: what to ask about.
        progress: told after each heuristic how many were asked, and how many there are.
    """
    found = list[Calibrated]()
    for done, name in enumerate(heuristics, 1):
        with _valuing(name) as value:
            found.append(_calibrated(name, [_score(one, value) for one in sample.positions]))
        if progress is not None:
            progress(done, len(heuristics))
    by_chance = [_score(one, lambda _position, _player: 0.0) for one in sample.positions]
    by_law = [_score(one, _law) for one in sample.positions]
    baselines = (_calibrated(CHANCE, by_chance), _calibrated(LAW, by_law))
    return Calibration(sample, sorted(found, key=_truth), baselines)


def right_shares(heuristic: str, sample: Sample) -> list[tuple[float, int]]:
    """For every position of a sample that asks for a move, the share of right ones among the best, and its game."""
    with _valuing(heuristic) as value:
        return [(_right_share(one, value), one.game) for one in sample.positions if one.decides]


@contextmanager
def _valuing(name: str) -> Iterator[Value]:
    """The values of a heuristic for as long as the block lasts."""
    with closing(make_valuer(name)) as agent:
        yield _value_by(name, agent.value)


def _truth(one: Calibrated) -> tuple[float, str]:
    return -one.overall.right.rate if one.overall.right else 0.0, one.name


def _value_by(name: str, value_of: Value) -> Value:
    """The heuristic's value of a position for a player.

    Raises:
        InputError: when asked, if somebody's own heuristic fails, or its value is not a number.
    """

    def value(position: Position, player: Player) -> float:
        try:
            found = value_of(position, player)
        except AgentFailure as failure:
            told = str(failure).removeprefix(f"greedy:{name}: ")
            raise InputError(f"{name}: it fails at {position}: {told}") from None
        if isnan(found):
            raise InputError(f"{name}: its value of {position} is not a number")
        return found

    return value


def _law(position: Position, player: Player) -> float:
    """The colour law as a heuristic: it says the same after every move."""
    return 1.0 if law_says_win(position) == (position.to_move == player) else -1.0


def _score(one: SolvedPosition, value: Value) -> Score:
    right = _right_share(one, value) if one.decides else None
    told = value(one.position, one.position.to_move)
    sign = 0.5 if told == 0 else float((told > 0) == one.wins)
    return Score(one.game, one.stage, right, sum(one.right) / len(one.right), sign)


def _right_share(one: SolvedPosition, value: Value) -> float:
    player = one.position.to_move
    values = [value(after, player) for after in one.afters]
    best = max(values)
    among = [right for right, of_move in zip(one.right, values, strict=True) if of_move == best]
    return sum(among) / len(among)


def _calibrated(name: str, scores: Sequence[Score]) -> Calibrated:
    by_stage = [[one for one in scores if one.stage == stage] for stage in range(len(STAGES))]
    return Calibrated(name, _figures(scores), tuple(map(_figures, by_stage)))


def _figures(scores: Sequence[Score]) -> Figures:
    asked = [(one.right, one.chance, one.game) for one in scores if one.right is not None]
    gains = [(right - chance, game) for right, chance, game in asked]
    return Figures(
        positions=len(scores),
        decided=len(asked),
        right=_mean([(right, game) for right, _, game in asked]) if asked else None,
        over_chance=rate_difference(gains) if asked else None,
        sign=_mean([(one.sign, one.game) for one in scores]) if scores else None,
        zeros=sum(one.sign == 0.5 for one in scores) / max(1, len(scores)),
    )


def _mean(scores: Sequence[tuple[float, int]]) -> RateEstimate:
    """The mean with an interval that takes games for the unit of evidence.

    It holds that of the same scores rounded to 0, 1/2 and 1, from which only ties differ, and reaches as far to
    either side.
    """
    mean = sum(score for score, _ in scores) / len(scores)
    near = win_rate(summarize(Pair(round(2 * score) / 2, game) for score, game in scores))
    shift = mean - near.rate
    low, high = min(near.low, near.low + shift), max(near.high, near.high + shift)
    return RateEstimate(mean, max(0.0, low), min(1.0, high))
