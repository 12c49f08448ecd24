"""Choose the values of trials, and find the best trial."""

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
"""The maximum number of suggestions per trial of a round, since Optuna can repeat values."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A row of values, and its score.

    Attributes:
        round: The round's number, from 1.
        row: The values.
        score: The share of games won, or how often the best move was right.
    """

    round: int
    row: Row
    score: RateEstimate

    @property
    def variance(self) -> float:
        """The variance of the score's noise."""
        return (0.5 * self.score.width / two_sided_quantile(self.score.confidence)) ** 2


def latin_hypercube(places: Sequence[Place], count: int, seed: int) -> list[Row]:
    """Return rows of values that cover every range, including its ends.

    Each parameter takes evenly spaced values. With several parameters, the order of each is random and independent of
    the others (McKay, Beckman and Conover, "A comparison of three methods for selecting values of input variables",
    Technometrics 21, 1979). Duplicate rows are dropped.
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
    """Check that Optuna is installed.

    Raises:
        InputError: If Optuna is not installed.
    """
    if find_spec(OPTUNA) is None:
        raise InputError(
            "tuning in rounds needs Optuna, which is not installed", advice="; run pip install '.[tune]' in a clone"
        )


def next_rows(places: Sequence[Place], trials: Sequence[Trial], count: int, seed: int) -> list[Row]:
    """Return up to `count` rows of values that Optuna suggests after these trials.

    They depend only on the trials and the seed, since every round has a new sampler.

    Raises:
        InputError: If Optuna is not installed.
    """
    check_optuna()
    # Imported here because it is optional.
    import optuna
    from optuna.samplers import TPESampler

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize", sampler=TPESampler(seed=seed, n_startup_trials=0, multivariate=True, constant_liar=True)
    )
    space = {str(number): _distribution(place) for number, place in enumerate(places)}
    for trial in trials:
        params = {
            str(number): place.share_of(value) if place.is_numeric else value
            for number, (place, value) in enumerate(zip(places, trial.row, strict=True))
        }
        study.add_trial(optuna.trial.create_trial(params=params, distributions=space, value=trial.score.rate))
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

    return FloatDistribution(0.0, 1.0) if place.is_numeric else CategoricalDistribution(place.values)


def _value(place: Place, found: float | str) -> str:
    return found if isinstance(found, str) else place.at(found)


# The best trial


def response_to(places: Sequence[Place], trials: Sequence[Trial]) -> Response:
    """Fit a Gaussian process to one or more trials."""
    return Response(
        Trials(
            points_of(places, [trial.row for trial in trials]),
            np.array([trial.score.rate for trial in trials]),
            np.array([trial.variance for trial in trials]),
            tuple(not place.is_numeric for place in places),
        )
    )


def points_of(places: Sequence[Place], rows: Sequence[Row]) -> Floats:
    """Return rows of values as points of the fitted response."""
    shares = [[place.share_of(value) for place, value in zip(places, row, strict=True)] for row in rows]
    return np.array(shares, dtype=np.float64)


def best_of(places: Sequence[Place], trials: Sequence[Trial]) -> Trial:
    """Return the trial with the highest fitted score; there must be at least one trial."""
    return trials[response_to(places, trials).best()]
