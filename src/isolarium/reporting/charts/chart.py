"""How all charts look, and how one becomes a picture."""

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
USUAL_FONTS: Final = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.fonts",
    "~/.local/share/fonts",
)

TOGETHER: Final = 6
"""Agents whose lines can be told apart."""
COLOURS: Final = (BLUE, ORANGE, "#009e73", "#8a5fb0", "#707680", "#c1428a")
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
LINES_WIDTH: Final = 640
PIXELS: Final = 2
"""For each point of a drawing, for sharp screens."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Heading:
    """What a chart is called.

    Attributes:
        name: the file's name without its ending.
        title: what it is about.
        subtitle: units, the number of games, how to read it; a line each.
    """

    name: str
    title: str
    subtitle: Sequence[str]


def svg_of(chart: Chart) -> str:
    """A chart as a self-contained SVG whose ids occur in no other chart."""
    _prefer_its_own_font()
    drawn = vl_convert.vegalite_to_svg(chart.spec)
    return _with_own_ids(drawn, chart.name)


def png(svg: str) -> bytes:
    """The picture of a drawing."""
    _prefer_its_own_font()
    picture: bytes = vl_convert.svg_to_png(svg, scale=PIXELS)
    return picture


@cache
def _prefer_its_own_font() -> None:
    """Have the converter know its own Liberation Sans before the machine's fonts, unless somebody named those.

    Of fonts with the same name it takes the first, and the machine's would come first. It holds its own in memory, but
    opens the file of any other a dozen times for each text: half of the time of a report went there.
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
"""Of what makes many charts: Altair checks each when it is finished, and not every piece as it is made, too."""

ROWS: Final = alt.NamedData("rows")
"""The rows that `finished` is given. Altair copies data at every step, so drawings only name theirs."""


def finished(drawing: Any, rows: Sequence[Row], heading: Heading, spoken: str) -> Chart:
    """Give a drawing its rows, its title, and the look that all charts share.

    Args:
        drawing: made on `ROWS`.
        rows: what it shows.
        heading: its name, title and subtitle.
        spoken: the figures in words.
    """
    titled = drawing.properties(
        title=alt.TitleParams(
            heading.title, subtitle=list(heading.subtitle), anchor="start", offset=14
        ),
        background=PAPER,
        padding=8,
    )
    spec = _with_look(titled).to_dict()
    spec.setdefault("datasets", {})["rows"] = [dict(row) for row in rows]
    words = f"{heading.title}: {' '.join(heading.subtitle)}. {spoken}"
    return Chart(heading.name, heading.title, words.strip(), spec)


def from_left(points: int) -> Any:
    """The x of whatever stands so far from the left, whatever it is about."""
    return alt.XValue(points)  # type: ignore[no-untyped-call]


def lines_of_agents(names: list[str], x: Any, y: Any, height: int) -> Any:
    """A line and a mark at each point for each agent of the rows, which name theirs as `agent`."""
    base = alt.Chart(ROWS, width=LINES_WIDTH, height=height)
    legend = alt.Legend(title=None, orient="top", columns=3, symbolSize=70)
    colours = alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
    shapes = alt.Scale(domain=names, range=list(SHAPES[: len(names)]))
    colour = alt.Color("agent:N", scale=colours, legend=legend)
    shape = alt.Shape("agent:N", scale=shapes, legend=legend)
    return alt.layer(
        base.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour),
        base.mark_point(filled=True, opacity=1, size=38).encode(
            x=x, y=y, color=colour, shape=shape
        ),
    )


def _with_look(drawing: Any) -> Any:
    return drawing.configure(
        font=FONT,
        aria=False,  # the figure as a whole has its text, and the file is half as large
        title=alt.TitleConfig(
            color=INK,
            fontSize=16,
            fontWeight="bold",
            subtitleColor=MUTED,
            subtitleFontSize=12.5,
            subtitlePadding=5,
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
    """Ids made of the chart's name and a number: many charts stand in one page.

    The converter's own go on counting from one chart to the next, so they would differ from run to run.
    """
    numbers: dict[str, int] = {}

    def own(found: re.Match[str]) -> str:
        before, old, after = found.groups()
        return f"{before}{name}-{numbers.setdefault(old, len(numbers) + 1)}{after}"

    return re.sub(r'(\bid=")([^"]+)(")', own, re.sub(r"(url\(#)([^)]+)(\))", own, svg))
