"""The tables of a tuning run: trials, chosen values and their confirmation."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from isolarium.arena.results import EncounterResult
from isolarium.reporting.cells import json_of
from isolarium.reporting.model import Block, Column, Fact, Facts, Row, Table
from isolarium.stats import RateEstimate, SprtState
from isolarium.studies.tuning_config import Objective
from isolarium.studies.tuning_runner import TuningResults
from isolarium.text import counted

FEW: Final = 8
"""The maximum number of trials shown on a screen."""
SCORE: Final = {Objective.GAMES: "games won", Objective.TRUTH: "best move right"}


def tuning_title(found: TuningResults) -> str:
    """Return the title of the summary."""
    return f"tuning of {found.tuning.agent}"


def tuning_blocks(found: TuningResults, folder: Path | None, report: Path | None = None) -> list[Block]:
    """Return the summary of a tuning run: best trials, result and files."""
    blocks: list[Block] = [Facts([Fact("tried", (tried_words(found),))])]
    if found.trials:
        blocks.append(trials_table(found, FEW))
    places = [
        Fact("stopped", () if found.finished else (f"isolarium resume {folder} continues it",)),
        Fact("run", () if folder is None else (f"{folder}",)),
        Fact("report", () if report is None else (f"{report}",)),
    ]
    return [*blocks, Facts([*answer_facts(found), *places])]


def tried_words(found: TuningResults) -> str:
    """Describe the number and kind of the trials."""
    tuning = found.tuning
    trials = counted(len(found.trials), "trial")
    if tuning.on is Objective.TRUTH:
        positions = f"the same solved positions, up to {tuning.positions} for each stage"
        return f"{trials} on {positions} · {tuning.board} · seed {tuning.seed}"
    rounds = counted(tuning.rounds, "round")
    each = f"{counted(tuning.pairs, 'pair')} each against {tuning.opponent}"
    return f"{trials} of {tuning.trials} in {rounds} · {each} · {tuning.board} · seed {tuning.seed}"


def trials_table(found: TuningResults, most: int | None = None) -> Table:
    """Return the trials, the best estimate first.

    Args:
        found: The results.
        most: The maximum number of trials to show; None shows all.
    """
    tuning = found.tuning
    columns = (
        *(Column(name, name, "<", repeats=True) for name in tuning.names),
        *((Column("round", "round", "<"),) if tuning.on is Objective.GAMES else ()),
        Column("score", SCORE[tuning.on], "<"),
        Column("believed", "estimate", "<"),
    )
    rows = sorted(_rows(found), key=lambda row: -row[0])
    shown = [row for _, row in rows[:most]]
    left = len(rows) - len(shown)
    notes = [f"and {counted(left, 'more trial')}; the report shows all"] if left else []
    title = "Trials, best estimate first"
    return Table("trials", title, columns, shown, notes=notes, is_file=most is None)


def _rows(found: TuningResults) -> Iterator[tuple[float, Row]]:
    belief = found.response.at(found.response.trials.points)
    figures = zip(belief.mean.tolist(), belief.low.tolist(), belief.high.tolist(), strict=True)
    for trial, (mean, low, high) in zip(found.trials, figures, strict=True):
        values = dict(zip(found.tuning.names, trial.row, strict=True))
        believed = RateEstimate(mean, max(0.0, low), min(1.0, high))
        yield mean, {**values, "round": trial.round, "score": trial.score, "believed": believed}


def answer_facts(found: TuningResults) -> Iterator[Fact]:
    """Yield the chosen values and the result of their confirmation."""
    if not found.trials:
        return
    yield Fact("chosen", (found.tuning.format_row(found.best.row),))
    met = found.answer
    if met is not None:
        yield Fact("untuned", (found.tuning.untuned, *filter(None, [untuned_values(found)])))
        pairs = counted(met.summary.pairs, "pair")
        yield Fact("confirmed", (f"{met.rate} of games won against untuned", f"{pairs}"))
        yield Fact("", (f"{met.elo} Elo", "openings that no trial used"))
    yield Fact("answer", (answer_words(found),))


def untuned_values(found: TuningResults) -> str:
    """Return the defaults of the tuned parameters, such as `weight=1`; empty if they are not known."""
    return ", ".join(f"{name}={value}" for name, value in found.tuning.defaults.items())


def answer_words(found: TuningResults) -> str:
    """Return the result in a sentence.

    It describes the result of the confirmation, never that of a trial.
    """
    met = found.answer
    if met is None:
        if found.finished:
            return "no better values than the untuned ones were found"
        return "not confirmed yet"
    if not found.finished:
        return "the confirmation is not finished"
    values = found.tuning.format_row(found.best.row)
    if met.rate.low > 0.5:
        return f"{values} is better than untuned"
    if met.rate.high < 0.5:
        return f"{values} is worse than untuned"
    return f"no significant gain for {values}{_bounded(found, met)}"


def _bounded(found: TuningResults, met: EncounterResult) -> str:
    state = met.sequential.state if met.sequential else SprtState.RUNNING
    if state is SprtState.ACCEPTS_H0:
        return f": the test decided for no gain, rather than a gain of {found.tuning.gain:g} Elo"
    return "; the test is undecided and needs more pairs" if state is SprtState.RUNNING else ""


def tuning_json(found: TuningResults) -> dict[str, Any]:
    """Return the results of a tuning run as JSON."""
    tuning, met = found.tuning, found.answer
    whole: dict[str, Any] = json_of(
        {
            "agent": tuning.agent,
            "untuned": tuning.untuned,
            "against": tuning.opponent if tuning.on is Objective.GAMES else None,
            "on": str(tuning.on),
            "seed": tuning.seed,
            "parameters": list(tuning.names),
            "finished": found.finished,
            "trials": [
                {"round": trial.round, "values": list(trial.row), "score": trial.score} for trial in found.trials
            ],
            "chosen": list(found.best.row) if found.trials else None,
            "tuned": tuning.spec(found.best.row) if found.trials else None,
            "pairs": met.summary if met else None,
            "score": met.rate if met else None,
            "elo": met.elo if met else None,
            "answer": answer_words(found) if found.trials else None,
        }
    )
    return whole
