"""The accuracy of heuristics on solved positions.

A heuristic's best move is the one with the highest value for the mover. If several moves share the
highest value, the score is the share of winning moves among them. Best moves are scored only in
positions that have both winning and losing moves, none of which ends the game at once. The sign of
a position's own value predicts the winner: a positive value predicts a win for the player to move,
and a negative value a loss. A value of zero counts half.

The positions of every stage come from games between pairs of the `AGENTS`. One move in
`RANDOM_ONE_IN` is random, so that both good and bad positions occur. A game contributes at most one
position to each stage.
"""

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
from isolarium.game.position import Player, Position
from isolarium.limits import Limit, read_seed
from isolarium.solver.solver import ExactValues
from isolarium.solver.start_map import law_says_win
from isolarium.stats import Pair, RateEstimate, summarize, win_rate
from isolarium.stats.rates import RateDifference, rate_difference

# Positions


AGENTS: Final = (
    "alphabeta:improved@nodes=300",
    "alphabeta:distance@nodes=300",
    "alphabeta:cut_off_reachable@nodes=300",
    "mcts@nodes=300",
)
RANDOM_ONE_IN: Final = 6
ONE_MOVE: Final = Limit(nodes=4_000_000)
"""The limit for solving a move; a position with a move that exceeds it is left out."""
WITHIN_REACH: Final = 1 / 16
"""The maximum predicted cost of each move of a position, as a share of the limit.

Positions with a higher cost are not solved. The prediction depends only on the number of blank
squares. Few of the remaining positions exceed the limit, so the sample is not biased towards easy
positions.
"""
PATIENCE: Final = 60
GAMES_A_POSITION: Final = 6
"""The number of games in which a stage must yield a position.

Stages that yield fewer are abandoned after `PATIENCE` games."""
MOST_POSITIONS: Final = 100_000
"""The maximum number of positions per stage; drawing that many takes hours."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Stage:
    """Positions whose share of blocked squares is from `low` to below `high`."""

    low: float
    high: float

    def __contains__(self, position: Position) -> bool:
        size = position.board.size
        return self.low * size <= size - position.blank_count < self.high * size

    def __str__(self) -> str:
        """Return a name such as `under 20%`, `20 to 35%` or `from 50%`."""
        if self.low == 0.0:
            return f"under {self.high:.0%}"
        return f"from {self.low:.0%}" if self.high > 1.0 else f"{100 * self.low:g} to {self.high:.0%}"


STAGES: Final = (Stage(0.0, 0.2), Stage(0.2, 0.35), Stage(0.35, 0.5), Stage(0.5, 1.01))


@dataclass(frozen=True)
class SolvedPosition:
    """A position in which every move is known to win or to lose.

    Attributes:
        position: The position.
        right: Whether each legal move wins, in order.
        game: The number of its game.
        stage: The index of its stage in `STAGES`.
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
        """The positions after each move."""
        return tuple(map(self.position.play, self.position.legal_moves()))

    @cached_property
    def decides(self) -> bool:
        """Whether some moves win and some lose, and no move ends the game at once."""
        ends = any(after.outcome() is not None for after in self.afters)
        return self.wins and not all(self.right) and not ends


@dataclass
class Sample:
    """A sample of solved positions of a board.

    Attributes:
        board: The board.
        seed: The random seed.
        positions: The positions, in order of their games.
        games: The number of games played.
        given_up: The number of positions not solved within the limit.
    """

    board: Board
    seed: int
    positions: list[SolvedPosition] = field(default_factory=list)
    games: int = 0
    given_up: int = 0


def draw_sample(board: Board, wanted: int, seed: int, progress: Progress | None = None) -> Sample:
    """Draw and solve positions of every stage.

    A stage has fewer positions than wanted if they are too hard to solve or games rarely reach it.

    Args:
        board: The board.
        wanted: The number of positions of each stage.
        seed: The random seed; the same seed gives the same positions.
        progress: Called after each position with the number found and the number wanted.

    Raises:
        InputError: If the number or the seed is out of range.
    """
    check_wanted(wanted)
    sample, exact = Sample(board, read_seed(seed)), ExactValues(ONE_MOVE, WITHIN_REACH)
    agents = [parse_agent(spec) for spec in AGENTS]
    found = Counter[int]()
    while places := [place for place in range(len(STAGES)) if _is_open(sample, found[place], wanted)]:
        chance = random.Random(f"{seed} {sample.games}")
        game = list(_game(board, agents, chance))
        for place in places:
            position = _drawn(game, STAGES[place], chance, exact)
            if position is None:
                continue
            right = _solved(position, exact)
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
    """Check the number of positions of a stage.

    Raises:
        InputError: If the number is out of range.
    """
    if not 1 <= positions <= MOST_POSITIONS:
        expected = f"expected a number from 1 to {MOST_POSITIONS:,}"
        raise InputError(f"positions={quoted(positions, 30)}: {expected}")


def draw_deciding_sample(board: Board, wanted: int, seed: int, progress: Progress | None = None) -> Sample:
    """Draw a sample with at least one position in which the best move is scored.

    Raises:
        InputError: If no position has both winning and losing moves.
    """
    sample = draw_sample(board, wanted, seed, progress)
    if not any(one.decides for one in sample.positions):
        why = "none has both winning and losing moves; ask for more positions"
        raise InputError(f"{board}, {wanted} positions: {why}")
    return sample


def _is_open(sample: Sample, found: int, wanted: int) -> bool:
    """Return whether to look for more positions of a stage, given the number found."""
    return found < wanted and sample.games < PATIENCE + GAMES_A_POSITION * found


def _game(board: Board, agents: Sequence[Agent], chance: random.Random) -> Iterator[Position]:
    """Play a game and yield its positions after the placements, except the last."""
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


def _drawn(game: Sequence[Position], stage: Stage, chance: random.Random, exact: ExactValues) -> Position | None:
    """Draw a position of a stage from a game that can probably be solved.

    Returns None if there is none.
    """
    found = [one for one in game if one in stage and exact.reaches(one.play(one.legal_moves()[0]))]
    return chance.choice(found) if found else None


def _solved(position: Position, exact: ExactValues) -> tuple[bool, ...] | None:
    """Return whether each move wins.

    Returns None if a move could not be solved within the limit.
    """
    right = list[bool]()
    for _, wins in exact.moves(position):
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
    """A heuristic's score in one position.

    Attributes:
        game: The number of the game; positions of one game are not independent.
        stage: The index of the stage in `STAGES`.
        right: The share of winning moves among the best moves; None if they are not scored.
        chance: The share of winning moves among all moves.
        sign: 1 if the sign is right, 1/2 if the value is zero, 0 if the sign is wrong.
    """

    game: int
    stage: int
    right: float | None
    chance: float
    sign: float


@dataclass(frozen=True, slots=True)
class Figures:
    """A heuristic's figures over the positions of one stage or of all.

    Estimates are None without positions.

    Attributes:
        positions: The number of positions.
        decided: The number of positions in which the best move is scored.
        right: How often the best move is right.
        over_chance: `right` minus the rate of a random move.
        sign: How often the sign is right.
        zeros: The share of positions with the value zero.
    """

    positions: int
    decided: int
    right: RateEstimate | None
    over_chance: RateDifference | None
    sign: RateEstimate | None
    zeros: float


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A heuristic's figures over all positions and by stage."""

    name: str
    overall: Figures
    stages: Sequence[Figures]


@dataclass(frozen=True)
class Calibration:
    """Heuristics compared on the same solved positions.

    Attributes:
        sample: The positions.
        heuristics: The heuristics, most accurate first.
        baselines: A random move, and the colour law, which predicts the winner but rates all moves
            equally.
    """

    sample: Sample
    heuristics: Sequence[Calibrated]
    baselines: Sequence[Calibrated]

    @property
    def rows(self) -> list[Calibrated]:
        """Heuristics and baselines, most accurate first."""
        return sorted([*self.heuristics, *self.baselines], key=_rank)


def calibrate(heuristics: Sequence[str], sample: Sample, progress: Progress | None = None) -> Calibration:
    """Evaluate heuristics on every position of a sample.

    Args:
        heuristics: The heuristics, in their full form.
        sample: The positions.
        progress: Called after each heuristic with the number done and the total.

    Raises:
        InputError: If a heuristic fails, or a value is not a number.
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
    return Calibration(sample, sorted(found, key=_rank), baselines)


def right_shares(heuristic: str, sample: Sample) -> list[tuple[float, int]]:
    """Return the share of winning moves among the best moves of each position.

    Each share comes with the number of its game. Positions in which the best move is not scored are
    left out.
    """
    with _valuing(heuristic) as value:
        return [(_right_share(one, value), one.game) for one in sample.positions if one.decides]


@contextmanager
def _valuing(name: str) -> Iterator[Value]:
    """Provide the values of a heuristic within the block."""
    with closing(make_valuer(name)) as agent:
        yield _value_by(name, agent.value)


def _rank(one: Calibrated) -> tuple[float, str]:
    return -one.overall.right.rate if one.overall.right else 0.0, one.name


def _value_by(name: str, value_of: Value) -> Value:
    """Return a function that gives the heuristic's value of a position for a player.

    The function raises InputError if the heuristic fails, or if a value is not a number.
    """

    def value(position: Position, player: Player) -> float:
        try:
            found = value_of(position, player)
        except AgentFailure as failure:
            why = str(failure).removeprefix(f"greedy:{name}: ")
            raise InputError(f"{name} fails in {position}: {why}") from None
        if isnan(found):
            raise InputError(f"{name}: the value of {position} is not a number")
        return found

    return value


def _law(position: Position, player: Player) -> float:
    """Evaluate a position by the colour law, which gives every move the same value."""
    return 1.0 if law_says_win(position) == (position.to_move == player) else -1.0


def _score(one: SolvedPosition, value: Value) -> Score:
    right = _right_share(one, value) if one.decides else None
    own = value(one.position, one.position.to_move)
    sign = 0.5 if own == 0 else float((own > 0) == one.wins)
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
    """Return the mean with an interval whose unit of evidence is the game.

    The interval is symmetric and contains the interval of the same scores rounded to 0, 1/2 and 1.
    Rounding changes only the scores of ties.
    """
    mean = sum(score for score, _ in scores) / len(scores)
    near = win_rate(summarize(Pair(round(2 * score) / 2, game) for score, game in scores))
    shift = mean - near.rate
    low, high = min(near.low, near.low + shift), max(near.high, near.high + shift)
    return RateEstimate(mean, max(0.0, low), min(1.0, high))
