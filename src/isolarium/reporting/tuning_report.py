"""The report of a tuning run: the result, the charts of its responses and all trials."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import altair as alt
import numpy as np

from isolarium.arena.run_db import Record
from isolarium.arena.run_store import REPORT_PAGE, has_report
from isolarium.reporting.chart import ROWS, Heading, checked_as_a_whole, finished, narrowed, svg_of
from isolarium.reporting.html import BLUE, INK, MUTED, ORANGE
from isolarium.reporting.model import Block, Chart, Document, Fact, Facts, Figure, Headline, Paragraph, Section
from isolarium.reporting.report_folder import with_file_list, write_document
from isolarium.reporting.run_report import write_report
from isolarium.reporting.tuning_tables import answer_facts, answer_words, trials_table, tried_words, untuned_values
from isolarium.spec.template import Place
from isolarium.stats.gaussian_process import Floats
from isolarium.studies.tuning_config import Objective, Row
from isolarium.studies.tuning_runner import CONFIRMATION, TuningResults, points_of
from isolarium.text import counted

ABOUT_TRIALS = (
    "The best of many noisy scores overestimates the strength of its values, because it was partly lucky. The "
    "estimates come from a Gaussian process over all trials that accounts for the noise of each. The result comes "
    "from the confirmation alone."
)


def write_tuning_report(found: TuningResults, folder: Path, out: Path | None = None) -> Path:
    """Write the page and the report of the confirmation; return the page's path.

    There must be at least one trial.

    Args:
        found: The results.
        folder: The folder of the tuning run.
        out: The folder to write to; by default the tuning run's own.

    Raises:
        InputError: If the folder cannot be written.
    """
    out, place = out or folder, folder / CONFIRMATION
    if found.answer is not None and not (found.finished and out == folder and has_report(place)):
        with closing(Record(place)) as record:
            write_report(record, out / CONFIRMATION)
    write_document(tuning_document(found), out)
    return out / REPORT_PAGE


@checked_as_a_whole
def tuning_document(found: TuningResults) -> Document:
    """Return the page of a tuning run as a document."""
    response = response_chart(found)
    blocks: list[Block] = []
    if len(found.tuning.names) > 1:
        chart = importance_chart(found)
        blocks.append(Figure(chart, svg_of, narrowed(chart)))
    blocks += [Paragraph(ABOUT_TRIALS), trials_table(found)]
    sections = [Section("trials", "The trials", blocks), Section("setting", "How this was played", [_setting(found)])]
    document = Document(
        found.tuning.name,
        _headline(found),
        Figure(response, svg_of, narrowed(response)),
        Facts(list(answer_facts(found))),
        sections,
    )
    link = (f"{CONFIRMATION}/{REPORT_PAGE}", "the report of the confirmation")
    return with_file_list(document, [] if found.answer is None else [link])


def _headline(found: TuningResults) -> Headline:
    words, met = answer_words(found), found.answer
    warnings = [] if found.finished else ["This tuning run is not finished. Continue it with isolarium resume."]
    figure, figure_is = "", "no confirmation was played"
    if met is not None:
        figure = str(met.rate)
        figure_is = "of the games won against the untuned agent, from openings that no trial used (95% interval)"
    values = found.tuning.format_row(found.best.row)  # Parameter names are not capitalised.
    title = words if words.startswith(values) else words[0].upper() + words[1:]
    return Headline(title, figure, figure_is, tried_words(found), warnings)


def _setting(found: TuningResults) -> Facts:
    tuning = found.tuning
    settings = {
        "agent": tuning.agent,
        "untuned": tuning.untuned,
        "trials scored by": str(tuning.on),
        **({"opponent of the trials": tuning.opponent} if tuning.on is Objective.GAMES else {}),
        "board": tuning.board,
        "seed": f"{tuning.seed}",
        "random moves after the placements": f"{tuning.plies}",
        "gain to detect": f"{tuning.gain:g} Elo",
        "most pairs of the confirmation": f"{tuning.confirm:,}",
    }
    return Facts([Fact(label, (value,)) for label, value in settings.items()])


# Charts


WIDTH: Final = 560
SLICE_WIDTH: Final = 300
HEIGHT: Final = 280
SLICE_HEIGHT: Final = 200
MARGIN: Final = 1.0
"""The space above and below all intervals, in percentage points."""
MOST_TICKS: Final = 10
TICK_WIDTH: Final = 50
"""The least width of a label on the axis of a range."""
STEPS: Final = 60
UNITS: Final = {Objective.GAMES: "win rate, %", Objective.TRUTH: "best-rated move wins, %"}
ESTIMATED, TRIED, CHOSEN = "estimate", "tried", "chosen"


def response_chart(found: TuningResults) -> Chart:
    """Chart the estimated score by parameter; other parameters have chosen values.

    The chart of a single parameter also shows the trials.
    """
    names = found.tuning.names
    alone = len(names) == 1
    rows = [row for number in range(len(names)) for row in _slice(found, number)]
    ends = [row["low"] - MARGIN for row in rows] + [row["high"] + MARGIN for row in rows]
    width = WIDTH if alone else SLICE_WIDTH
    panels = [_panel(found, number, width, (min(ends), max(ends))) for number in range(len(names))]
    drawing = panels[0] if alone else alt.concat(*panels, columns=2, spacing=30)
    return finished(drawing, rows, _heading(found), _in_words(found))


def _heading(found: TuningResults) -> Heading:
    names = found.tuning.names
    alone = len(names) == 1
    trials = counted(len(found.trials), "trial") + ("" if alone else "; other parameters at their chosen values")
    bars = "bars and band are 95% intervals" if alone else "bars and bands are 95% intervals"
    chosen = "the square marks the chosen value"
    if untuned := untuned_values(found):
        chosen += f"; untuned: {untuned}"
    return Heading(
        "response",
        f"Response to {names[0] if alone else 'each parameter'}",
        [f"{trials}; {bars}; {chosen}", f"{found.tuning.agent}"],
    )


def _in_words(found: TuningResults) -> str:
    lines = (f"{found.tuning.format_row(trial.row)}: {trial.score}" for trial in found.trials)
    return f"Chosen: {found.tuning.format_row(found.best.row)}. " + "; ".join(lines) + "."


def _slice(found: TuningResults, number: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a panel: estimates, the chosen value, and trials.

    Trials are shown only if there is a single parameter.
    """
    tuning, best = found.tuning, found.best.row
    place, name = tuning.places[number], tuning.names[number]
    values = _along(place)
    yield from _estimated(found, name, number, values, ESTIMATED)
    yield from _estimated(found, name, number, [best[number]], CHOSEN)
    if len(tuning.names) == 1:
        for trial in found.trials:
            score = trial.score
            figures = (score.rate, score.low, score.high)
            yield _point(name, TRIED, _where(place, trial.row[0]), figures)


def _estimated(found: TuningResults, name: str, number: int, values: list[str], kind: str) -> Iterator[dict[str, Any]]:
    best, places = found.best.row, found.tuning.places
    rows: list[Row] = [(*best[:number], value, *best[number + 1 :]) for value in values]
    belief = found.response.at(points_of(places, rows))
    figures = zip(belief.mean.tolist(), belief.low.tolist(), belief.high.tolist(), strict=True)
    for value, figure in zip(values, figures, strict=True):
        yield _point(name, kind, _where(places[number], value), figure)


def _along(place: Place) -> list[str]:
    if place.values:
        return list(place.values)
    return [place.at(step / STEPS) for step in range(STEPS + 1)]


def _where(place: Place, value: str) -> dict[str, float | str]:
    """Return a value's position on the axis.

    Numbers and names need separate columns, because a column has one type.
    """
    return {"number": float(value)} if place.is_numeric else {"word": value}


def _point(name: str, kind: str, where: dict[str, float | str], figures: tuple[float, float, float]) -> dict[str, Any]:
    value, low, high = (100 * figure for figure in figures)
    return {"parameter": name, "kind": kind, **where, "value": value, "low": low, "high": high}


def _panel(found: TuningResults, number: int, width: int, ends: tuple[float, float]) -> Any:
    """Draw the panel of a parameter.

    All panels share a scale, so slopes are comparable.
    """
    tuning, place = found.tuning, found.tuning.places[number]
    name = tuning.names[number]
    height = HEIGHT if len(tuning.names) == 1 else SLICE_HEIGHT
    base = alt.Chart(ROWS, width=width, height=height)
    base = base.transform_filter(alt.datum.parameter == name)
    estimated = base.transform_filter(alt.datum.kind == ESTIMATED)
    tried = base.transform_filter(alt.datum.kind == TRIED)
    chosen = base.transform_filter(alt.datum.kind == CHOSEN)
    x, scale = _x_of(name, place, width), alt.Scale(zero=False, domain=list(ends))
    y = alt.Y("value:Q", title=UNITS[tuning.on], scale=scale)
    low, high = alt.Y("low:Q", title=UNITS[tuning.on], scale=scale), "high:Q"
    layers = [
        tried.mark_rule(color=MUTED, strokeWidth=1, opacity=0.6).encode(x=x, y=low, y2=high),
        tried.mark_point(filled=True, opacity=1, size=28, color=MUTED).encode(x=x, y=y),
    ]
    if place.is_numeric:
        layers.insert(0, estimated.mark_area(color=BLUE, opacity=0.2).encode(x=x, y=low, y2=high))
        layers.append(estimated.mark_line(color=BLUE, strokeWidth=2).encode(x=x, y=y))
    else:
        layers.append(estimated.mark_rule(color=INK, strokeWidth=1.6).encode(x=x, y=low, y2=high))
        layers.append(estimated.mark_point(filled=True, opacity=1, size=80, color=BLUE).encode(x=x, y=y))
    point = chosen.mark_point(filled=True, opacity=1, size=110, color=ORANGE, shape="square")
    return alt.layer(*layers, point.encode(x=x, y=y))


def _x_of(name: str, place: Place, width: int) -> Any:
    """Return the axis of a parameter, with as many labels as fit."""
    ticks = min(MOST_TICKS, width // TICK_WIDTH)
    if not place.is_numeric:
        return alt.X("word:N", title=name, sort=list(place.values), axis=alt.Axis(labelAngle=0))
    scale = alt.Scale(zero=False, nice=False, padding=12)
    if 0 < len(place.values) <= MOST_TICKS:
        numbers = [float(value) for value in place.values]
        axis = alt.Axis(values=numbers, format="~g", labelOverlap="greedy")
        return alt.X("number:Q", title=name, scale=scale, axis=axis)
    return alt.X("number:Q", title=name, scale=scale, axis=alt.Axis(tickCount=ticks))


def importance_chart(found: TuningResults) -> Chart:
    """Chart the share of the variance that each parameter explains by itself."""
    tuning = found.tuning
    shares = found.response.importances([_grid(place) for place in tuning.places], tuning.seed_of("importance"))
    rows = [
        {"name": name, "value": 100 * middle, "low": 100 * low, "high": 100 * high}
        for name, (middle, low, high) in zip(tuning.names, shares, strict=True)
    ]
    heading = Heading(
        "importance",
        "Importance of each parameter",
        [
            "share of the variance over all ranges; bars are 95% intervals of the estimate; the remainder to 100% is "
            "due to interactions"
        ],
    )
    base = alt.Chart(ROWS, width=WIDTH, height=34 * len(rows))
    y = alt.Y("name:N", sort=list(tuning.names), title=None)
    x = alt.X("value:Q", title="share of the variance, %", scale=alt.Scale(domain=[0, 100]))
    drawing = alt.layer(
        base.mark_rule(color=INK, strokeWidth=1.6).encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, opacity=1, size=90, color=BLUE).encode(y=y, x=x),
    )
    spoken = "; ".join(f"{row['name']}: {row['value']:.0f} ({row['low']:.0f} to {row['high']:.0f})" for row in rows)
    return finished(drawing, rows, heading, f"{spoken}.")


def _grid(place: Place) -> Floats:
    values = place.values or tuple(place.at(step / 8) for step in range(9))
    return np.array([place.share_of(value) for value in values], dtype=np.float64)
