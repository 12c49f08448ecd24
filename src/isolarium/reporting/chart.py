"""The common style of all charts, and their rendering as SVG and PNG."""

import os
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import altair as alt
import vl_convert
from altair.utils.schemapi import debug_mode

from isolarium.game.svg import scale
from isolarium.reporting.html import BLUE, GRID, INK, MUTED, ORANGE, PAPER
from isolarium.reporting.model import Chart

FONT: Final = "Helvetica, Arial, Liberation Sans, sans-serif"
FONTS_NAMED_BY: Final = "FONTCONFIG_FILE"
NO_FONTS: Final = Path(__file__).with_name("no_fonts.conf")
USUAL_FONTS: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")

TOGETHER: Final = 6
"""The maximum number of agents whose lines can be distinguished in one chart."""
COLOURS: Final = (BLUE, ORANGE, *scale("series"))
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
LINES_WIDTH: Final = 640
PHONE_WIDTH: Final = 346
"""The width of a chart on a phone."""
PHONE_PLOT_WIDTH: Final = 276
"""The width of a plot on a phone, beside an axis with numbers."""
PHONE_NAMED_WIDTH: Final = 196
"""The same beside an axis with names."""
PHONE_LABEL_WIDTH: Final = 116
PHONE_BOARDS_WIDTH: Final = 440
"""The width of a row of boards, which is shown a little smaller."""
PHONE_HEADING_WIDTH: Final = 140
"""The least width for the heading of a board."""
PHONE_LINE: Final = 52
"""The number of characters in a line of a subtitle on a phone."""
ROLES: Final = re.compile(' (?:role="graphics-[a-z]+"|aria-roledescription="[^"]*")')
"""The roles that the converter gives to parts of a drawing, which has one text alternative instead."""
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
    return _with_own_ids(ROLES.sub("", drawn), chart.name)


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
"""A decorator for functions that make many charts: Altair does not validate each of their parts."""

VALIDATES: Final = False
"""Whether Altair validates finished charts, as the tests have it; that takes a fifth of the time of a report."""

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
    spec = _with_look(titled).to_dict(validate=VALIDATES)
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


def narrowed(chart: Chart) -> Chart:
    """Return a chart for phones: narrower plots, few boards in a row, legends above, and shorter lines of text."""
    spec = deepcopy(chart.spec)
    title = spec["title"]
    title["subtitle"] = [line for text in title["subtitle"] for line in textwrap.wrap(text, PHONE_LINE)]
    spec["config"]["axis"]["labelLimit"] = PHONE_LABEL_WIDTH
    spec["config"]["legend"]["labelLimit"] = PHONE_LABEL_WIDTH
    for legend in _legends(spec):
        if "columns" in legend:
            legend["columns"] = 2
        if legend.get("orient") != "bottom":
            legend |= {"orient": "top", "direction": "horizontal"}
    views = spec.get("vconcat") or spec.get("concat") or [spec.get("spec", spec)]
    if "facet" in spec and "columns" in spec:
        _narrow_boards(spec)
    elif views != [spec]:
        for view in views:
            view["width"] = PHONE_NAMED_WIDTH if _has_names(view) else PHONE_PLOT_WIDTH
        if "columns" in spec:
            spec["columns"] = 1
    else:
        mark = spec.get("mark", {})
        if "size" in mark:
            mark["size"] = max(2, mark["size"] * PHONE_PLOT_WIDTH // spec["width"])
        spec |= {"width": PHONE_WIDTH, "autosize": {"type": "fit-x", "contains": "padding"}}
        for layer in spec.get("layer", []):
            layer.pop("width", None)
    return replace(chart, name=f"{chart.name}-narrow", spec=spec)


def _narrow_boards(spec: dict[str, Any]) -> None:
    width = spec["spec"]["width"]
    gap = max(24, PHONE_HEADING_WIDTH - width)
    spec["columns"] = max(1, PHONE_BOARDS_WIDTH // (width + gap))
    spec["spacing"]["column"] = gap
    spec["facet"]["header"]["labelLimit"] = width + gap


def _legends(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every legend of a specification."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "legend" and isinstance(value, dict) and "labelFontSize" not in value:
                yield value
            elif key != "datasets":
                yield from _legends(value)
    elif isinstance(part, list):
        for one in part:
            yield from _legends(one)


def _has_names(view: Mapping[str, Any]) -> bool:
    """Return whether the vertical axis of a view has names."""
    views = [view, *view.get("layer", [])]
    return any(one.get("encoding", {}).get("y", {}).get("type") == "nominal" for one in views)


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
