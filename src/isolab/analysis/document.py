"""What a report is made of, before it is written as a page or as Markdown. All texts are plain; writers escape them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from isolab.analysis.charts.chart import Chart
from isolab.analysis.examples import Example

Record = Mapping[str, str | float | int | None]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Short lines that belong together."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table, for people and for programs.

    Attributes:
        name: the CSV file's name without its ending.
        title: what it shows.
        header: the columns' names.
        rows: as people read them.
        texts: how many columns, from the left, are words; the others are figures.
        records: the rows of the CSV file, by column; none, and there is no such file.
    """

    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1
    records: Sequence[Record] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart, drawn.

    Attributes:
        chart: what is shown.
        svg: the drawing.
        narrow: the same drawn for a phone, where that was worth it.
    """

    chart: Chart
    svg: str
    narrow: str = ""


@dataclass(frozen=True, slots=True)
class Gallery:
    """Example games."""

    examples: Sequence[Example]


@dataclass(frozen=True, slots=True)
class Terms:
    """Names and what they stand for."""

    items: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class FileList:
    """Files in the report's folder, each with what is in it."""

    items: Sequence[tuple[str, str]]


Block = Paragraph | Listing | Table | Figure | Gallery | Terms | FileList


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report.

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
    """The first screen, in words.

    Attributes:
        answer: the answer in one sentence.
        figure: the figure it rests on, with its interval.
        figure_is: what that figure is.
        details: further figures.
        setting: what was played.
        warnings: what a reader must know before believing it.
    """

    answer: str
    figure: str
    figure_is: str
    details: Sequence[str] = ()
    setting: str = ""
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report.

    Attributes:
        run: the run's name.
        headline: the answer.
        first: the chart on the first screen, if there is anything to draw.
        sections: evidence first, then detail.
    """

    run: str
    headline: Headline
    first: Figure | None
    sections: Sequence[Section] = field(default_factory=tuple)

    @property
    def figures(self) -> list[Figure]:
        """Every chart, in order."""
        found = [block for section in self.sections for block in section.blocks]
        charts = [block for block in found if isinstance(block, Figure)]
        return charts if self.first is None else [self.first, *charts]

    @property
    def tables(self) -> list[Table]:
        """Every table that has a CSV file."""
        found = [block for section in self.sections for block in section.blocks]
        return [block for block in found if isinstance(block, Table) and block.records]
