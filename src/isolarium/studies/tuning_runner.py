"""Play a tuning run: choose the values of trials in rounds, then confirm the best.

Each round, and the confirmation, is a run in the tuning run's folder.

The values of a round depend only on its number and on earlier rounds, and its games depend only on its plan. A tuning
run that was killed and resumed therefore has the same trials and games as an uninterrupted one.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from isolarium.analysis.calibration import draw_sample, right_shares
from isolarium.arena.plan import Plan, check_name
from isolarium.arena.results import EncounterResult, Results
from isolarium.arena.run_db import Record
from isolarium.arena.run_store import find_group, new_folder, unsigned_files, write_group
from isolarium.arena.session import SILENT, Listener, Session
from isolarium.arena.tally import Tally
from isolarium.errors import InputError
from isolarium.game.board import parse_board
from isolarium.safe_files import MOST_TEXT, read_json_file
from isolarium.spec.resolve import read_heuristic
from isolarium.spec.template import Place
from isolarium.stats import RateEstimate, rate_difference, win_rate
from isolarium.stats.distributions import two_sided_quantile
from isolarium.stats.gaussian_process import Floats, Response, Trials
from isolarium.studies.tuning_config import Objective, Row, Tuning, read_objective

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

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


SETTINGS_NAME: Final = "tuning.json"
CONFIRMATION: Final = "confirmation"


@dataclass(frozen=True, slots=True)
class TuningRun:
    """A tuning run and its folder."""

    tuning: Tuning
    folder: Path


def is_tuning(folder: Path) -> bool:
    """Whether a folder holds a tuning run."""
    return (folder / SETTINGS_NAME).is_file()


def find_tuning(name: str, runs: Path) -> Path | None:
    """Find a tuning run's folder by its name, its path or `last`; None if not found."""
    return find_group(name, runs, is_tuning)


def begin_tuning(tuning: Tuning, runs: Path) -> TuningRun:
    """Create a tuning run in a new folder of `runs`.

    Raises:
        InputError: If a setting is invalid, or if Optuna is needed but not installed.
    """
    tuning.check()
    check_name(tuning.name)
    if tuning.rounds > 1:
        check_optuna()
    folder = new_folder(runs, tuning.name)
    write_group(folder, {SETTINGS_NAME: json.dumps(asdict(tuning)) + "\n"})
    return TuningRun(tuning, folder)


def open_tuning(folder: Path) -> TuningRun:
    """Open the tuning run in a folder.

    Raises:
        InputError: If `begin_tuning` did not write its settings.
    """
    path = folder / SETTINGS_NAME
    found = read_json_file(path, MOST_TEXT)
    try:
        tuning = Tuning(**{**found, "on": read_objective(found["on"])})
        tuning.check()
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (TypeError, KeyError) as error:
        raise InputError(f"{path}: {error}; expected the settings of a tuning run") from None
    return TuningRun(tuning, folder)


def untrusted_files(folder: Path) -> list[str]:
    """Return the files that resuming a tuning run from another machine would load.

    Raises:
        InputError: If its settings cannot be read.
    """
    return unsigned_files(folder, (SETTINGS_NAME,), lambda: read_json_file(folder / SETTINGS_NAME, MOST_TEXT))


@dataclass(frozen=True)
class TuningResults:
    """The results of a tuning run.

    Attributes:
        tuning: The settings.
        trials: The trials of all finished rounds.
        confirmation: The match of the best values against the defaults, finished or not; None if it
            has not begun, or if the defaults are best.
        finished: Whether all rounds and the confirmation are complete.
    """

    tuning: Tuning
    trials: tuple[Trial, ...]
    confirmation: Results | None
    finished: bool

    @cached_property
    def response(self) -> Response:
        """The response fitted to all trials, of which there must be at least one."""
        return response_to(self.tuning.places, self.trials)

    @property
    def best(self) -> Trial:
        """The trial with the highest fitted score; there must be at least one."""
        return self.trials[self.response.best()]

    @property
    def answer(self) -> EncounterResult | None:
        """The result of the confirmation; None if none of its games has been played."""
        if self.confirmation is None or not self.confirmation.games:
            return None
        return self.confirmation.encounters[0]


def play_tuning(
    begun: TuningRun, listener: Listener = SILENT, workers: int | None = None, cluster: "Cluster | None" = None
) -> TuningResults:
    """Play the rest of a tuning run, until it ends or the listener stops it.

    Finished games are kept.

    Raises:
        InputError: If an agent has changed since the run began.
        RunAborted: If a round or the confirmation cannot continue.
    """
    tuning, trials = begun.tuning, list[Trial]()
    if tuning.on is Objective.TRUTH:
        try:
            trials = _trials_on_positions(tuning, listener)
        except _Interrupted:
            return TuningResults(tuning, (), None, finished=False)
    for number in range(1, tuning.rounds + 1):
        rows = rows_of_round(tuning, number, trials)
        plan = tuning.round_plan(number, rows)
        with Session.begin_or_resume(plan, begun.folder / f"round-{number}") as session:
            _check_round(session, plan)
            if not session.is_finished:
                listener.begin(f"{tuning.name}, round {number} of {tuning.rounds}")
                session.play(listener, workers, cluster)
            if not session.is_finished:
                return TuningResults(tuning, tuple(trials), None, finished=False)
            trials += _trials(number, session.record)
    best = best_of(tuning.places, trials)
    if tuning.is_untuned(best.row):
        return TuningResults(tuning, tuple(trials), None, finished=True)
    if listener.is_stopped():
        return TuningResults(tuning, tuple(trials), None, finished=False)
    plan = tuning.confirmation_plan(best.row)
    with Session.begin_or_resume(plan, begun.folder / CONFIRMATION) as session:
        if session.plan.agents != plan.agents:
            problem = f"confirms {session.plan.agents[0]}, but {plan.agents[0]} is best now"
            raise InputError(f"{session.folder}: {problem}; remove the folder")
        if not session.is_finished:
            listener.begin(f"{tuning.name}, {CONFIRMATION}")
            session.play(listener, workers, cluster)
        return TuningResults(tuning, tuple(trials), session.read(), session.is_finished)


def rows_of_round(tuning: Tuning, number: int, trials: list[Trial]) -> list[Row]:
    """Return the values to try in a round.

    The first round uses a Latin hypercube; later rounds use Optuna's suggestions.

    Args:
        tuning: The settings.
        number: The round, from 1.
        trials: The trials of all earlier rounds.
    """
    count, seed = tuning.trials_of_round(number), tuning.seed_of(f"trials {number}")
    if number == 1:
        return latin_hypercube(tuning.places, count, seed)
    return next_rows(tuning.places, trials, count, seed)


def _check_round(session: Session, plan: Plan) -> None:
    """Check that a round in the folder belongs to this tuning run.

    The values of the round may differ from the plan.

    Raises:
        InputError: If the round belongs to another tuning run.
    """
    found, wanted = ((one.sweep and one.sweep.template, one.opponents, one.lines) for one in (session.plan, plan))
    if found != wanted:
        raise InputError(f"{session.folder}: has the games of another tuning run; remove the folder")


def _trials(number: int, record: Record) -> list[Trial]:
    """Return the trials of a finished round."""
    tally = Tally(record.plan, record.clusters())
    for batch in record.batches():
        tally.add_batch(batch)
    assert record.plan.sweep is not None
    return [Trial(number, row, win_rate(tally.summary(place))) for place, row in enumerate(record.plan.sweep.values)]


# Trials on exact values


class _Interrupted(Exception):  # noqa: N818 # a request, not an error
    """Stops trials on exact values, which are fast and therefore never saved."""


def _trials_on_positions(tuning: Tuning, listener: Listener) -> list[Trial]:
    """Score every trial by how often the heuristic's best move keeps the win.

    All values are tried on the same positions, so a position's difficulty does not favour one value over another. The
    noise of a trial is the noise of its difference from the mean of all trials.

    Raises:
        InputError: If no position has both winning and losing moves, or a third-party heuristic fails.
        _Interrupted: If the listener stops the run.
    """

    def show(text: str) -> None:
        if listener.is_stopped():
            raise _Interrupted
        listener.tell(text)

    rows = latin_hypercube(tuning.places, tuning.trials, tuning.seed_of("trials"))
    board = parse_board(tuning.board)
    sample = draw_sample(
        board, tuning.positions, tuning.seed, lambda done, total: show(f"{done:,} of {total:,} positions solved")
    )
    games = [one.game for one in sample.positions if one.decides]
    if not games:
        problem = "none has both winning and losing moves; use more positions"
        raise InputError(f"{board}, {tuning.positions} positions: {problem}")
    shares = np.empty((len(rows), len(games)))
    for place, row in enumerate(rows):
        heuristic = str(read_heuristic(tuning.heuristic(row)))
        shares[place] = [share for share, _ in right_shares(heuristic, sample)]
        show(f"{place + 1} of {len(rows)} values tried")
    scores = [_score(of_row, shares.mean(axis=0), games) for of_row in shares]
    return [Trial(1, row, score) for row, score in zip(rows, scores, strict=True)]


def _score(shares: Floats, mean: Floats, games: list[int]) -> RateEstimate:
    """Return the rate at which a trial's moves were right.

    The interval is that of the difference between the trial and the mean of all trials.
    """
    differences = (shares - mean).tolist()
    found = rate_difference(zip(differences, games, strict=True))
    rate, reach = float(shares.mean()), found.high - found.difference
    return RateEstimate(rate, max(0.0, rate - reach), min(1.0, rate + reach))
