"""Reports as Markdown, for issues and wikis."""

import re
from collections.abc import Iterable, Iterator

from isolarium.reporting.cells import printed
from isolarium.reporting.model import (
    Block,
    Command,
    Document,
    Facts,
    Figure,
    FileList,
    Gallery,
    Illustrations,
    Listing,
    Paragraph,
    Section,
    Table,
)
from isolarium.text import printable

ALIGNED = {"<": ":--", ">": "--:", "^": ":-:"}
_SPECIAL = re.compile(r"([\\`*{}\[\]<>#|~&]|(?<!\w)_|_(?!\w)|!(?=\[))")


def write_markdown(document: Document) -> str:
    """Return a report as Markdown."""
    return "\n".join(_lines(document)).rstrip() + "\n"


def write_sections(title: str, sections: Iterable[Section]) -> str:
    """Return sections below a title, for inclusion in a longer text."""
    lines = [line for section in sections for line in _section(section, "###")]
    return "\n".join([f"## {escaped(title)}", "", *lines]).rstrip()


def write_blocks(blocks: Iterable[Block]) -> str:
    """Return blocks as Markdown."""
    return "\n".join(line for block in blocks for line in _block(block)).rstrip()


def escaped(text: str) -> str:
    """Escape Markdown and HTML in a text, and join its lines."""
    return _SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))


def _lines(document: Document) -> Iterator[str]:
    top = document.headline
    yield f"# {escaped(top.answer)}"
    yield ""
    yield f"**{escaped(top.figure)}** {escaped(top.figure_is)}"
    yield ""
    yield from _facts(document.facts)
    yield f"- {escaped(top.setting)}"
    for warning in top.warnings:
        yield ""
        yield f"> {escaped(warning)}"
    yield ""
    if document.first is not None:
        yield from _block(document.first)
    for section in document.sections:
        yield from _section(section)


def _section(section: Section, mark: str = "##") -> Iterator[str]:
    yield f"{mark} {escaped(section.title)}"
    yield ""
    for block in section.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(text):
            yield escaped(text)
        case Listing(lines):
            yield from (f"- {escaped(line)}" for line in lines)
        case Command(text):
            yield f"    {printable(text)}"
        case Table():
            if not block.rows or not block.shown:
                return
            yield from _table(block)
        case Figure(chart):
            yield f"![{escaped(chart.title)}](charts/{chart.name}.png)"
        case Gallery(examples):
            for example in examples:
                yield f"- {escaped(example.title)}. {escaped(example.result)}"
                yield f"  `{example.text}`"
        case Illustrations(items):
            yield from (f"- {escaped(item.caption)}: `{item.command}`" for item in items)
        case Facts():
            yield from _facts(block)
        case FileList(items):
            yield from (f"- [{escaped(what)}]({name})" for name, what in items)
    yield ""


def _facts(facts: Facts) -> Iterator[str]:
    for fact in facts.items:
        parts = " · ".join(escaped(part) for part in fact.parts if part)
        if parts:
            yield f"- {escaped(fact.label)}: {parts}"


def _table(table: Table) -> Iterator[str]:
    columns = table.shown
    if table.title:
        yield f"**{escaped(table.title)}**"
        yield ""
    yield _row(column.heading or "" for column in columns)
    yield f"|{'|'.join(ALIGNED[column.align] for column in columns)}|"
    for row in table.rows:
        yield _row(printed(row.get(column.key), column.form) for column in columns)
    if table.notes:
        yield ""
        yield from (f"- {escaped(note)}" for note in table.notes)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"
