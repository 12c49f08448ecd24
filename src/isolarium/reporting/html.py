"""Reports as HTML: self-contained pages without scripts, and fragments for notebooks."""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from isolarium.game.svg import PLAYER_COLOURS, colour, style
from isolarium.reporting.cells import Value, is_best, printed
from isolarium.reporting.model import (
    Block,
    Column,
    Command,
    Document,
    Example,
    Fact,
    Facts,
    Figure,
    FileList,
    Gallery,
    Illustration,
    Illustrations,
    Listing,
    Paragraph,
    Section,
    Table,
)
from isolarium.safe_files import own_text
from isolarium.text import printable

# Charts and pages share these colours. A dark page's style sheet replaces INK, MUTED and GRID. No
# chart relies on hue alone: it must also work in black and white.
INK: Final = colour("ink")
MUTED: Final = colour("muted")
GRID: Final = colour("line")
PAPER: Final = colour("drawn-paper")
BLUE, ORANGE = PLAYER_COLOURS
NEUTRAL: Final = colour("neutral")
ON_LIGHT: Final = colour("on-light")  # Text on coloured cells, whose colours are the same on dark pages
ON_DARK: Final = colour("on-dark")

# Pages contain text from third-party agents. This policy blocks scripts even in text that is not
# escaped.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STANDINGS: Final = "standings"
"""The section whose numbers the first chart of a run shows."""
SHORT_WORDS: Final = 32
_MINUS: Final = re.compile(r"(?<![^\s(])-(?=\d)")
_CELL: Final = re.compile(r"<t[dh](?: [^>]*)?>")


def escape(text: str) -> str:
    """Escape a text for HTML and replace unprintable characters."""
    return html.escape(printable(text))


def write_fragment(title: str, blocks: Iterable[Block]) -> str:
    """Return blocks as HTML for a notebook, without links to files."""
    unlinked = (replace(block, is_file=False) if isinstance(block, Table) else block for block in blocks)
    parts = [_CELL.sub(_aligned, line) for block in unlinked for line in _block(block)]
    return "".join([f"<p><b>{escape(title)}</b></p>" if title else "", *parts])


def _aligned(cell: re.Match[str]) -> str:
    """Add inline alignment to a cell's opening tag.

    Notebooks right-align all cells by default.
    """
    side = "right" if 'class="number"' in cell[0] else "left"
    return f'{cell[0][:-1]} style="text-align: {side}">'


def write_page(document: Document) -> str:
    """Return a report as an HTML page."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: Document) -> Iterator[str]:
    top = document.headline
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>{escape(top.answer)} · Isolarium</title>"
    yield f"<style>\n{_style()}</style>"
    yield "</head>"
    yield "<body>"
    yield "<header>"
    yield f'<p class="run">Isolarium report · {escape(document.name)}</p>'
    yield f"<h1>{escape(top.answer)}</h1>"
    yield f'<p class="figure"><strong>{escape(top.figure)}</strong> {escape(top.figure_is)}</p>'
    for warning in top.warnings:
        yield f'<p class="warning" role="note">{escape(warning)}</p>'
    answer = top.answer.casefold()
    yield from _facts(Facts([fact for fact in document.facts.items if " ".join(fact.parts).casefold() != answer]))
    yield "</header>"
    yield "<main>"
    if document.first is not None:
        yield from _figure(document.first)
    yield f'<p class="setting">{escape(top.setting)}</p>'
    yield '<nav aria-label="Contents"><ul>'
    for section in document.sections:
        yield f'<li><a href="#{section.anchor}">{escape(section.title)}</a></li>'
    yield "</ul></nav>"
    for section in document.sections:
        is_charted = section.anchor == STANDINGS and document.first is not None
        yield from _section(section, is_charted=is_charted)
    yield "</main>"
    yield "</body>"
    yield "</html>"


def _style() -> str:
    """Return the style sheet, with rules for charts on light and dark pages."""
    sheet = style() + own_text("reporting/page.css")
    chart_rules = "\n".join(
        f'.chart [{what}="{value}"] {{ {what}: var(--{name}); }}'
        for value, name in ((INK, "ink"), (MUTED, "muted"), (GRID, "line"))
        for what in ("fill", "stroke")
    )
    return f"{sheet}\n{chart_rules}\n"


def _section(section: Section, *, is_charted: bool) -> Iterator[str]:
    """Yield a section: charts first, then the tables with the same numbers, folded with their explanations.

    Args:
        section: The section.
        is_charted: Whether a chart above the section shows its numbers.
    """
    figures = [block for block in section.blocks if isinstance(block, Figure)]
    others = [block for block in section.blocks if not isinstance(block, Figure)]
    folds = is_charted or bool(figures)
    heading = f'<h2 id="{section.anchor}-title">{escape(section.title)}</h2>'
    yield f'<section id="{section.anchor}" aria-labelledby="{section.anchor}-title">'
    yield f"<details><summary>{heading}</summary>" if section.is_folded else heading
    first = next((block for block in others if isinstance(block, Table) and block.shown), None)
    texts = [block for block in others if isinstance(block, Paragraph)] if folds and first is not None else []
    for block in (*figures, *others):
        if folds and isinstance(block, Table):
            yield from _folded(block, texts if block is first else [])
        elif block not in texts:
            yield from _block(block)
    if section.is_folded:
        yield "</details>"
    yield "</section>"


def _folded(table: Table, texts: Iterable[Paragraph]) -> Iterator[str]:
    """Yield a table that opens on a click, with texts below it."""
    lines = list(_table(table))
    if lines:
        yield f"<details><summary>{escape(table.title or 'Table')}</summary>"
        yield from lines
        for text in texts:
            yield from _block(text)
        yield "</details>"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(text):
            yield f"<p>{escape(text)}</p>"
        case Listing(lines):
            yield "<ul>"
            yield from (f"<li>{escape(line)}</li>" for line in lines)
            yield "</ul>"
        case Command(text):
            yield f'<p class="command"><code>{escape(text)}</code></p>'
        case Table():
            yield from _table(block)
        case Figure():
            yield from _figure(block)
        case Gallery(examples):
            for at, example in enumerate(examples):
                yield from _example(example, is_open=at == 0)
        case Illustrations(items):
            yield '<div class="boards">'
            for item in items:
                yield from _illustration(item)
            yield "</div>"
        case Facts():
            yield from _facts(block)
        case FileList(items):
            yield '<ul class="files">'
            for name, what in items:
                yield f'<li><a href="{escape(name)}">{escape(name)}</a> {escape(what)}</li>'
            yield "</ul>"


def _facts(facts: Facts) -> Iterator[str]:
    items = [fact for fact in facts.items if any(fact.parts)]
    if not items:
        return
    yield '<table class="facts"><tbody>'
    for fact in items:
        label = f'<th scope="row">{escape(fact.label)}</th>' if fact.label else "<td></td>"
        yield f"<tr>{label}<td>{_parts(fact)}</td></tr>"
    yield "</tbody></table>"


def _parts(fact: Fact) -> str:
    parts = (_MINUS.sub("\N{MINUS SIGN}", part) for part in fact.parts if part)
    return " &emsp; ".join(map(escape, parts))


def _table(table: Table) -> Iterator[str]:
    columns = table.shown
    if not table.rows or not columns:
        return
    # A wide table scrolls in its own region, which the keyboard can reach.
    yield f'<div class="table" role="group" aria-label="{escape(table.title)}" tabindex="0">'
    yield f"<table><caption>{escape(table.title)}"
    if table.is_file:
        yield f' <a class="file" href="tables/{table.name}.csv">CSV</a>'
    yield "</caption>"
    heads = map(_head, columns)
    yield f"<thead><tr>{''.join(heads)}</tr></thead>"
    rows = [f"<tr>{''.join(_cell(row.get(column.key), column) for column in columns)}</tr>" for row in table.rows]
    yield "<tbody>"
    yield from rows[: len(rows) - table.footer]
    yield "</tbody>"
    if table.footer:
        yield f"<tfoot>{''.join(rows[len(rows) - table.footer :])}</tfoot>"
    yield "</table></div>"
    yield from (f'<p class="note">{escape(note)}</p>' for note in table.notes)


def _head(column: Column) -> str:
    text = escape(" ".join((column.heading or "").split()))
    return f'<th scope="col"{_kind(column)}>{text}</th>' if text else f"<td{_kind(column)}></td>"


def _cell(value: Value, column: Column) -> str:
    text = printed(value, column.form)
    shown = f"<b>{escape(text)}</b>" if is_best(value) else escape(text)
    return f"<td{_kind(column, text)}>{shown}</td>"


def _kind(column: Column, text: str = "") -> str:
    """Return a cell's class: numbers align right, and long texts may wrap."""
    if column.align == ">":
        return ' class="number"'
    return ' class="words"' if len(text) > SHORT_WORDS else ""


def _figure(figure: Figure) -> Iterator[str]:
    chart = figure.chart
    yield '<figure class="chart">'
    kind = "drawing wide" if figure.narrow else "drawing"
    yield f'<div class="{kind}" tabindex="0" role="group" aria-label="{escape(chart.title)}">'
    yield f"{_with_alt(figure.svg, chart.alt)}</div>"
    if figure.narrow:
        yield f'<div class="narrow">{_with_alt(figure.narrow, chart.alt)}</div>'
    yield (
        f'<figcaption><a class="file" href="charts/{chart.name}.svg">SVG</a> '
        f'<a class="file" href="charts/{chart.name}.png">PNG</a></figcaption>'
    )
    yield "</figure>"


def _with_alt(svg: str, alt: str) -> str:
    """Add a text alternative to a drawing."""
    return re.sub("^<svg ", f'<svg role="img" aria-label="{escape(alt)}" ', svg, count=1)


def _illustration(item: Illustration) -> Iterator[str]:
    yield "<figure>"
    yield item.svg
    yield (f"<figcaption>{escape(item.caption)}<br><code>{escape(item.command)}</code></figcaption>")
    yield "</figure>"


def _example(example: Example, *, is_open: bool) -> Iterator[str]:
    yield '<article class="example">'
    yield f"<details{' open' * is_open}><summary><h3>{escape(example.title)}</h3></summary>"
    yield f"<p>{escape(example.result)}</p>"
    yield '<div class="boards">'
    for moment in example.moments:
        yield "<figure>"
        yield moment.svg
        yield (f"<figcaption><strong>{escape(moment.title)}</strong> {escape(moment.caption)}</figcaption>")
        yield "</figure>"
    yield "</div>"
    yield f"<p><code>{escape(example.text)}</code></p>"
    yield "</details></article>"
