"""A table of figures, to be shown as text of any width or as HTML."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from isolab.text import shortened

GAP: Final = "  "
LEAST_LABEL: Final = 16


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure, and whether it is the best of those it is compared with."""

    text: str = ""
    best: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    Attributes:
        label: what the row is about.
        cells: one for each column.
        ruled: whether a line sets it off from the rows above.
    """

    label: str
    cells: tuple[Cell, ...]
    ruled: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        corner: what stands above the rows' labels.
        columns: the columns' headings; a line break in one makes two lines of it.
        rows: the rows.
        notes: what has to be said about it, a line each.
    """

    corner: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a line of text: `style` is `head`, `best`, `note`, or empty."""

    text: str
    style: str = ""


Line = list[Piece]


def lay_out(table: Table, width: int, *, mark: bool) -> Iterator[Line]:
    """The table as lines of at most `width` characters, as far as that can be done.

    Columns that do not fit side by side follow below, each time with the rows' labels. Long labels are shortened in
    their middle. With `mark` the best figures carry an asterisk, for where style is not seen.
    """
    layout = _Layout(table, width, mark)
    for number, columns in enumerate(layout.blocks()):
        if number:
            yield []
        yield from layout.heading(columns)
        for row in table.rows:
            if row.ruled:
                yield [Piece("─" * layout.width(columns), "note")]
            yield layout.line(row, columns)
    if mark and any(cell.best for row in table.rows for cell in row.cells):
        yield [Piece("* the best", "note")]
    for note in table.notes:
        yield [Piece(note, "note")]


def as_text(table: Table, width: int = 100) -> str:
    """The table as plain text."""
    lines = lay_out(table, width, mark=True)
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)


def as_html(table: Table) -> str:
    """The table as HTML, everything in it escaped."""
    head = "".join(f"<th>{_html(heading)}</th>" for heading in (table.corner, *table.columns))
    body = "".join(f"<tr><th>{_html(row.label)}</th>{_html_cells(row)}</tr>" for row in table.rows)
    notes = "".join(f"<p>{_html(note)}</p>" for note in table.notes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _html(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _html_cells(row: Row) -> str:
    return "".join(
        f"<td><b>{_html(cell.text)}</b></td>" if cell.best else f"<td>{_html(cell.text)}</td>"
        for cell in row.cells
    )


class _Layout:
    """How wide everything is."""

    def __init__(self, table: Table, width: int, mark: bool) -> None:
        self.table = table
        self.mark = mark
        longest = max(len(table.corner), *(len(row.label) for row in table.rows))
        self.label = min(longest, max(LEAST_LABEL, width // 2))
        self.room = width - self.label
        self.starred = [
            mark and any(row.cells[number].best for row in table.rows)
            for number in range(len(table.columns))
        ]
        self.widths = [self._column_width(number) for number in range(len(table.columns))]

    def _column_width(self, number: int) -> int:
        heading = max(map(len, self.table.columns[number].split("\n")))
        cells = max(len(row.cells[number].text) for row in self.table.rows)
        return max(heading, cells + self.starred[number])

    def blocks(self) -> Iterator[range]:
        """Stretches of columns that fit side by side, at least one column each."""
        start = used = 0
        for number, width in enumerate(self.widths):
            used += len(GAP) + width
            if used > self.room and number > start:
                yield range(start, number)
                start, used = number, len(GAP) + width
        yield range(start, len(self.widths))

    def width(self, columns: range) -> int:
        return self.label + sum(len(GAP) + self.widths[number] for number in columns)

    def heading(self, columns: range) -> Iterator[Line]:
        """The columns' headings, which end on one line."""
        headings = [self.table.columns[number].split("\n") for number in columns]
        height = max(map(len, headings))
        for level in range(height):
            corner = self.table.corner if level == height - 1 else ""
            texts = [shortened(corner, self.label).ljust(self.label)]
            for number, lines in zip(columns, headings, strict=True):
                place = level - height + len(lines)
                texts.append((lines[place] if place >= 0 else "").rjust(self.widths[number]))
            yield [Piece(GAP.join(texts), "head")]

    def line(self, row: Row, columns: range) -> Line:
        line = [Piece(shortened(row.label, self.label).ljust(self.label))]
        for number in columns:
            cell = row.cells[number]
            text = cell.text
            if self.starred[number]:
                text += "*" if cell.best else " "
            line.append(Piece(GAP + " " * (self.widths[number] - len(text))))
            line.append(Piece(text, "best" if cell.best else ""))
        return line
