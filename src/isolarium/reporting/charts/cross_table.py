"""The cross table: each agent's share of the points against each other."""

from collections.abc import Iterator
from typing import Any, Final

import altair as alt

from isolarium.analysis.run_statistics import Overview
from isolarium.reporting.charts.boards import EMPTY, GRID_LINE, Shade, cell_texts, diverging
from isolarium.reporting.charts.chart import ROWS, Heading, finished
from isolarium.reporting.model import Chart
from isolarium.stats import rounded
from isolarium.text import counted

WIDTH, HEIGHT = 54, 30
MOST: Final = 30
"""Rows or columns in the picture; the table has all of them."""


def cross_table_chart(overview: Overview) -> Chart:
    """Rows against columns, both in the order of the standings."""
    rows, columns = (side[:MOST] for side in overview.results.cross_sides)
    values = list(_values(overview, rows, columns))
    reach = max([10.0, *(abs(value["value"] - 50) for value in values if value["text"])])
    shade = diverging("share of the points, %", 50.0, min(50.0, reach))
    for value in values:
        value["light"] = bool(value["text"]) and shade.needs_light_text(value["value"])
    cut = f"the {MOST} best" if max(len(rows), len(columns)) == MOST else ""
    heading = Heading(
        "cross-table",
        "Cross table: who beats whom",
        [
            f"the row's share of the points against the column, %; {cut}",
            f"bold where the 95% interval leaves out 50%; {counted(overview.results.games, 'game')}",
        ],
    )
    spoken = "; ".join(
        f"{value['row']} against {value['column']} {value['text']}%"
        for value in values
        if value["text"]
    )
    row_names, column_names = (
        [overview.names[place] for place in side] for side in (rows, columns)
    )
    return finished(_layers(row_names, column_names, shade), values, heading, f"{spoken}.")


def _values(overview: Overview, rows: list[int], columns: list[int]) -> Iterator[dict[str, Any]]:
    for row in rows:
        for column in columns:
            met = overview.results.against(row, column)
            rate = None if met is None or not met.summary.pairs else met.rate
            value = None if rate is None else 100 * rate.rate
            yield {
                "row": overview.names[row],
                "column": overview.names[column],
                "value": value,
                "text": "" if value is None else rounded(value),
                "strong": rate is not None and 0.5 not in rate,
            }


def _layers(rows: list[str], columns: list[str], shade: Shade) -> Any:
    base = alt.Chart(ROWS, width=len(columns) * WIDTH, height=len(rows) * HEIGHT)
    band = alt.Scale(paddingInner=0, paddingOuter=0)
    quiet: dict[str, Any] = {"domain": False, "ticks": False, "grid": False}
    slanted = alt.Axis(orient="top", labelAngle=-35, labelAlign="left", **quiet)
    x = alt.X("column:N", sort=columns, title=None, scale=band, axis=slanted)
    y = alt.Y("row:N", sort=rows, title=None, scale=band, axis=alt.Axis(labelPadding=6, **quiet))
    legend = alt.Legend(
        title=shade.title, orient="bottom", direction="horizontal", gradientThickness=12
    )
    colour = alt.Color("value:Q", scale=shade.scale(), legend=legend)
    unknown = base.transform_filter("!isValid(datum.value)")
    known = base.transform_filter("isValid(datum.value)")
    return alt.layer(
        unknown.mark_rect(fill=EMPTY, stroke=GRID_LINE).encode(x=x, y=y),
        known.mark_rect(stroke=GRID_LINE).encode(x=x, y=y, color=colour),
        *cell_texts(base, x, y, font_size=12.5),
    )
