"""Heuristics against the truth: how often the best move is right, and how well the sign tells the winner.

The best move is that after which the heuristic's value is highest, for who moved; where several are equal, each is
taken as often, so that a tie counts as the share of the right ones among them. It is asked only where moves win and
lose, and none ends the game at once. The sign is that of the position's own value for who is to move: above zero is a
win, below a loss, and zero counts half.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import isnan

from isolarium.agents import AgentFailure, make_valuer
from isolarium.analysis.calibration_positions import STAGES, Sample, SolvedPosition
from isolarium.errors import InputError
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.solver.start_map import law_says_win
from isolarium.stats import Pair, RateEstimate, summarize, win_rate
from isolarium.stats.differences import RateDifference, rate_difference

CHANCE = "a random move"
LAW = "the colour law"

Value = Callable[[Position, Player], float]
Progress = Callable[[int, int], None]


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
