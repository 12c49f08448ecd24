"""A response fitted to noisy trials, compared with the textbook's formula and with a known true response."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from isolarium.stats.gaussian_process import Floats, Model, Response, Trials

GRID = np.linspace(0.0, 1.0, 21)
NOISE = 0.02


def trials_of(points: Sequence[tuple[float, ...]], scores: list[float], noise: float = NOISE, names: int = 0) -> Trials:
    """Trials with the same noise; the last `names` parameters are names."""
    many = len(points[0])
    named = tuple(place >= many - names for place in range(many))
    variances = np.full(len(scores), noise**2)
    return Trials(np.array(points, dtype=float), np.array(scores), variances, named)


def textbook(trials: Trials, model: Model, point: tuple[float, ...]) -> tuple[float, float]:
    """Mean and variance at a point with numbers only, the constant being a parameter of which nothing is known."""
    vague = 1e2

    def covariance(one: tuple[float, ...], other: tuple[float, ...]) -> float:
        value = model.amplitude**2
        for a, b, length in zip(one, other, model.lengths, strict=True):
            r = math.sqrt(5) * abs(a - b) / length
            value *= (1 + r + r * r / 3) * math.exp(-r)
        return value + vague

    rows = [tuple(row) for row in trials.points.tolist()]
    inside = np.array([[covariance(one, other) for other in rows] for one in rows])
    inverse = np.linalg.inv(inside + np.diag(trials.variances))
    across = np.array([covariance(point, row) for row in rows])
    variance = covariance(point, point) - across @ inverse @ across
    return float(across @ inverse @ trials.scores), max(0.0, float(variance))


def test_it_is_the_textbooks_in_two_dimensions() -> None:
    chance = np.random.default_rng(1)
    points = [tuple(row) for row in chance.random((12, 2)).tolist()]
    found = Response(trials_of(points, [math.sin(3 * x) / 10 + y / 20 for x, y in points]))
    for point in ((0.5, 0.5), (0.1, 0.9), points[0]):
        belief = found.at(np.array([point]))
        each = [(model.weight, *textbook(found.trials, model, point)) for model in found.models]
        mean = sum(weight * one for weight, one, _ in each)
        square = sum(weight * (variance + one**2) for weight, one, variance in each)
        assert sum(weight for weight, _, _ in each) == pytest.approx(1.0)
        assert belief.mean[0] == pytest.approx(mean, abs=1e-4)
        assert belief.deviation[0] == pytest.approx(math.sqrt(square - mean**2), abs=3e-4)


def test_one_trial_predicts_its_score_everywhere() -> None:
    belief = Response(trials_of([(0.3,)], [0.54])).at(np.array([[0.0], [1.0]]))
    assert belief.mean.tolist() == pytest.approx([0.54, 0.54], abs=1e-3)
    assert np.all(belief.deviation >= NOISE - 1e-6)


def test_a_lucky_trial_among_equals_is_not_believed() -> None:
    points = [(x,) for x in GRID.tolist()]
    scores = [0.5] * len(points)
    scores[7] = 0.5 + 2 * NOISE
    belief = Response(trials_of(points, scores)).at(np.array(points))
    assert float(np.max(belief.mean)) < 0.5 + 0.5 * NOISE


def curve(x: Floats) -> Floats:
    return np.asarray(0.5 + 0.06 * np.exp(-(((x - 0.6) / 0.25) ** 2)))


def level(x: Floats) -> Floats:
    return np.full(len(x), 0.5)


@pytest.mark.parametrize("truth", [curve, level])
def test_its_intervals_hold_the_truth(truth: Callable[[Floats], Floats]) -> None:
    chance, held = np.random.default_rng(2), list[float]()
    x = np.linspace(0.0, 1.0, 30)
    for _ in range(40):
        scores = truth(x) + NOISE * chance.standard_normal(len(x))
        belief = Response(trials_of([(one,) for one in x.tolist()], scores.tolist())).at(GRID[:, None])
        held.append(float(np.mean((belief.low <= truth(GRID)) & (truth(GRID) <= belief.high))))
    assert float(np.mean(held)) >= 0.92


def test_the_best_is_nearer_the_truth_than_the_best_score() -> None:
    chance = np.random.default_rng(3)
    x, ours, naive = np.linspace(0.0, 1.0, 30), list[float](), list[float]()
    for _ in range(40):
        scores = curve(x) + NOISE * chance.standard_normal(len(x))
        found = Response(trials_of([(one,) for one in x.tolist()], scores.tolist()))
        ours.append(0.56 - curve(x)[found.best()])
        naive.append(0.56 - curve(x)[int(np.argmax(scores))])
    assert float(np.mean(ours)) < 0.7 * float(np.mean(naive))


def test_names_are_alike_or_not() -> None:
    points = [(float(number % 3),) for number in range(12)]
    scores = [0.5 + 0.1 * (number % 3 == 1) for number in range(12)]
    found = Response(trials_of(points, scores, names=1))
    assert found.trials.points[found.best(), 0] == 1.0
    belief = found.at(np.array([[0.0], [1.0], [2.0]]))
    assert belief.mean[1] - belief.mean[0] == pytest.approx(0.1, abs=0.02)
    assert belief.mean[0] == pytest.approx(belief.mean[2], abs=1e-6)


def test_what_matters_is_important_and_what_does_not_is_not() -> None:
    chance = np.random.default_rng(4)
    points = [tuple(row) for row in chance.random((40, 2)).tolist()]
    scores = [0.5 + 0.2 * x + NOISE * chance.standard_normal() for x, _ in points]
    first, second = Response(trials_of(points, scores)).importances([GRID[::3], GRID[::3]], seed=1)
    assert first[1] > 0.6
    assert second[2] < 0.3
    assert all(low <= middle <= high for middle, low, high in (first, second))
