"""What is said about a run, a study, a game or a heuristic, before it is decided how it looks.

It is made once, from results. Terminal, page, Markdown, notebook, JSON and CSV are renderings of it, each in a module
of its own, so that a new figure is added in one place and appears in all of them. Texts are plain; renderers escape.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from isolarium.reporting.cells import Value


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        key: its name for programs, and where its value stands in a row.
        heading: its name for people, in several lines if need be; None for a column that only programs see.
        align: `<`, `>` or `^`; words stand left, figures right.
        form: how numbers are written, as a format specification.
        repeats: whether it stands again in each piece of a table that is too wide for the screen.
        can_go: whether it may be left out where there is no room.
        shrinks: whether its texts are shortened where there is no room.
        exported: whether programs see it.
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
"""A table's row: for each column's key its value. What is missing is empty."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: a word for programs: the name of its CSV file.
        title: what it shows; a list that needs none has none.
        columns: from left to right.
        rows: from top to bottom.
        footer: how many of the last rows sum the others up.
        notes: what has to be said about it, a line each.
        is_file: whether a report has it as a CSV file too.
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
        """The columns that people see."""
        return [column for column in self.columns if column.heading is not None]


def rows_of(columns: Sequence[Column], rows: Iterable[Sequence[Value]]) -> list[Row]:
    """Rows whose values are given in the order of the columns."""
    return [dict(zip((column.key for column in columns), row, strict=True)) for row in rows]


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is known, with a label.

    Attributes:
        label: a word or two; empty where it continues the fact before.
        parts: what is said, in pieces that are set apart; none for a fact that only programs see.
        data: the same for programs.
    """

    label: str
    parts: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that are read together."""

    items: Sequence[Fact]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Short lines that belong together."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, before it is drawn.

    Attributes:
        name: the file's name without its ending.
        title: what it is about.
        alt: the same in words, for those who do not see it.
        spec: the Vega-Lite specification.
    """

    name: str
    title: str
    alt: str
    spec: dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """A chart, which is drawn when the drawing is first asked for.

    Attributes:
        chart: what is shown.
        draw: what makes a drawing of a chart, an SVG.
        chart_for_phones: the same to be drawn for a phone, where that is worth it.
    """

    chart: Chart
    draw: Callable[[Chart], str]
    chart_for_phones: Chart | None = None

    @cached_property
    def svg(self) -> str:
        """The drawing."""
        return self.draw(self.chart)

    @cached_property
    def narrow(self) -> str:
        """The drawing for a phone; empty if there is none."""
        return "" if self.chart_for_phones is None else self.draw(self.chart_for_phones)


@dataclass(frozen=True, slots=True)
class Moment:
    """The board after one move of an example game.

    Attributes:
        title: `Move 10`.
        caption: who went where, and what it said of it.
        svg: the board, with each player's way.
    """

    title: str
    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Example:
    """An example game.

    Attributes:
        title: who played.
        result: how it ended.
        moments: the board as the game went on, the end last.
        text: the game in one line.
    """

    title: str
    result: str
    moments: tuple[Moment, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Gallery:
    """Example games."""

    examples: Sequence[Example]


@dataclass(frozen=True, slots=True)
class Illustration:
    """A position that shows what is said.

    Attributes:
        caption: what happened there.
        command: what to type to look into it.
        svg: the board.
    """

    caption: str
    command: str
    svg: str


@dataclass(frozen=True, slots=True)
class Illustrations:
    """Positions that belong together."""

    items: Sequence[Illustration]


@dataclass(frozen=True, slots=True)
class FileList:
    """Files in the report's folder, each with what is in it."""

    items: Sequence[tuple[str, str]]


Block = Facts | Table | Paragraph | Listing | Figure | Gallery | Illustrations | FileList


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document.

    Attributes:
        anchor: its name in links.
        title: its heading.
        blocks: what it holds.
    """

    anchor: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Headline:
    """The answer, for the first screen of a page.

    Attributes:
        answer: the answer in one sentence.
        figure: the figure it rests on, with its interval.
        figure_is: what that figure is.
        setting: what was played.
        warnings: what a reader must know before believing it.
    """

    answer: str
    figure: str
    figure_is: str
    setting: str = ""
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report.

    Attributes:
        name: of the run or the study.
        headline: the answer.
        first: the chart on the first screen, if there is anything to draw.
        facts: what the answer rests on, for the first screen too.
        sections: evidence first, then detail.
    """

    name: str
    headline: Headline
    first: Figure | None
    facts: Facts = Facts(())
    sections: Sequence[Section] = ()

    def blocks(self) -> Iterator[Block]:
        """Everything in it, in order."""
        if self.first is not None:
            yield self.first
        for section in self.sections:
            yield from section.blocks

    @property
    def figures(self) -> list[Figure]:
        """Every chart, in order."""
        return [block for block in self.blocks() if isinstance(block, Figure)]

    @property
    def files(self) -> list[Table]:
        """Every table that has a CSV file."""
        return [block for block in self.blocks() if isinstance(block, Table) and block.is_file]

    @property
    def examples(self) -> list[Example]:
        """Every example game."""
        found = [block for block in self.blocks() if isinstance(block, Gallery)]
        return [example for gallery in found for example in gallery.examples]
