"""A report as Markdown: the answer and its tables, for an issue or a wiki."""

import re
from collections.abc import Iterator, Sequence

from isolab.analysis.document import (
    Block,
    Document,
    Figure,
    FileList,
    Gallery,
    Listing,
    Paragraph,
    Section,
    Table,
    Terms,
)
from isolab.text import printable

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


def write_markdown(document: Document) -> str:
    """The report as one text."""
    return "\n".join(_lines(document)).rstrip() + "\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line; HTML in it too."""
    return _SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))


def _lines(document: Document) -> Iterator[str]:
    top = document.headline
    yield f"# {escaped(top.answer)}"
    yield ""
    yield f"**{escaped(top.figure)}** {escaped(top.figure_is)}"
    yield ""
    for line in (*top.details, top.setting):
        yield f"- {escaped(line)}"
    for warning in top.warnings:
        yield ""
        yield f"> {escaped(warning)}"
    yield ""
    if document.first is not None:
        yield from _block(document.first)
    for section in document.sections:
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield f"## {escaped(section.title)}"
    yield ""
    for block in section.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(text):
            yield escaped(text)
        case Listing(lines):
            yield from (f"- {escaped(line)}" for line in lines)
        case Table():
            if not block.rows:
                return
            yield from _table(block)
        case Figure(chart):
            yield f"![{escaped(chart.title)}](charts/{chart.name}.png)"
        case Gallery(examples):
            for example in examples:
                yield f"- {escaped(example.title)}. {escaped(example.result)}"
                yield f"  `{example.text}`"
        case Terms(items):
            yield from (f"- {escaped(name)}: {escaped(value)}" for name, value in items)
        case FileList(items):
            yield from (f"- [{escaped(what)}]({name})" for name, what in items)
    yield ""


def _table(table: Table) -> Iterator[str]:
    columns = range(len(table.header))
    yield _row(table.header)
    yield f"|{'|'.join('---' if place < table.texts else '---:' for place in columns)}|"
    yield from map(_row, table.rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"
