"""Trials without games: how often the move that a heuristic values highest keeps the win, on solved positions.

All values are held against the same positions, so what these have in common says nothing of one value against another:
the noise of a trial is that of its difference from the average of all of them.
"""

from collections.abc import Callable

import numpy as np

from isolarium.analysis.calibration import draw_sample, right_shares
from isolarium.errors import InputError
from isolarium.game.notation import parse_board
from isolarium.limits import Stop
from isolarium.spec.resolve import read_heuristic
from isolarium.stats import RateEstimate, rate_difference
from isolarium.stats.gaussian_process import Floats
from isolarium.tuning.sampler import Trial, spread_out
from isolarium.tuning.tuning_config import Tuning

Tell = Callable[[str], None]


class Stopped(Exception):  # noqa: N818 # a wish, not an error
    """Somebody wants it to stop; nothing is kept of trials on truth, which do not take long."""


def trials_on_truth(tuning: Tuning, tell: Tell, stop: Stop | None = None) -> list[Trial]:
    """Every trial, spread over the ranges and held against the same positions.

    Raises:
        InputError: no position asks for a move, or somebody's heuristic fails.
        Stopped: `stop` says so.
    """

    def show(words: str) -> None:
        if stop is not None and stop():
            raise Stopped
        tell(words)

    rows = spread_out(tuning.places, tuning.trials, tuning.seed_of("trials"))
    board = parse_board(tuning.board)
    sample = draw_sample(
        board,
        tuning.positions,
        tuning.seed,
        lambda done, total: show(f"{done:,} of {total:,} positions solved"),
    )
    games = [one.game for one in sample.positions if one.decides]
    if not games:
        raise InputError(f"{board}, {tuning.positions} positions: none decides; expected more")
    shares = np.empty((len(rows), len(games)))
    for place, row in enumerate(rows):
        heuristic = str(read_heuristic(tuning.heuristic(row)))
        shares[place] = [share for share, _ in right_shares(heuristic, sample)]
        show(f"{place + 1} of {len(rows)} values tried")
    scores = [_score(of_row, shares.mean(axis=0), games) for of_row in shares]
    return [Trial(1, row, score) for row, score in zip(rows, scores, strict=True)]


def _score(shares: Floats, average: Floats, games: list[int]) -> RateEstimate:
    """How often a value was right, with the interval of its difference from the average."""
    differences = (shares - average).tolist()
    found = rate_difference(zip(differences, games, strict=True))
    rate, reach = float(shares.mean()), found.high - found.difference
    return RateEstimate(rate, max(0.0, rate - reach), min(1.0, rate + reach))
