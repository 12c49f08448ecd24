"""A row for each of many: value, interval and figure. Names stand beside their bars, on phones above them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any, Final

import altair as alt

from isolarium.reporting.charts.chart import ROWS, Heading, finished, from_left
from isolarium.reporting.colours import BLUE, INK, MUTED, ORANGE
from isolarium.reporting.model import Chart

WIDTH, NARROW_WIDTH = 540, 240
ROW_HEIGHT, NARROW_ROW_HEIGHT = 32, 46
GAP: Final = 12
"""Between the bars and their figures."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A row: a value with its interval.

    Attributes:
        name: whose it is.
        value: that.
        low: where its interval begins, or minus infinity.
        high: where it ends, or infinity.
        text: all three as people read them.
        kind: one of the two that are told apart.
    """

    name: str
    value: float
    low: float
    high: float
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Layout:
    """How bars are shown.

    Attributes:
        unit: what the axis says.
        even: the value that a dashed line marks.
        kinds: the two that are told apart by colour and by shape.
        legend: whether that is said.
        narrow: whether it has to fit on a phone.
        row_height: of each, where there is room.
    """

    unit: str
    even: float
    kinds: tuple[str, str]
    legend: bool
    narrow: bool
    row_height: int = ROW_HEIGHT


def intervals_chart(bars: Sequence[Bar], layout: Layout, heading: Heading) -> Chart:
    """Bars from top to bottom; those of the same name share a row. Open ends reach the edge."""
    low, high = domain = _domain(bars, layout.even)
    rows = [
        replace(
            bar,
            value=min(max(bar.value, low), high),
            low=max(bar.low, low),
            high=min(bar.high, high),
        )
        for bar in bars
    ]
    names = list(dict.fromkeys(bar.name for bar in bars))
    spoken = "; ".join(f"{bar.name}: {bar.text}" for bar in bars)
    if layout.narrow:
        heading = replace(heading, name=f"{heading.name}-narrow")
    drawing = _layers(names, layout, domain)
    return finished(drawing, [asdict(row) for row in rows], heading, f"{spoken}.")


def _domain(bars: Sequence[Bar], even: float) -> tuple[float, float]:
    """From the lowest end to the highest, the even value included, with a little room."""
    ends = [end for bar in bars for end in (bar.low, bar.value, bar.high) if isfinite(end)]
    low, high = min([even, *ends]), max([even, *ends])
    room = 0.05 * max(high - low, 1.0)
    return low - room, high + room


def _layers(names: list[str], layout: Layout, domain: tuple[float, float]) -> Any:
    width = NARROW_WIDTH if layout.narrow else WIDTH
    height = NARROW_ROW_HEIGHT if layout.narrow else layout.row_height
    base = alt.Chart(ROWS, width=width, height=max(1, len(names)) * height)
    quiet = None if layout.narrow else alt.Axis(domain=False, ticks=False, labelPadding=10)
    y = alt.Y("name:N", sort=names, title=None, axis=quiet)
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    ticks = alt.Axis(tickCount=width // 70, grid=True)
    x = alt.X("value:Q", title=layout.unit, scale=scale, axis=ticks)
    low, high = alt.X("low:Q"), alt.X("high:Q")
    end = base.mark_tick(color=INK, opacity=1, thickness=1.6, size=9)
    figure = base.mark_text(align="left")
    layers = [
        base.mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=alt.datum(layout.even)),
        base.mark_rule(color=INK, strokeWidth=1.6).encode(y=y, x=low, x2=alt.X2("high:Q")),
        end.encode(y=y, x=low),
        end.encode(y=y, x=high),
        base.mark_point(filled=True, opacity=1, size=95).encode(y=y, x=x, **_look(layout)),
        figure.encode(y=y, x=from_left(width + GAP), text=alt.Text("text:N")),
    ]
    if layout.narrow:
        name = base.mark_text(align="left", dy=-17)
        layers.append(name.encode(y=y, x=from_left(0), text=alt.Text("name:N")))
    return alt.layer(*layers)


def _look(layout: Layout) -> dict[str, Any]:
    kinds = list(layout.kinds)
    shown = alt.Legend(title=None, orient="top") if layout.legend else None
    colours = alt.Scale(domain=kinds, range=[BLUE, ORANGE])
    shapes = alt.Scale(domain=kinds, range=["circle", "square"])
    return {
        "color": alt.Color("kind:N", scale=colours, legend=shown),
        "shape": alt.Shape("kind:N", scale=shapes, legend=shown),
    }
