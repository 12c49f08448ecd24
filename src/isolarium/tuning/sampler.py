"""Trials: which values to try next, and which of those tried are best, the noise of each taken into account."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from isolarium.errors import InputError
from isolarium.spec.template import Place
from isolarium.stats import RateEstimate
from isolarium.stats.distributions import two_sided_quantile
from isolarium.stats.gaussian_process import Floats, Response, Trials
from isolarium.tuning.tuning_config import Row

OPTUNA: Final = "optuna"
ASKED_AGAIN: Final = 5
"""How often Optuna may answer what it answered before in a round, for each trial of it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Values that were tried.

    Attributes:
        round: the round, from 1 on.
        row: the values.
        score: what they scored: the share of the points, or how often their best move was right.
    """

    round: int
    row: Row
    score: RateEstimate

    @property
    def variance(self) -> float:
        """That of the noise in the score."""
        return (0.5 * self.score.width / two_sided_quantile(self.score.confidence)) ** 2


def spread_out(places: Sequence[Place], count: int, seed: int) -> list[Row]:
    """So many rows over the whole of all ranges, both ends included: of one parameter evenly spaced.

    Of several, each parameter takes evenly spaced values in an order of its own (McKay, Beckman and Conover, "A
    comparison of three methods for selecting values of input variables", Technometrics 21, 1979).
    """
    chance = random.Random(seed)
    levels = [number / max(1, count - 1) for number in range(count)]
    columns = [levels] + [chance.sample(levels, count) for _ in places[1:]]
    rows = (
        tuple(place.at(share) for place, share in zip(places, shares, strict=True))
        for shares in zip(*columns, strict=True)
    )
    return list(dict.fromkeys(rows))


def check_optuna() -> None:
    """See that Optuna is there.

    Raises:
        InputError: it is not.
    """
    if find_spec(OPTUNA) is None:
        raise InputError(
            "tuning in rounds: Optuna, which chooses the next trials, is not installed",
            advice="; pip install optuna brings it",
        )


def next_rows(places: Sequence[Place], trials: Sequence[Trial], count: int, seed: int) -> list[Row]:
    """So many rows that Optuna would try after these trials; fewer where there are not so many.

    They follow from the trials and the seed alone: a sampler that is made anew for every round has no past.

    Raises:
        InputError: Optuna is not there.
    """
    check_optuna()
    # Inside: not everybody has installed it.
    import optuna
    from optuna.samplers import TPESampler

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize",
        sampler=TPESampler(seed=seed, n_startup_trials=0, multivariate=True, constant_liar=True),
    )
    space = {str(number): _distribution(place) for number, place in enumerate(places)}
    for trial in trials:
        params = {
            str(number): place.share_of(value) if place.is_numeric else value
            for number, (place, value) in enumerate(zip(places, trial.row, strict=True))
        }
        study.add_trial(
            optuna.trial.create_trial(params=params, distributions=space, value=trial.score.rate)
        )
    rows = dict[Row, None]()
    for _ in range(ASKED_AGAIN * count):
        params = study.ask(space).params
        values = (params[str(number)] for number in range(len(places)))
        rows[tuple(map(_value, places, values))] = None
        if len(rows) == count:
            break
    return list(rows)


def _distribution(place: Place) -> Any:
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    return (
        FloatDistribution(0.0, 1.0) if place.is_numeric else CategoricalDistribution(place.values)
    )


def _value(place: Place, found: float | str) -> str:
    return found if isinstance(found, str) else place.at(found)


# What the trials say


def response_to(places: Sequence[Place], trials: Sequence[Trial]) -> Response:
    """What is believed of all values, from trials; at least one."""
    return Response(
        Trials(
            points_of(places, [trial.row for trial in trials]),
            np.array([trial.score.rate for trial in trials]),
            np.array([trial.variance for trial in trials]),
            tuple(not place.is_numeric for place in places),
        )
    )


def points_of(places: Sequence[Place], rows: Sequence[Row]) -> Floats:
    """Rows as a response takes them."""
    shares = [
        [place.share_of(value) for place, value in zip(places, row, strict=True)] for row in rows
    ]
    return np.array(shares, dtype=np.float64)


def best_of(places: Sequence[Place], trials: Sequence[Trial]) -> Trial:
    """The trial whose values are believed to be best; at least one."""
    return trials[response_to(places, trials).best()]
