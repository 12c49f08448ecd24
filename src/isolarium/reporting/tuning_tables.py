"""What a tuning run says: the values believed to be best, and how they did against the untuned agent."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from isolarium.arena.results import EncounterResult
from isolarium.reporting.cells import json_of
from isolarium.reporting.model import Block, Column, Fact, Facts, Row, Table
from isolarium.stats import RateEstimate, SprtState, elo_difference
from isolarium.text import counted, elo_words
from isolarium.tuning.tuning_config import Objective
from isolarium.tuning.tuning_runner import TuningResults

FEW: Final = 8
"""Trials that a screen shows."""
SCORE: Final = {Objective.GAMES: "games won", Objective.TRUTH: "best move right"}


def tuning_title(found: TuningResults) -> str:
    """The line above everything."""
    return f"tuning of {found.tuning.agent}"


def tuning_blocks(
    found: TuningResults, folder: Path | None, report: Path | None = None
) -> list[Block]:
    """Everything for a screen: what was tried, the trials believed to be best, the answer, and where it stays."""
    blocks: list[Block] = [Facts([Fact("tried", (tried_words(found),))])]
    if found.trials:
        blocks.append(trials_table(found, FEW))
    places = [
        Fact("stopped", () if found.finished else (f"isolarium resume {folder} goes on",)),
        Fact("run", () if folder is None else (f"{folder}",)),
        Fact("report", () if report is None else (f"{report}",)),
    ]
    return [*blocks, Facts([*answer_facts(found), *places])]


def tried_words(found: TuningResults) -> str:
    """How many trials there are, and what each is."""
    tuning = found.tuning
    trials = counted(len(found.trials), "trial")
    if tuning.on is Objective.TRUTH:
        positions = f"the same solved positions, {tuning.positions} wanted of each stage"
        return f"{trials} on {positions} · {tuning.board} · seed {tuning.seed}"
    rounds = counted(tuning.rounds, "round")
    each = f"{counted(tuning.pairs, 'pair')} each against {tuning.opponent}"
    return f"{trials} of {tuning.trials} in {rounds} · {each} · {tuning.board} · seed {tuning.seed}"


def trials_table(found: TuningResults, most: int | None = None) -> Table:
    """The trials, those believed to be best first."""
    tuning = found.tuning
    columns = (
        *(Column(name, name, "<", repeats=True) for name in tuning.names),
        *((Column("round", "round", "<"),) if tuning.on is Objective.GAMES else ()),
        Column("score", SCORE[tuning.on], "<"),
        Column("believed", "believed", "<"),
    )
    rows = sorted(_rows(found), key=lambda row: -row[0])
    shown = [row for _, row in rows[:most]]
    left = len(rows) - len(shown)
    notes = [f"and {counted(left, 'trial')} more; the report has all"] if left else []
    title = "Trials, those believed to be best first"
    return Table("trials", title, columns, shown, notes=notes, is_file=most is None)


def _rows(found: TuningResults) -> Iterator[tuple[float, Row]]:
    belief = found.response.at(found.response.trials.points)
    figures = zip(belief.mean.tolist(), belief.low.tolist(), belief.high.tolist(), strict=True)
    for trial, (mean, low, high) in zip(found.trials, figures, strict=True):
        values = dict(zip(found.tuning.names, trial.row, strict=True))
        believed = RateEstimate(mean, max(0.0, low), min(1.0, high))
        yield mean, {**values, "round": trial.round, "score": trial.score, "believed": believed}


def answer_facts(found: TuningResults) -> Iterator[Fact]:
    """What was chosen, and the interval that says what it is worth."""
    if not found.trials:
        return
    yield Fact("chosen", (found.tuning.format_row(found.best.row),))
    met = found.answer
    if met is not None:
        yield Fact("untuned", (found.tuning.untuned,))
        pairs = counted(met.summary.pairs, "pair")
        yield Fact("confirmed", (f"{met.rate} of the games against the untuned", f"{pairs}"))
        yield Fact("", (f"{elo_difference(met.rate)} Elo", "openings that no trial had"))
    yield Fact("answer", (answer_words(found),))


def answer_words(found: TuningResults) -> str:
    """The answer in a sentence; it rests on the confirmation, never on a trial."""
    met = found.answer
    if met is None:
        told = "not confirmed yet"
        return "the untuned values are the best that were found" if found.finished else told
    if not found.finished:
        return "the confirmation is not finished"
    values = found.tuning.format_row(found.best.row)
    if met.rate.low > 0.5:
        return f"{values} is better than the untuned"
    if met.rate.high < 0.5:
        return f"{values} is worse than the untuned"
    return f"no gain is shown for {values}{_bounded(found, met)}"


def _bounded(found: TuningResults, met: EncounterResult) -> str:
    state = met.sequential.state if met.sequential else SprtState.RUNNING
    if state is SprtState.ACCEPTS_H0:
        return f": the test chose none over {elo_words(found.tuning.gain)}"
    return "; the test has not decided: more pairs would" if state is SprtState.RUNNING else ""


def tuning_json(found: TuningResults) -> dict[str, Any]:
    """Everything, as JSON can hold it."""
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
                {"round": trial.round, "values": list(trial.row), "score": trial.score}
                for trial in found.trials
            ],
            "chosen": list(found.best.row) if found.trials else None,
            "tuned": tuning.spec(found.best.row) if found.trials else None,
            "pairs": met.summary if met else None,
            "score": met.rate if met else None,
            "elo": elo_difference(met.rate) if met else None,
            "answer": answer_words(found) if found.trials else None,
        }
    )
    return whole
