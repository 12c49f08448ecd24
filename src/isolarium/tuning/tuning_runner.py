"""Playing a tuning run: rounds of trials, each a run in its folder, then the confirmation of the best, a run too.

Which values a round tries follows from the rounds before and its number, and games follow from their plan: so a run
that was killed and resumed ends with the trials, and the games, of one that nothing disturbed.
"""

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isolarium.arena.plan import Plan
from isolarium.arena.results import EncounterResult, Results
from isolarium.arena.run_db import Record
from isolarium.arena.run_store import find_whole, new_folder, put_texts, unsigned_files
from isolarium.arena.session import SILENT, Listener, Session
from isolarium.arena.tally import Tally
from isolarium.errors import InputError
from isolarium.safe_files import MOST_TEXT, read_json_file
from isolarium.stats import win_rate
from isolarium.stats.gaussian_process import Response
from isolarium.tuning.exact_objective import Stopped, trials_on_truth
from isolarium.tuning.sampler import (
    Trial,
    best_of,
    check_optuna,
    next_rows,
    response_to,
    spread_out,
)
from isolarium.tuning.tuning_config import Row, Tuning, Way, read_way

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

SETTINGS_NAME: Final = "tuning.json"
CONFIRMATION: Final = "confirmation"


@dataclass(frozen=True, slots=True)
class BegunTuning:
    """A tuning run and its folder."""

    tuning: Tuning
    folder: Path


def is_tuning(folder: Path) -> bool:
    """Whether a tuning run was begun there."""
    return (folder / SETTINGS_NAME).is_file()


def find_tuning(name: str, runs: Path) -> Path | None:
    """The folder of a tuning run, given by its name, its path, or `last`; None if there is none."""
    return find_whole(name, runs, is_tuning)


def begin_tuning(tuning: Tuning, runs: Path) -> BegunTuning:
    """Put down in a new folder among the runs what is to be tuned.

    Raises:
        InputError: it cannot be.
    """
    tuning.check()
    if tuning.rounds > 1:
        check_optuna()
    folder = new_folder(runs, tuning.name)
    put_texts(folder, {SETTINGS_NAME: json.dumps(asdict(tuning)) + "\n"})
    return BegunTuning(tuning, folder)


def open_tuning(folder: Path) -> BegunTuning:
    """Read what is tuned in a folder.

    Raises:
        InputError: it is not what `begin_tuning` wrote.
    """
    path = folder / SETTINGS_NAME
    found = read_json_file(path, MOST_TEXT)
    try:
        tuning = Tuning(**{**found, "on": read_way(found["on"])})
        tuning.check()
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (TypeError, KeyError) as error:
        raise InputError(f"{path}: {error}; expected the settings of a tuning run") from None
    return BegunTuning(tuning, folder)


def files_of_strangers(folder: Path) -> list[str]:
    """The files that going on with a tuning run would load, as far as it was not made here.

    Raises:
        InputError: its settings cannot be read.
    """
    return unsigned_files(
        folder, (SETTINGS_NAME,), lambda: read_json_file(folder / SETTINGS_NAME, MOST_TEXT)
    )


@dataclass(frozen=True)
class TuningFindings:
    """What a tuning run found.

    Attributes:
        tuning: what was asked.
        trials: the trials of all rounds that are finished.
        confirmation: the match of the best against the untuned, as far as it was played; None where it was not begun,
            or the best is the untuned.
        finished: whether everything was played.
    """

    tuning: Tuning
    trials: tuple[Trial, ...]
    confirmation: Results | None
    finished: bool

    @cached_property
    def response(self) -> Response:
        """What is believed of all values; there are trials."""
        return response_to(self.tuning.places, self.trials)

    @property
    def best(self) -> Trial:
        """The trial whose values are believed to be best; there are trials."""
        return self.trials[self.response.best()]

    @property
    def answer(self) -> EncounterResult | None:
        """The best against the untuned, from openings that no trial had; None where that was not played."""
        if self.confirmation is None or not self.confirmation.games:
            return None
        return self.confirmation.encounters[0]


def play_tuning(
    begun: BegunTuning,
    listener: Listener = SILENT,
    workers: int | None = None,
    cluster: "Cluster | None" = None,
) -> TuningFindings:
    """Play what is missing of a tuning run, to the end or until the listener stops it; everything finished is kept.

    Raises:
        InputError: If an agent is not what it was when the run began.
        RunAborted: If a round or the confirmation cannot continue.
    """
    tuning, trials = begun.tuning, list[Trial]()
    if tuning.on is Way.TRUTH:
        try:
            trials = trials_on_truth(tuning, listener.tell, listener.is_stopped)
        except Stopped:
            return TuningFindings(tuning, (), None, finished=False)
    for number in range(1, tuning.rounds + 1):
        rows = rows_of_round(tuning, number, trials)
        plan = tuning.round_plan(number, rows)
        with Session.begin_or_resume(plan, begun.folder / f"round-{number}") as session:
            _check_round(session, plan)
            if not session.is_finished:
                listener.begin(f"{tuning.name}, round {number} of {tuning.rounds}")
                session.play(listener, workers, cluster)
            if not session.is_finished:
                return TuningFindings(tuning, tuple(trials), None, finished=False)
            trials += _trials(number, session.record)
    best = best_of(tuning.places, trials)
    if tuning.is_untuned(best.row):
        return TuningFindings(tuning, tuple(trials), None, finished=True)
    if listener.is_stopped():
        return TuningFindings(tuning, tuple(trials), None, finished=False)
    plan = tuning.confirmation_plan(best.row)
    with Session.begin_or_resume(plan, begun.folder / CONFIRMATION) as session:
        if session.plan.agents != plan.agents:
            told = f"begun for {session.plan.agents[0]}, where {plan.agents[0]} is chosen now"
            raise InputError(f"{session.folder}: {told}; expected it to be removed")
        if not session.is_finished:
            listener.begin(f"{tuning.name}, {CONFIRMATION}")
            session.play(listener, workers, cluster)
        return TuningFindings(tuning, tuple(trials), session.read(), session.is_finished)


def rows_of_round(tuning: Tuning, number: int, trials: list[Trial]) -> list[Row]:
    """What a round tries: spread over the ranges in the first, then what Optuna asks for.

    Args:
        tuning: what is tuned.
        number: of the round, from 1 on.
        trials: those of all rounds before.
    """
    count, seed = tuning.trials_of_round(number), tuning.seed_of(f"trials {number}")
    if number == 1:
        return spread_out(tuning.places, count, seed)
    return next_rows(tuning.places, trials, count, seed)


def _check_round(session: Session, plan: Plan) -> None:
    """See that a round that was begun is one of this tuning run; which values it tries is its own affair.

    Raises:
        InputError: it is not.
    """
    found, wanted = (
        (one.sweep and one.sweep.template, one.opponents, one.lines) for one in (session.plan, plan)
    )
    if found != wanted:
        raise InputError(f"{session.folder}: games of another tuning run; expected its own")


def _trials(number: int, record: Record) -> list[Trial]:
    """The trials of a round that is finished."""
    tally = Tally(record.plan, record.clusters())
    tally.add(record.results())
    assert record.plan.sweep is not None
    return [
        Trial(number, row, win_rate(tally.summary(place)))
        for place, row in enumerate(record.plan.sweep.values)
    ]
