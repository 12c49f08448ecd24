"""Heuristics against the truth: the best move and the sign, each with its interval."""

from collections.abc import Iterator
from typing import Any, Final

import altair as alt

from isolarium.analysis.calibration import Calibrated, Calibration
from isolarium.reporting.charts.chart import ROWS, Heading, finished, from_left
from isolarium.reporting.colours import BLUE, INK, MUTED, ORANGE
from isolarium.reporting.model import Chart
from isolarium.stats import rounded
from isolarium.text import counted

WIDTH: Final = 330
ROW: Final = 23
HEURISTIC, BASELINE = "heuristic", "without a heuristic"
MOVE, SIGN = "its best move is right, %", "its sign tells the winner, %"


def calibration_chart(found: Calibration) -> Chart:
    """Two columns of points, in the order of the first, with what chance gives as a dashed line."""
    rows, baselines = found.rows, {row.name for row in found.baselines}
    values = [value for row in rows for value in _values(row, row.name in baselines)]
    figures = found.baselines[0].overall
    heading = Heading(
        "calibration",
        f"Heuristics against exact values on {found.sample.board}",
        [
            f"{counted(figures.decided, 'position')} with moves that win and moves that lose, and the winner of "
            f"{figures.positions:,}, from {counted(found.sample.games, 'game')}",
            "bars are 95% intervals; dashed: what chance gives",
        ],
    )
    names = [row.name for row in rows]
    chance = {
        MOVE: 100 * figures.right.rate if figures.right else 50.0,
        SIGN: 50.0,
    }
    panels = [_panel(names, measure, chance[measure], measure == MOVE) for measure in chance]
    spoken = "; ".join(f"{value['name']}: {value['text']} ({value['measure']})" for value in values)
    return finished(alt.hconcat(*panels, spacing=80), values, heading, f"{spoken}.")


def _values(row: Calibrated, baseline: bool) -> Iterator[dict[str, Any]]:
    for measure, rate in ((MOVE, row.overall.right), (SIGN, row.overall.sign)):
        if rate is not None:
            yield {
                "name": row.name,
                "measure": measure,
                "kind": BASELINE if baseline else HEURISTIC,
                "value": 100 * rate.rate,
                "low": 100 * rate.low,
                "high": 100 * rate.high,
                "text": rounded(100 * rate.rate, 1),
            }


def _panel(names: list[str], measure: str, chance: float, named: bool) -> Any:
    base = alt.Chart(ROWS, width=WIDTH, height=len(names) * ROW)
    base = base.transform_filter(f"datum.measure == '{measure}'")
    axis = alt.Axis(domain=False, ticks=False, labels=named)
    y = alt.Y("name:N", sort=names, title=None, axis=axis, scale=alt.Scale(domain=names))
    x = alt.X("value:Q", title=measure, scale=alt.Scale(zero=False, padding=8))
    kinds = [HEURISTIC, BASELINE]
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=[BLUE, ORANGE]),
        legend=alt.Legend(title=None, orient="top"),
    )
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=["circle", "square"]))
    return alt.layer(
        base.mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=alt.datum(chance)),
        base.mark_rule(color=INK, strokeWidth=1.6).encode(
            y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q")
        ),
        base.mark_point(filled=True, opacity=1, size=80).encode(
            y=y, x=x, color=colour, shape=shape
        ),
        base.mark_text(align="left").encode(y=y, x=from_left(WIDTH + 10), text=alt.Text("text:N")),
    )
