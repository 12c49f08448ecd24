"""The content of a report, independent of its format.

Results are converted to blocks once. The terminal, HTML, Markdown, JSON and CSV renderers all use
the same blocks, so a new figure is added in one place and appears everywhere. Texts in blocks are
plain; the renderers escape them.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from isolarium.reporting.cells import Value, csv_of, is_best, json_of, printed, text_of
from isolarium.text import harmless_cell, printable


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        key: The column's name in exports, and the key of its value in a row.
        heading: The displayed heading, which may contain newlines; None hides the column.
        align: `<`, `>` or `^`; text is left-aligned, numbers right-aligned.
        form: The format specification for numbers.
        repeats: Whether to repeat the column in each piece of a table that is wider than the
            screen.
        can_go: Whether the column can be dropped if the table is too wide.
        shrinks: Whether its texts can be shortened if the table is too wide.
        exported: Whether CSV files and records include the column.
    """

    key: str
    heading: str | None = None
    align: str = ">"
    form: str = ""
    repeats: bool = False
    can_go: bool = False
    shrinks: bool = False
    exported: bool = True


Row = Mapping[str, Value]
"""A row of a table: values by column key. A missing value is shown as empty."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: The base name of its CSV file.
        title: The title; may be empty.
        columns: The columns, left to right.
        rows: The rows, top to bottom.
        footer: The number of summary rows at the end.
        notes: Notes below the table, one line each.
        is_file: Whether the report also writes the table as a CSV file.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    footer: int = 0
    notes: Sequence[str] = ()
    is_file: bool = False

    @property
    def shown(self) -> list[Column]:
        """The columns with a heading."""
        return [column for column in self.columns if column.heading is not None]


def rows_of(columns: Sequence[Column], rows: Iterable[Sequence[Value]]) -> list[Row]:
    """Build rows from values in the order of the columns."""
    return [dict(zip((column.key for column in columns), row, strict=True)) for row in rows]


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled statement.

    Attributes:
        label: One or two words; empty to continue the previous fact.
        parts: The statement in separate pieces; if there are none, the fact is hidden.
        data: The same information in JSON.
    """

    label: str
    parts: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Facts:
    """A list of facts."""

    items: Sequence[Fact]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of short lines."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Command:
    """A command line to copy."""

    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart before it is drawn.

    Attributes:
        name: The file name without its suffix.
        title: The title.
        alt: The text alternative.
        spec: The Vega-Lite specification.
    """

    name: str
    title: str
    alt: str
    spec: dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """A chart that is drawn when its SVG is first needed.

    Attributes:
        chart: The chart.
        draw: Draws a chart as SVG.
        chart_for_phones: A narrow version for phones, if there is one.
    """

    chart: Chart
    draw: Callable[[Chart], str]
    chart_for_phones: Chart | None = None

    @cached_property
    def svg(self) -> str:
        """The chart as SVG."""
        return self.draw(self.chart)

    @cached_property
    def narrow(self) -> str:
        """The narrow version as SVG; empty if there is none."""
        return "" if self.chart_for_phones is None else self.draw(self.chart_for_phones)


@dataclass(frozen=True, slots=True)
class Moment:
    """The board after one move of an example game.

    Attributes:
        title: The title, such as `Move 10`.
        caption: The move and the mover's score.
        svg: The board with both players' paths.
    """

    title: str
    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Example:
    """An example game.

    Attributes:
        title: The players.
        result: How the game ended.
        moments: Boards during the game; the last shows the end.
        text: The game in one-line notation.
    """

    title: str
    result: str
    moments: tuple[Moment, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Gallery:
    """A list of example games."""

    examples: Sequence[Example]


@dataclass(frozen=True, slots=True)
class Illustration:
    """A position that illustrates a statement.

    Attributes:
        caption: What happened in the position.
        command: The command that analyses it.
        svg: The board.
    """

    caption: str
    command: str
    svg: str


@dataclass(frozen=True, slots=True)
class Illustrations:
    """A list of illustrations."""

    items: Sequence[Illustration]


@dataclass(frozen=True, slots=True)
class FileList:
    """Files in the report's folder, each with a description."""

    items: Sequence[tuple[str, str]]


Block = Facts | Table | Paragraph | Listing | Command | Figure | Gallery | Illustrations | FileList


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document.

    Attributes:
        anchor: The link target.
        title: The heading.
        blocks: The content.
        is_folded: Whether a page shows the content on a click only.
    """

    anchor: str
    title: str
    blocks: Sequence[Block]
    is_folded: bool = False


@dataclass(frozen=True, slots=True)
class Headline:
    """The result at the top of a page.

    Attributes:
        answer: The result in one sentence.
        figure: The key figure with its interval.
        figure_is: What the figure measures.
        setting: The settings of the games.
        warnings: Caveats that the reader must see first.
    """

    answer: str
    figure: str
    figure_is: str
    setting: str = ""
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A complete report.

    Attributes:
        name: The name of the run or study.
        headline: The result.
        first: The chart at the top, if there is anything to draw.
        facts: The facts below the headline.
        sections: Evidence first, then details.
    """

    name: str
    headline: Headline
    first: Figure | None
    facts: Facts = Facts(())
    sections: Sequence[Section] = ()

    def blocks(self) -> Iterator[Block]:
        """Yield every block, in order."""
        if self.first is not None:
            yield self.first
        for section in self.sections:
            yield from section.blocks

    @property
    def figures(self) -> list[Figure]:
        """All charts, in order."""
        return [block for block in self.blocks() if isinstance(block, Figure)]

    @property
    def files(self) -> list[Table]:
        """All tables that have a CSV file."""
        return [block for block in self.blocks() if isinstance(block, Table) and block.is_file]

    @property
    def examples(self) -> list[Example]:
        """All example games."""
        found = [block for block in self.blocks() if isinstance(block, Gallery)]
        return [example for gallery in found for example in gallery.examples]


# CSV and JSON


def table_records(table: Table) -> list[dict[str, Any]]:
    """Return the exported columns of each row.

    All rows have the same keys, and estimates include their intervals.
    """
    exported = [column.key for column in table.columns if column.exported]
    names: dict[str, None] = {}  # An estimate has three columns; an unknown value has one.
    rows: list[dict[str, Any]] = [{} for _ in table.rows]
    for key in exported:
        for row, cells in zip(table.rows, rows, strict=True):
            found = csv_of(key, row.get(key))
            names |= dict.fromkeys(found)
            cells |= found
    return [{name: row.get(name) for name in names} for row in rows]


def csv_text(table: Table) -> str:
    """Return a table as CSV with a header line."""
    rows = table_records(table)
    written = io.StringIO()
    writer = csv.DictWriter(written, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _on_one_line(value) for name, value in row.items()})
    return written.getvalue()


def _on_one_line(value: Any) -> Any:
    return harmless_cell(printable(value)) if isinstance(value, str) else value


def table_json(table: Table) -> dict[str, Any]:
    """Return the displayed table as JSON; `table_from_json` reads it back."""
    columns = table.shown
    return {
        "name": table.name,
        "title": table.title,
        "columns": [column.heading for column in columns],
        "align": "".join(column.align for column in columns),
        "rows": [[text_of(row.get(column.key), column.form) for column in columns] for row in table.rows],
        "best": [
            [place, number]
            for place, row in enumerate(table.rows)
            for number, column in enumerate(columns)
            if is_best(row.get(column.key))
        ],
        "footer": table.footer,
        "notes": list(table.notes),
    }


def typed_table_json(table: Table) -> dict[str, Any]:
    """Return the displayed table as JSON with column keys and typed values."""
    columns = table.shown
    return {
        **table_json(table),
        "keys": [column.key for column in columns],
        "rows": [[printed(row.get(column.key), column.form) for column in columns] for row in table.rows],
        "values": [[json_of(row.get(column.key)) for column in columns] for row in table.rows],
    }


def table_from_json(found: dict[str, Any]) -> Table:
    """Rebuild a table from `table_json`, with all values as strings."""
    columns = [
        Column(str(number), heading, align)
        for number, (heading, align) in enumerate(zip(found["columns"], found["align"], strict=True))
    ]
    rows = [{str(number): text for number, text in enumerate(row)} for row in found["rows"]]
    return Table(found["name"], found["title"], columns, rows, found["footer"], found["notes"])
