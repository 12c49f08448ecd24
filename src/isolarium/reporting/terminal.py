"""Reports as lines for a terminal of any width, and as plain text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Final

from isolarium.reporting.cells import is_best, text_of
from isolarium.reporting.model import (
    Block,
    Column,
    Command,
    Fact,
    Facts,
    Illustrations,
    Listing,
    Paragraph,
    Row,
    Section,
    Table,
)
from isolarium.text import printable, shortened

PLAIN_WIDTH: Final = 100
"""The line width for output that is not a terminal."""
LABEL_WIDTH: Final = 13
PART_GAP: Final = "     "
COLUMN_GAP: Final = "  "
LEAST_LABEL: Final = 16
"""The minimum width of a row's label, even on a narrow screen."""
RULE: Final = "─"


@dataclass(frozen=True, slots=True)
class Piece:
    """A styled part of a line; `style` is `head`, `best`, `note` or empty."""

    text: str
    style: str = ""


Line = list[Piece]


def lines_of(blocks: Iterable[Block | Section], width: int, *, mark: bool) -> Iterator[Line]:
    """Yield blocks as lines of at most `width` characters where possible.

    `mark` adds an asterisk to the best values, for output without styles. Charts and boards are
    left out.
    """
    was_table = False
    for number, block in enumerate(blocks):
        lines = list(_block(block, width, mark))
        is_table = isinstance(block, Table | Section | Illustrations)
        if lines and number and (is_table or was_table):
            yield []
        for line in lines:
            yield [Piece(printable(piece.text), piece.style) for piece in line]
        was_table = is_table


def plain_text(blocks: Iterable[Block | Section], width: int = PLAIN_WIDTH) -> str:
    """Return blocks as plain text."""
    lines = lines_of(blocks, width, mark=True)
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)


def _block(block: Block | Section, width: int, mark: bool) -> Iterator[Line]:
    match block:
        case Section(_, title, blocks):
            yield [Piece(title, "head")]
            yield from lines_of(blocks, width, mark=mark)
        case Facts(items):
            for fact in items:
                yield from _fact(fact, width)
        case Table():
            if block.rows and block.shown:
                yield from _TableLayout(block, width, mark).lines()
        case Paragraph(text):
            yield from ([Piece(line)] for line in wrap(text, min(width, PLAIN_WIDTH)))
        case Listing(lines):
            yield from ([Piece(line)] for line in lines)
        case Command(text):
            yield [Piece(f"  {text}")]  # whole, so that it can be copied
        case Illustrations(items):
            for item in items:
                yield from ([Piece(line)] for line in wrap(item.caption, min(width, PLAIN_WIDTH)))
                yield [Piece(f"  {item.command}")]


def _fact(fact: Fact, width: int) -> Iterator[Line]:
    """Yield the label and the parts side by side, wrapped to the width."""
    room = max(LEAST_LABEL, width - LABEL_WIDTH)
    line = ""
    label = fact.label.ljust(LABEL_WIDTH - 1) + " "
    for part in filter(None, fact.parts):
        if line and len(line) + len(PART_GAP) + len(part) <= room:
            line += PART_GAP + part
            continue
        if line:
            yield [Piece(label + line)]
            label = " " * LABEL_WIDTH
        *whole, line = wrap(part, room, break_long_words=False, break_on_hyphens=False) or [""]
        for piece in whole:
            yield [Piece(label + piece)]
            label = " " * LABEL_WIDTH
    if line:
        yield [Piece(label + line)]


class _TableLayout:
    """The layout of a table on a screen.

    If the table is too wide, columns with `can_go` are dropped, from the last to the first. Columns
    that still do not fit are printed in additional pieces, each of which starts with the repeated
    columns. On narrow screens, long labels are shortened in the middle.
    """

    def __init__(self, table: Table, width: int, mark: bool) -> None:
        self.table = table
        self.mark = mark
        self.width = width
        self.columns = table.shown
        self.texts = [[text_of(row.get(column.key), column.form) for column in self.columns] for row in table.rows]
        self.starred = [mark and any(is_best(row.get(column.key)) for row in table.rows) for column in self.columns]
        self.widths = [self._column_width(place) for place in range(len(self.columns))]
        over = self._width(range(len(self.columns))) - width
        for place, column in enumerate(self.columns):
            if column.shrinks and over > 0:
                self.widths[place] = max(LEAST_LABEL, self.widths[place] - over)

    def _column_width(self, place: int) -> int:
        column = self.columns[place]
        longest = max(map(len, _heading(column)))
        for texts in self.texts:
            longest = max(longest, len(texts[place]) + self.starred[place])
        if column.repeats and column.align == "<":
            return min(longest, max(LEAST_LABEL, self.width // 2))
        return longest

    def lines(self) -> Iterator[Line]:
        if self.table.title:
            yield from ([Piece(line, "head")] for line in wrap(self.table.title, self.width))
        for number, places in enumerate(self._pieces()):
            if number:
                yield []
            yield from self._heading_lines(places)
            rule = [Piece(RULE * self._width(places), "note")]
            yield rule
            for place in range(len(self.texts)):
                if self.table.footer and place == len(self.texts) - self.table.footer:
                    yield rule
                yield self._line(self.table.rows[place], self.texts[place], places)
        if any(self.starred):
            yield [Piece("* the best", "note")]
        for note in self.table.notes:
            lines = wrap(note, self.width, subsequent_indent="  ", break_long_words=False)
            yield from ([Piece(line, "note")] for line in lines)

    def _pieces(self) -> Iterator[list[int]]:
        """Yield the columns of each piece of the table."""
        places = list(range(len(self.columns)))
        while self._width(places) > self.width and any(self.columns[i].can_go for i in places):
            places.remove(max(i for i in places if self.columns[i].can_go))
        repeated = [i for i in places if self.columns[i].repeats]
        piece = list(repeated)
        for i in places:
            if self.columns[i].repeats:
                continue
            if len(piece) > len(repeated) and self._width([*piece, i]) > self.width:
                yield piece
                piece = list(repeated)
            piece.append(i)
        yield piece

    def _width(self, places: Sequence[int]) -> int:
        return sum(self.widths[i] for i in places) + len(COLUMN_GAP) * (len(places) - 1)

    def _heading_lines(self, places: Sequence[int]) -> Iterator[Line]:
        """Yield the headings, aligned at the bottom."""
        headings = [_heading(self.columns[i]) for i in places]
        height = max(map(len, headings))
        for level in range(height):
            texts = []
            for i, lines in zip(places, headings, strict=True):
                place = level - height + len(lines)
                texts.append(self._aligned(i, lines[place] if place >= 0 else ""))
            yield [Piece(COLUMN_GAP.join(texts), "head")]

    def _line(self, row: Row, texts: Sequence[str], places: Sequence[int]) -> Line:
        line: Line = []
        for number, i in enumerate(places):
            best = is_best(row.get(self.columns[i].key))
            text = texts[i]
            if self.starred[i]:
                text += "*" if best else " "
            aligned = (COLUMN_GAP if number else "") + self._aligned(i, text)
            line.append(Piece(aligned, "best" if best else ""))
        return line

    def _aligned(self, place: int, text: str) -> str:
        width = self.widths[place]
        return format(shortened(text, width), f"{self.columns[place].align}{width}")


def _heading(column: Column) -> list[str]:
    return (column.heading or "").split("\n")
