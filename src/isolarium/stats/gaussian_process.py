"""A Gaussian process for the response of a score to parameters, from noisy trials.

Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, chapters 2 and 5. Numeric
parameters have a Matern 5/2 kernel; named values are either equal or different. The noise of each
trial is known from its games. The amplitude of the response and one length scale for each parameter
are unknown. They are taken from a small grid, under a prior that favours smooth responses. The
result averages the models around the likeliest one, weighted by their likelihood. The likeliest
model alone would be overconfident; above all, it would often conclude that no parameter matters.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LENGTHS: Final = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""The length scales of a parameter whose range is 0 to 1."""
USUAL_LENGTH: Final = 0.5
SPREAD_OF_LENGTHS: Final = 1.0
"""The standard deviation of the normal prior of a length's logarithm."""
AMPLITUDES: Final = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""Amplitudes of the response, in standard deviations of the scores."""
NEARBY: Final = (0.5, 1.0, 2.0)
"""Factors applied to the likeliest lengths.

The average is over models with these lengths, each combined with every amplitude.
"""
LEAST_SPREAD: Final = 1e-4
MOST_TURNS: Final = 8
Z95: Final = 1.96
OTHERS: Final = 12
SAMPLES: Final = 400
JITTER: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Trials:
    """The points tried so far.

    Attributes:
        points: A row for each trial, a column for each parameter: numbers from 0 to 1, and
            names by their index.
        scores: The observed score of each trial.
        variances: The variance of the noise in each score; positive.
        named: For each parameter, whether its values are names.
    """

    points: Floats
    scores: Floats
    variances: Floats
    named: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Belief:
    """The posterior of the response at some points: its mean and standard deviation."""

    mean: Floats
    deviation: Floats

    @property
    def low(self) -> Floats:
        """The lower end of the 95% interval at each point."""
        return self.mean - Z95 * self.deviation

    @property
    def high(self) -> Floats:
        """The upper end of the 95% interval at each point."""
        return self.mean + Z95 * self.deviation


@dataclass(frozen=True, slots=True)
class Model:
    """A choice of the hyperparameters.

    Attributes:
        amplitude: The standard deviation of the response.
        lengths: The length scale of each parameter.
        weight: Its posterior weight in the average of the models.
    """

    amplitude: float
    lengths: tuple[float, ...]
    weight: float


class Response:
    """A response fitted to one or more trials.

    Attributes:
        trials: The trials.
        models: The models to average; their weights sum to 1.
    """

    def __init__(self, trials: Trials) -> None:
        self.trials = trials
        spread = max(LEAST_SPREAD, float(np.std(trials.scores)))
        around = _likeliest_lengths(trials, spread)
        chosen = [
            (spread * amplitude, tuple(times * length for length in around))
            for amplitude in AMPLITUDES
            for times in NEARBY
        ]
        self._solved = [_Solved(trials, *settings) for settings in chosen]
        likelihoods = np.array([solved.log_posterior for solved in self._solved])
        weights = np.exp(likelihoods - np.max(likelihoods))
        self._weights = weights / np.sum(weights)
        self.models = [
            Model(*settings, weight) for settings, weight in zip(chosen, self._weights.tolist(), strict=True)
        ]

    def at(self, points: Floats) -> Belief:
        """Return the posterior at points, one per row."""
        mean, covariance = self._posterior(points)
        return Belief(mean, np.sqrt(np.clip(np.diag(covariance), 0.0, None)))

    def best(self) -> int:
        """Return the trial with the highest posterior mean, which discounts its own noise."""
        return int(np.argmax(self.at(self.trials.points).mean))

    def importances(self, grids: Sequence[Floats], seed: int) -> list[tuple[float, float, float]]:
        """Return each parameter's share of the response's variation: median and 95% interval.

        The share is the variance of the response's mean over the other parameters (Sobol's
        first-order index), in draws from the posterior.

        Args:
            grids: For each parameter, values that represent its range.
            seed: The seed of the draws.
        """
        chance = np.random.default_rng(seed)
        others = np.column_stack([chance.choice(grid, OTHERS) for grid in grids])
        blocks = [_with_column(others, place, grid) for place, grid in enumerate(grids)]
        mean, covariance = self._posterior(np.vstack(blocks))
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.clip(values, 0.0, None))
        draws = mean[:, None] + root @ chance.standard_normal((len(mean), SAMPLES))
        found, start = list[tuple[float, float, float]](), 0
        total = np.var(draws, axis=0) + JITTER
        for block, grid in zip(blocks, grids, strict=True):
            of_block = draws[start : start + len(block)].reshape(len(grid), OTHERS, SAMPLES)
            shares = np.clip(np.var(of_block.mean(axis=1), axis=0) / total, 0.0, 1.0)
            low, middle, high = np.quantile(shares, (0.025, 0.5, 0.975)).tolist()
            found.append((middle, low, high))
            start += len(block)
        return found

    def _posterior(self, points: Floats) -> tuple[Floats, Floats]:
        """Return the mean and the covariance at points, averaged over the models."""
        each = [solved.posterior(points) for solved in self._solved]
        mean = sum(w * m for w, (m, _) in zip(self._weights, each, strict=True))
        covariance = sum(w * (c + np.outer(m - mean, m - mean)) for w, (m, c) in zip(self._weights, each, strict=True))
        return np.asarray(mean), np.asarray(covariance)


def _with_column(points: Floats, place: int, grid: Floats) -> Floats:
    """Return the points, repeated for each value of one parameter."""
    rows = np.repeat(points[None, :, :], len(grid), axis=0)
    rows[:, :, place] = grid[:, None]
    return rows.reshape(-1, points.shape[1])


def _likeliest_lengths(trials: Trials, spread: float) -> tuple[float, ...]:
    """Return the likeliest lengths of the grid, by coordinate ascent with the amplitude."""
    chosen = [0.4, *([0.4] * len(trials.named))]

    def likelihood(settings: Sequence[float]) -> float:
        return _Solved(trials, spread * settings[0], tuple(settings[1:])).log_posterior

    best = likelihood(chosen)
    for _ in range(MOST_TURNS):
        before = best
        for place in range(len(chosen)):
            for value in LENGTHS if place else AMPLITUDES:
                tried = [*chosen[:place], value, *chosen[place + 1 :]]
                found = likelihood(tried)
                if found > best + 1e-9:
                    best, chosen = found, tried
        if best == before:
            break
    return tuple(chosen[1:])


def _log_prior(length: float) -> float:
    return -0.5 * (math.log(length / USUAL_LENGTH) / SPREAD_OF_LENGTHS) ** 2


class _Solved:
    """The process with fixed hyperparameters and the best-fitting constant mean."""

    def __init__(self, trials: Trials, amplitude: float, lengths: tuple[float, ...]) -> None:
        self.trials, self.amplitude, self.lengths = trials, amplitude, lengths
        count = len(trials.scores)
        inside = self._covariance(trials.points, trials.points)
        self.root = np.linalg.cholesky(inside + np.diag(trials.variances) + JITTER * np.eye(count))
        ones = self._whitened(np.ones(count))
        scores = self._whitened(trials.scores)
        self.information = float(ones @ ones)
        self.mean = float(ones @ scores) / self.information
        self.ones, self.rest = ones, scores - self.mean * ones

    @property
    def log_posterior(self) -> float:
        """The log likelihood of the scores, integrated over the mean, plus the log prior."""
        determinant = 2.0 * float(np.sum(np.log(np.diag(self.root))))
        misfit = float(self.rest @ self.rest) + determinant + math.log(self.information)
        return -0.5 * misfit + sum(map(_log_prior, self.lengths))

    def posterior(self, points: Floats) -> tuple[Floats, Floats]:
        """Return the mean and the covariance at points."""
        across = self._whitened(self._covariance(self.trials.points, points))
        mean = self.mean + across.T @ self.rest
        unknown = 1.0 - across.T @ self.ones  # The uncertainty of the constant mean adds to the rest.
        covariance = self._covariance(points, points) - across.T @ across
        return mean, covariance + np.outer(unknown, unknown) / self.information

    def _whitened(self, values: Floats) -> Floats:
        found: Floats = np.linalg.solve(self.root, values)
        return found

    def _covariance(self, one: Floats, other: Floats) -> Floats:
        product: Floats = np.full((len(one), len(other)), self.amplitude**2)
        for place, (length, named) in enumerate(zip(self.lengths, self.trials.named, strict=True)):
            distance = np.abs(one[:, None, place] - other[None, :, place])
            if named:
                product *= np.where(distance > 0, math.exp(-1.0 / length), 1.0)
            else:
                steps = math.sqrt(5.0) * distance / length
                product *= (1.0 + steps + steps * steps / 3.0) * np.exp(-steps)
        return product
