"""How a score responds to the parameters that are tuned: the curve, or slices of it, and which parameter matters."""

from collections.abc import Iterator
from typing import Any, Final

import altair as alt
import numpy as np

from isolab.arena.templates import Place
from isolab.reporting.charts.chart import ROWS, Heading, finished
from isolab.reporting.colours import BLUE, INK, MUTED, NEUTRAL, ORANGE
from isolab.reporting.model import Chart
from isolab.stats.response import Floats
from isolab.text import counted
from isolab.tuning.playing import TuningFindings
from isolab.tuning.trials import points_of
from isolab.tuning.tuning import Row, Way

WIDTH: Final = 560
SLICE_WIDTH: Final = 300
HEIGHT: Final = 280
STEPS: Final = 60
UNITS: Final = {Way.GAMES: "games won, %", Way.TRUTH: "best move right, %"}
BELIEVED, TRIED, CHOSEN = "believed", "tried", "chosen"


def response_chart(found: TuningFindings) -> Chart:
    """The believed score over each parameter, the others as chosen, with its interval; of one also the trials."""
    tuning = found.tuning
    alone = len(tuning.names) == 1
    rows = [row for number in range(len(tuning.names)) for row in _slice(found, number)]
    bars = "bars and band are 95% intervals" if alone else "bands are 95% intervals"
    heading = Heading(
        "response",
        "Response to " + (tuning.names[0] if alone else "each parameter, the others as chosen"),
        [
            f"{counted(len(found.trials), 'trial')}; {bars}; the square is what was chosen",
            f"{tuning.agent}",
        ],
    )
    panels = [
        _panel(found, number, WIDTH if alone else SLICE_WIDTH)
        for number in range(len(tuning.names))
    ]
    drawing = panels[0] if alone else alt.concat(*panels, columns=2, spacing=40)
    return finished(drawing, rows, heading, _spoken(found))


def _spoken(found: TuningFindings) -> str:
    lines = (f"{found.tuning.written(trial.row)}: {trial.score}" for trial in found.trials)
    return f"Chosen: {found.tuning.written(found.best.row)}. " + "; ".join(lines) + "."


def _slice(found: TuningFindings, number: int) -> Iterator[dict[str, Any]]:
    """The rows of one panel: what is believed along one parameter, what was chosen, and the trials of a single one."""
    tuning, best = found.tuning, found.best.row
    place, name = tuning.places[number], tuning.names[number]
    values = _along(place)
    yield from _believed(found, name, number, values, BELIEVED)
    yield from _believed(found, name, number, [best[number]], CHOSEN)
    if len(tuning.names) == 1:
        for trial in found.trials:
            score = trial.score
            yield _point(name, TRIED, _x(place, trial.row[0]), (score.rate, score.low, score.high))


def _believed(
    found: TuningFindings, name: str, number: int, values: list[str], kind: str
) -> Iterator[dict[str, Any]]:
    best, places = found.best.row, found.tuning.places
    rows: list[Row] = [(*best[:number], value, *best[number + 1 :]) for value in values]
    belief = found.response.at(points_of(places, rows))
    figures = zip(belief.mean.tolist(), belief.low.tolist(), belief.high.tolist(), strict=True)
    for value, figure in zip(values, figures, strict=True):
        yield _point(name, kind, _x(places[number], value), figure)


def _along(place: Place) -> list[str]:
    if place.values:
        return list(place.values)
    return [place.at(step / STEPS) for step in range(STEPS + 1)]


def _x(place: Place, value: str) -> float | str:
    return float(value) if place.is_numeric else value


def _point(
    name: str, kind: str, x: float | str, figures: tuple[float, float, float]
) -> dict[str, Any]:
    value, low, high = (100 * figure for figure in figures)
    return {"parameter": name, "kind": kind, "x": x, "value": value, "low": low, "high": high}


def _panel(found: TuningFindings, number: int, width: int) -> Any:
    tuning, place = found.tuning, found.tuning.places[number]
    name = tuning.names[number]
    base = alt.Chart(ROWS, width=width, height=HEIGHT)
    base = base.transform_filter(alt.datum.parameter == name)
    believed = base.transform_filter(alt.datum.kind == BELIEVED)
    tried = base.transform_filter(alt.datum.kind == TRIED)
    chosen = base.transform_filter(alt.datum.kind == CHOSEN)
    if place.is_numeric:
        x = alt.X("x:Q", title=name, scale=alt.Scale(zero=False, nice=False, padding=12))
    else:
        x = alt.X("x:N", title=name, sort=list(place.values), axis=alt.Axis(labelAngle=0))
    y = alt.Y("value:Q", title=UNITS[tuning.on], scale=alt.Scale(zero=False))
    low, high = alt.Y("low:Q", title=UNITS[tuning.on], scale=alt.Scale(zero=False)), "high:Q"
    layers = [
        tried.mark_rule(color=MUTED, strokeWidth=1, opacity=0.6).encode(x=x, y=low, y2=high),
        tried.mark_point(filled=True, opacity=1, size=28, color=MUTED).encode(x=x, y=y),
    ]
    if place.is_numeric:
        layers.insert(0, believed.mark_area(color=NEUTRAL, opacity=0.6).encode(x=x, y=low, y2=high))
        layers.append(believed.mark_line(color=BLUE, strokeWidth=2).encode(x=x, y=y))
    else:
        layers.append(believed.mark_rule(color=INK, strokeWidth=1.6).encode(x=x, y=low, y2=high))
        layers.append(believed.mark_point(filled=True, size=80, color=BLUE).encode(x=x, y=y))
    point = chosen.mark_point(filled=True, opacity=1, size=110, color=ORANGE, shape="square")
    return alt.layer(*layers, point.encode(x=x, y=y))


def importance_chart(found: TuningFindings) -> Chart:
    """Which share of the response's variation each parameter explains by itself."""
    tuning = found.tuning
    shares = found.response.importances(
        [_grid(place) for place in tuning.places], tuning.seed_of("importance")
    )
    rows = [
        {"name": name, "value": 100 * middle, "low": 100 * low, "high": 100 * high}
        for name, (middle, low, high) in zip(tuning.names, shares, strict=True)
    ]
    heading = Heading(
        "importance",
        "What each parameter explains by itself",
        ["share of the variation over all ranges; bars are 95% intervals of what is believed"],
    )
    base = alt.Chart(ROWS, width=WIDTH, height=34 * len(rows))
    y = alt.Y("name:N", sort=list(tuning.names), title=None)
    x = alt.X("value:Q", title="share of the variation, %", scale=alt.Scale(domain=[0, 100]))
    drawing = alt.layer(
        base.mark_rule(color=INK, strokeWidth=1.6).encode(y=y, x=alt.X("low:Q"), x2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=90, color=BLUE).encode(y=y, x=x),
    )
    spoken = "; ".join(
        f"{row['name']}: {row['value']:.0f} ({row['low']:.0f} to {row['high']:.0f})" for row in rows
    )
    return finished(drawing, rows, heading, f"{spoken}.")


def _grid(place: Place) -> Floats:
    values = place.values or tuple(place.at(step / 8) for step in range(9))
    return np.array([place.share_of(value) for value in values], dtype=np.float64)
