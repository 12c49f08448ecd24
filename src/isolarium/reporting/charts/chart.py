"""The common style of all charts, and their rendering as SVG and PNG."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import altair as alt
import vl_convert
from altair.utils.schemapi import debug_mode

from isolarium.reporting.html import BLUE, GRID, INK, MUTED, ORANGE, PAPER
from isolarium.reporting.model import Chart

FONT: Final = "Helvetica, Arial, Liberation Sans, sans-serif"
FONTS_NAMED_BY: Final = "FONTCONFIG_FILE"
NO_FONTS: Final = Path(__file__).with_name("no_fonts.conf")
USUAL_FONTS: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")

TOGETHER: Final = 6
"""The maximum number of agents whose lines can be distinguished in one chart."""
COLOURS: Final = (BLUE, ORANGE, "#009e73", "#8a5fb0", "#707680", "#c1428a")
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
LINES_WIDTH: Final = 640
PIXELS: Final = 2
"""The number of pixels per point of a drawing, for high-resolution screens."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a chart.

    Attributes:
        name: The file name without its suffix.
        title: The title.
        subtitle: Units, the number of games and how to read the chart, one line each.
    """

    name: str
    title: str
    subtitle: Sequence[str]


def svg_of(chart: Chart) -> str:
    """Render a chart as a self-contained SVG whose ids are unique among charts."""
    _prefer_bundled_font()
    drawn = vl_convert.vegalite_to_svg(chart.spec)
    return _with_own_ids(drawn, chart.name)


def png(svg: str) -> bytes:
    """Render an SVG as PNG."""
    _prefer_bundled_font()
    picture: bytes = vl_convert.svg_to_png(svg, scale=PIXELS)
    return picture


@cache
def _prefer_bundled_font() -> None:
    """Prefer the converter's bundled font, unless the user configured fonts.

    Of several fonts with the same name, the converter uses the one registered first, which would be
    the system's. The bundled font is kept in memory. A system font file is opened a dozen times for
    each text, which took half of the time for a report.
    """
    if FONTS_NAMED_BY in os.environ:
        return
    os.environ[FONTS_NAMED_BY] = str(NO_FONTS)
    try:
        vl_convert.svg_to_png('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')
    finally:
        del os.environ[FONTS_NAMED_BY]
    for folder in USUAL_FONTS:
        vl_convert.register_font_directory(str(Path(folder).expanduser()))


checked_as_a_whole: Final = debug_mode(False)
"""A decorator for functions that make many charts.

Altair then validates only the finished charts, not each of their parts.
"""

ROWS: Final = alt.NamedData("rows")
"""A reference to the rows passed to `finished`.

Drawings use this reference because Altair copies inline data at every step.
"""


def finished(drawing: Any, rows: Sequence[Row], heading: Heading, spoken: str) -> Chart:
    """Complete a drawing with its data, title and the common style.

    Args:
        drawing: The drawing, based on `ROWS`.
        rows: The data.
        heading: The heading.
        spoken: The figures as text, for the text alternative.
    """
    titled = drawing.properties(
        title=alt.TitleParams(heading.title, subtitle=list(heading.subtitle), anchor="start", offset=14),
        background=PAPER,
        padding=8,
    )
    spec = _with_look(titled).to_dict()
    spec.setdefault("datasets", {})["rows"] = [dict(row) for row in rows]
    words = f"{heading.title}: {' '.join(heading.subtitle)}. {spoken}"
    return Chart(heading.name, heading.title, words.strip(), spec)


def from_left(points: int) -> Any:
    """Return a fixed x position in points, independent of the data."""
    return alt.XValue(points)  # type: ignore[no-untyped-call]


def lines_of_agents(names: list[str], x: Any, y: Any, height: int) -> Any:
    """Draw a line with points for each agent.

    Each row has its agent in the field `agent`.
    """
    base = alt.Chart(ROWS, width=LINES_WIDTH, height=height)
    legend = alt.Legend(title=None, orient="top", columns=3, symbolSize=70)
    colours = alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
    shapes = alt.Scale(domain=names, range=list(SHAPES[: len(names)]))
    colour = alt.Color("agent:N", scale=colours, legend=legend)
    shape = alt.Shape("agent:N", scale=shapes, legend=legend)
    return alt.layer(
        base.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour),
        base.mark_point(filled=True, opacity=1, size=38).encode(x=x, y=y, color=colour, shape=shape),
    )


def _with_look(drawing: Any) -> Any:
    return drawing.configure(
        font=FONT,
        aria=False,  # The figure has one text alternative; labels for each mark would double the file's size.
        title=alt.TitleConfig(
            color=INK, fontSize=16, fontWeight="bold", subtitleColor=MUTED, subtitleFontSize=12.5, subtitlePadding=5
        ),
        axis=alt.AxisConfig(
            labelColor=INK,
            titleColor=MUTED,
            titleFontWeight="normal",
            labelFontSize=12.5,
            titleFontSize=12.5,
            gridColor=GRID,
            domainColor=MUTED,
            tickColor=MUTED,
            titlePadding=8,
            labelLimit=320,
        ),
        legend=alt.LegendConfig(
            labelColor=INK,
            titleColor=MUTED,
            titleFontWeight="normal",
            labelFontSize=12.5,
            titleFontSize=12.5,
            labelLimit=320,
        ),
        header=alt.HeaderConfig(labelColor=INK, labelFontSize=12.5, titleColor=MUTED),
        view=alt.ViewConfig(stroke=None),
        text=alt.MarkConfig(color=INK, fontSize=12.5),
    )


def _with_own_ids(svg: str, name: str) -> str:
    """Make all ids unique in a page by prefixing them with the chart's name.

    The converter numbers ids across charts, so its own ids would depend on the charts rendered
    before.
    """
    numbers: dict[str, int] = {}

    def own(found: re.Match[str]) -> str:
        before, old, after = found.groups()
        return f"{before}{name}-{numbers.setdefault(old, len(numbers) + 1)}{after}"

    return re.sub(r'(\bid=")([^"]+)(")', own, re.sub(r"(url\(#)([^)]+)(\))", own, svg))
