"""A table, as text for a terminal, as Markdown, and as HTML."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final

GAP: Final = "  "


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        name: its heading; it may have two lines.
        align: `<`, `>` or `^`.
        is_key: whether it is repeated where a table is broken into several.
        can_go: whether it may be left out where there is no room.
    """

    name: str
    align: str = ">"
    is_key: bool = False
    can_go: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: a word for programs.
        title: what it shows.
        columns: from left to right.
        rows: of texts, one a column.
        footer: how many of the last rows sum the others up.
        notes: lines below it.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    footer: int = 0
    notes: tuple[str, ...] = field(default=())

    def text(self, width: int) -> str:
        """The table in lines no wider than `width` where that can be done, in several pieces if it must."""
        places = list(range(len(self.columns)))
        while self._width(places) > width and any(self.columns[i].can_go for i in places):
            places.remove(max(i for i in places if self.columns[i].can_go))
        pieces = [self._piece(piece) for piece in self._pieces(places, width)]
        return "\n".join([self.title, *"\n\n".join(pieces).split("\n"), *self.notes])

    def _pieces(self, places: list[int], width: int) -> list[list[int]]:
        """The columns of each piece; every piece begins with the key columns."""
        keys = [i for i in places if self.columns[i].is_key]
        pieces, piece = [], list(keys)
        for i in places:
            if self.columns[i].is_key:
                continue
            if len(piece) > len(keys) and self._width([*piece, i]) > width:
                pieces.append(piece)
                piece = list(keys)
            piece.append(i)
        return [*pieces, piece]

    def _width(self, places: Sequence[int]) -> int:
        return sum(self._column_width(i) for i in places) + len(GAP) * (len(places) - 1)

    def _column_width(self, place: int) -> int:
        heading = max(map(len, self.columns[place].name.split("\n")))
        return max([heading, *(len(row[place]) for row in self.rows)])

    def _piece(self, places: Sequence[int]) -> str:
        heads = [self.columns[i].name.split("\n") for i in places]
        height = max(map(len, heads))
        lines = [
            self._line(places, [head[i] if i < len(head) else "" for head in heads])
            for i in range(height)
        ]
        rows = [self._line(places, [row[i] for i in places]) for row in self.rows]
        lines.append("-" * self._width(places))
        if self.footer:
            rows.insert(len(rows) - self.footer, "-" * self._width(places))
        return "\n".join(lines + rows)

    def _line(self, places: Sequence[int], texts: Sequence[str]) -> str:
        return GAP.join(
            f"{text:{self.columns[i].align}{self._column_width(i)}}"
            for i, text in zip(places, texts, strict=True)
        ).rstrip()

    def facts(self) -> dict[str, Any]:
        """The table as JSON can hold it; `table_of` reads it back."""
        return {
            "name": self.name,
            "title": self.title,
            "columns": [column.name for column in self.columns],
            "align": "".join(column.align for column in self.columns),
            "rows": [list(row) for row in self.rows],
            "footer": self.footer,
            "notes": list(self.notes),
        }

    def markdown(self) -> str:
        """The table as GitHub reads it, with its title above and its notes below."""
        marks = {"<": ":--", ">": "--:", "^": ":-:"}
        heads = [_cell(column.name.replace("\n", " ")) for column in self.columns]
        lines = [
            f"**{self.title}**",
            "",
            f"| {' | '.join(heads)} |",
            f"|{'|'.join(marks[column.align] for column in self.columns)}|",
            *(f"| {' | '.join(map(_cell, row))} |" for row in self.rows),
        ]
        if self.notes:
            lines += ["", *(f"- {note}" for note in self.notes)]
        return "\n".join(lines)

    def html(self) -> str:
        """The table as HTML; the page's style makes it good to look at."""
        sides = {"<": "left", ">": "right", "^": "center"}
        aligns = [f' style="text-align:{sides[column.align]}"' for column in self.columns]
        heads = "".join(
            f'<th scope="col"{align}>{escape(column.name).replace(chr(10), "<br>")}</th>'
            for column, align in zip(self.columns, aligns, strict=True)
        )
        rows = [
            "".join(
                f"<td{align}>{escape(text)}</td>" for text, align in zip(row, aligns, strict=True)
            )
            for row in self.rows
        ]
        body = "".join(f"<tr>{row}</tr>\n" for row in rows[: len(rows) - self.footer])
        foot = "".join(f"<tr>{row}</tr>\n" for row in rows[len(rows) - self.footer :])
        notes = "".join(f"<p class='note'>{escape(note)}</p>\n" for note in self.notes)
        return (
            f'<div class="table"><table>\n<caption>{escape(self.title)}</caption>\n'
            f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody>\n"
            f"{f'<tfoot>{foot}</tfoot>' if foot else ''}</table></div>\n{notes}"
        )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def table_of(facts: dict[str, Any]) -> Table:
    """Read what `Table.facts` wrote."""
    columns = zip(facts["columns"], facts["align"], strict=True)
    return Table(
        facts["name"],
        facts["title"],
        tuple(Column(name, align) for name, align in columns),
        tuple(tuple(row) for row in facts["rows"]),
        facts["footer"],
        tuple(facts["notes"]),
    )
