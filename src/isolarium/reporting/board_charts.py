"""Charts of boards: values on squares, heat maps and results by starting square."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from isolarium.analysis.run_statistics import HeatMap, Overview, StartShare
from isolarium.game.board import COLUMN_LETTERS, MIN_SIDE, Board, Square
from isolarium.game.svg import colour, scale
from isolarium.game.symmetry import symmetries
from isolarium.reporting.chart import ROWS, Heading, finished
from isolarium.reporting.html import INK, MUTED, ON_DARK, ON_LIGHT
from isolarium.reporting.model import Chart
from isolarium.stats import rounded
from isolarium.text import counted

GRID_LINE: Final = colour("drawn-grid")  # The colour of the lines between the squares of a drawn board
EMPTY: Final = colour("empty")
PICTURE_WIDTH: Final = 960
NARROWEST: Final = 170  # The minimum width for a heading


@dataclass(frozen=True, slots=True)
class Cell:
    """The content of one square.

    Attributes:
        square: The square.
        value: The value that determines the colour; None if unknown.
        text: The text on the square.
        strong: Whether the text is bold.
    """

    square: Square
    value: float | None
    text: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One board of a chart."""

    title: str
    subtitle: str
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Shade:
    """A colour scale.

    Attributes:
        title: The meaning of the values.
        low: The value of the first colour.
        high: The value of the last colour.
        colours: The colours, evenly spaced.
    """

    title: str
    low: float
    high: float
    colours: Sequence[str]

    def needs_light_text(self, value: float) -> bool:
        """Return whether white text has more contrast than black on this colour."""
        # Both have the same WCAG contrast at a luminance of 0.18.
        return _luminance(self._colour(value)) < 0.18

    def _colour(self, value: float) -> list[float]:
        steps = len(self.colours) - 1
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        place = min(max(share, 0.0), 1.0) * steps
        before = min(int(place), steps - 1)
        one, other = (_channels(self.colours[step]) for step in (before, before + 1))
        part = place - before
        return [(1 - part) * a + part * b for a, b in zip(one, other, strict=True)]

    def scale(self) -> alt.Scale:
        """Return the scale for Altair."""
        steps = len(self.colours) - 1
        domain = [self.low + (self.high - self.low) * step / steps for step in range(steps + 1)]
        return alt.Scale(domain=domain, range=list(self.colours), clamp=True, interpolate="rgb")


def _channels(colour: str) -> list[float]:
    return [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def _luminance(channels: Sequence[float]) -> float:
    linear = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def sequential(title: str, high: float) -> Shade:
    """Return a scale from 0 to `high` that also works in black and white."""
    return Shade(title, 0.0, high, scale("heat"))


def diverging(title: str, middle: float, reach: float) -> Shade:
    """Return a scale that is orange below the middle and blue above.

    The texts on the squares make the chart readable without colour.
    """
    return Shade(title, middle - reach, middle + reach, scale("balance"))


def board_rows(squares: Sequence[Square], panels: Sequence[Panel], shade: Shade) -> list[dict[str, Any]]:
    """Return the rows for `board_panels`; only `squares` are drawn."""
    return [row for panel in panels for row in _rows(squares, panel, shade)]


def board_panels(board: Board, panels: Sequence[Panel], shade: Shade) -> Any:
    """Draw the boards, as many in a row as fit, with one legend."""
    side = _side(board)
    base = alt.Chart(ROWS, width=board.cols * side, height=board.rows * side)
    heading = alt.Header(
        labelExpr="split(datum.label, '\\n')",
        labelAnchor="start",
        labelAlign="left",
        labelPadding=4,
        labelLimit=max(board.cols * side, NARROWEST) + 16,
        labelLineHeight=16,
    )
    facet = alt.Facet("panel:N", title=None, header=heading, sort=[_label(p) for p in panels])
    return (
        alt.layer(*_layers(base, board, shade))
        .facet(facet, columns=columns_that_fit(board), spacing={"row": 22, "column": _gap(board)})
        .resolve_axis(x="independent", y="independent")
    )


def columns_that_fit(board: Board) -> int:
    """Return how many boards fit side by side: one, or an even number."""
    fitting = PICTURE_WIDTH // (board.cols * _side(board) + _gap(board) + 20)
    return max(1, fitting - fitting % 2)


def _gap(board: Board) -> int:
    """Return the space between boards.

    Small boards need more space, because their headings are wider than the boards.
    """
    return max(24, NARROWEST + 24 - board.cols * _side(board))


def _side(board: Board) -> int:
    """Return the size of a square, large enough for two digits."""
    longest = max(board.rows, board.cols)
    return 27 if longest <= 7 else 25 if longest <= 9 else 22


def _layers(base: Any, board: Board, shade: Shade) -> Iterator[Any]:
    x, y = _axes(board)
    unknown = base.transform_filter("!isValid(datum.value)")
    yield unknown.mark_rect(fill=EMPTY, stroke=GRID_LINE).encode(x=x, y=y)
    filled = alt.Color("value:Q", scale=shade.scale(), legend=_legend(shade))
    known = base.transform_filter("isValid(datum.value)")
    yield known.mark_rect(stroke=GRID_LINE, strokeWidth=1).encode(x=x, y=y, color=filled)
    yield from cell_texts(base, x, y, font_size=0.4 * _side(board))


def cell_texts(base: Any, x: alt.X, y: alt.Y, font_size: float) -> Iterator[Any]:
    """Yield the texts of the cells: bold if `strong`, light on dark cells."""
    light = {"test": "datum.light", "value": ON_DARK}
    written_in = alt.ColorValue(ON_LIGHT, condition=light)
    for test, weight in (("datum.strong", "bold"), ("!datum.strong", "normal")):
        written = base.transform_filter(test).mark_text(fontSize=font_size, fontWeight=weight)
        yield written.encode(x=x, y=y, text=alt.Text("text:N"), color=written_in)


def _axes(board: Board) -> tuple[alt.X, alt.Y]:
    plain: dict[str, Any] = {"domain": False, "ticks": False, "grid": False}
    plain |= {"labelAngle": 0, "labelColor": MUTED, "labelPadding": 4}
    letters = [COLUMN_LETTERS[col] for col in range(board.cols)]
    numbers = [str(row + 1) for row in range(board.rows)]
    band = alt.Scale(paddingInner=0, paddingOuter=0)
    return (
        alt.X("col:N", sort=letters, title=None, scale=band, axis=alt.Axis(orient="top", **plain)),
        alt.Y("row:N", sort=numbers, title=None, scale=band, axis=alt.Axis(**plain)),
    )


def _legend(shade: Shade) -> alt.Legend:
    return alt.Legend(
        title=shade.title,
        orient="bottom",
        direction="horizontal",
        gradientLength=220,
        gradientThickness=12,
        titleLimit=500,
        titleColor=INK,
        format=".0f",
    )


def _rows(squares: Sequence[Square], panel: Panel, shade: Shade) -> Iterator[dict[str, Any]]:
    cells = {cell.square: cell for cell in panel.cells}
    for square in squares:
        cell = cells.get(square, Cell(square, None))
        value = cell.value
        yield {
            "panel": _label(panel),
            "col": COLUMN_LETTERS[square.col],
            "row": str(square.row + 1),
            "value": value if value is not None and math.isfinite(value) else None,
            "text": cell.text,
            "light": value is not None and shade.needs_light_text(value),
            "strong": cell.strong,
        }


def _label(panel: Panel) -> str:
    return "\n".join(filter(None, (panel.title, panel.subtitle)))


# Heat maps


MOST_BOARDS: Final = 24
"""The maximum number of agents in a chart of boards; the table of visits lists all."""


def heat_maps_chart(overview: Overview) -> Chart:
    """Chart the squares that each agent visited."""
    return _visits_chart(overview, overview.visits.own, "heat-maps", "Visited squares", "it")


def opponents_heat_maps_chart(overview: Overview) -> Chart | None:
    """Chart the squares that each agent's opponents visited; None for two players, who are each other's opponents."""
    if overview.is_match:
        return None
    name, title = "opponents-heat-maps", "Squares visited by an agent's opponents"
    return _visits_chart(overview, overview.visits.opponents, name, title, "an opponent")


def _visits_chart(overview: Overview, visits: Callable[[int], HeatMap], name: str, title: str, visitor: str) -> Chart:
    """Chart visits, on the scale that all maps of the run share."""
    board = overview.board
    shown = overview.leading(MOST_BOARDS)
    panels = [
        Panel(overview.names[player], counted(visits(player).games, "game"), _visit_cells(visits(player), board))
        for player in shown
    ]
    every = [overview.visits.own] if overview.is_match else [overview.visits.own, overview.visits.opponents]
    highest = 100 * max(float(of(player).share.max()) for of in every for player in shown)
    shade = sequential("share of games, %", max(1.0, highest))
    heading = Heading(
        name,
        title,
        [
            f"{overview.left_out(shown)}share of an agent's games in which {visitor} visited the square, %; {board}, "
            "without opening squares"
        ],
    )
    return finished(
        board_panels(board, panels, shade),
        board_rows(board.squares, panels, shade),
        heading,
        " ".join(map(_visits_in_words, panels)),
    )


def _visit_cells(heat: HeatMap, board: Board) -> list[Cell]:
    return [
        Cell(square, 100 * float(share), rounded(100 * share))
        for square, share in zip(board.squares, heat.share, strict=True)
    ]


def _visits_in_words(panel: Panel) -> str:
    most = max(panel.cells, key=lambda cell: cell.value or 0.0)
    return f"{panel.title}: most often {most.square} ({most.text}%)."


# Starting squares


FEWEST_GAMES: Final = 10
"""The minimum number of games for a square to show a win rate."""


def start_squares_chart(overview: Overview) -> Chart | None:
    """Chart the win rate by starting square for the first mover and every agent.

    Returns None if there are too few games.
    """
    panels = [Panel("First mover", "", _start_cells(overview.starts.first_mover()))]
    shown = overview.leading(MOST_BOARDS)
    for player in shown:
        panels.append(Panel(overview.names[player], "", _start_cells(overview.starts.agent(player))))
    shares = [cell.value for panel in panels for cell in panel.cells if cell.value is not None]
    if not shares:
        return None
    reach = max(10.0, *(abs(share - 50) for share in shares))
    shade = diverging("win rate, %", 50.0, min(50.0, reach))
    heading = Heading(
        "starting-squares",
        "Results by starting square",
        [
            f"{overview.left_out(shown)}win rate of the player that started on the square, %; "
            "mirror images of a square count as one, and one of them is drawn;",
            f"bold: the 95% interval excludes 50%; grey: fewer than {FEWEST_GAMES} games; "
            f"{counted(overview.results.games, 'game')} in total",
        ],
    )
    part, squares = without_mirror_images(overview.board)
    return finished(
        board_panels(part, panels, shade),
        board_rows(squares, panels, shade),
        heading,
        " ".join(map(_starts_in_words, panels)),
    )


def without_mirror_images(board: Board) -> tuple[Board, list[Square]]:
    """Return the quarter of a board with one square of each set of mirror images, and these squares.

    A board with a side below 5 is returned whole, because its quarter is too small to draw.
    """
    if min(board.rows, board.cols) < 2 * MIN_SIDE - 1:
        return board, list(board.squares)
    part = Board((board.rows + 1) // 2, (board.cols + 1) // 2)
    images = symmetries(board)
    first = {min(image.square(square, board) for image in images) for square in board.squares}
    return part, [square for square in part.squares if square in first]


def _start_cells(shares: Sequence[StartShare]) -> list[Cell]:
    return [
        Cell(share.square, 100 * share.rate.rate, rounded(100 * share.rate.rate), strong=0.5 not in share.rate)
        for share in shares
        if share.games >= FEWEST_GAMES
    ]


def _starts_in_words(panel: Panel) -> str:
    if not panel.cells:
        return f"{panel.title}: too few games."
    best = max(panel.cells, key=lambda cell: cell.value or 0.0)
    worst = min(panel.cells, key=lambda cell: cell.value or 0.0)
    return f"{panel.title}: from {worst.text}% at {worst.square} to {best.text}% at {best.square}."
