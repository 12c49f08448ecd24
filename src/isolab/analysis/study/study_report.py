"""The page of a study: what was claimed, what we found, and the report of every part."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from isolab.analysis.charts.chart import png
from isolab.analysis.document import (
    Block,
    Document,
    Figure,
    FileList,
    Headline,
    Listing,
    Paragraph,
    Section,
    Terms,
)
from isolab.analysis.document import Table as PageTable
from isolab.analysis.markdown import write_markdown
from isolab.analysis.page import write_page
from isolab.analysis.report import write_report
from isolab.analysis.report_files import MARKDOWN, PAGE, is_written
from isolab.analysis.study.charts import claims_chart, rates_chart
from isolab.analysis.study.study_result import PartFindings, StudyFindings
from isolab.analysis.study.table import Table
from isolab.arena.record import Record
from isolab.errors import InputError
from isolab.stats import win_rate
from isolab.text import counted

FILES: Final = ((PAGE, "this page"), (MARKDOWN, "the same tables as Markdown"))


def write_study_report(found: StudyFindings, folder: Path) -> Path:
    """Write the report of every part and the page above them; the page's path.

    Raises:
        InputError: the folder cannot be written.
    """
    for part in found.parts:
        place = folder / part.result.part.name
        if not (part.result.results.finished and is_written(place)):
            with closing(Record(place)) as record:
                write_report(record, place)
    document = study_document(found)
    try:
        for name, content in _contents(document):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    except OSError as error:
        told = f"{error.filename or folder}: {error.strerror}"
        raise InputError(f"{told}; expected a folder that can be written") from None
    return folder / PAGE


def _contents(document: Document) -> Iterator[tuple[str, bytes]]:
    yield PAGE, write_page(document).encode()
    yield MARKDOWN, write_markdown(document).encode()
    for figure in document.figures:
        yield f"charts/{figure.chart.name}.svg", figure.svg.encode()
        yield f"charts/{figure.chart.name}.png", png(figure.svg)


def study_document(found: StudyFindings) -> Document:
    """The page before it is written."""
    sections = [_part_section(part) for part in found.parts]
    sections.append(Section("setting", "How this was played", [_terms(found)]))
    sections.append(Section("files", "Take it along", [_file_list(found)]))
    return Document(found.study.name, _headline(found), _first_figure(found), sections)


def _first_figure(found: StudyFindings) -> Figure | None:
    chart = claims_chart(found)
    if chart is None and found.parts:
        chart = rates_chart(found.parts[0].result)
    return None if chart is None else Figure(chart, chart.svg())


def _headline(found: StudyFindings) -> Headline:
    judged, outside = found.claims
    warnings = [] if found.finished else ["This study is not finished: isolab resume goes on."]
    setting = f"{counted(found.games, 'game')} in {counted(len(found.parts), 'part')}"
    about = " ".join(found.study.about.split())
    if judged:
        figure = f"{judged - outside} of {judged}"
        told = "published figures are inside the noise of theirs and ours"
        chance = f"chance alone puts about {0.05 * judged:.0f} of {judged} outside"
        return Headline(found.study.title, figure, told, [chance], f"{setting}. {about}", warnings)
    figure, told = _best(found)
    return Headline(found.study.title, figure, told, [], f"{setting}. {about}", warnings)


def _best(found: StudyFindings) -> tuple[str, str]:
    """The best agent of the first part, where nothing was published."""
    if not found.parts:
        return "0 games", "nothing was played yet"
    result = found.parts[0].result
    best = max(result.part.agents, key=lambda agent: result.row(agent).rate)
    return str(win_rate(result.row(best))), f"of its games were won by {best}, the most of all"


def _part_section(part: PartFindings) -> Section:
    asked = part.result.part
    blocks: list[Block] = []
    if asked.about:
        blocks.append(Paragraph(" ".join(asked.about.split())))
    blocks.append(Paragraph(part.settings))
    for table in part.tables:
        blocks.append(_page_table(table, asked.name))
        if table.notes:
            blocks.append(Listing(table.notes))
    link = (f"{asked.name}/{PAGE}", "charts, heat maps and example games of this part")
    return Section(asked.name, asked.title, [*blocks, FileList([link])])


def _page_table(table: Table, part: str) -> PageTable:
    aligns = [column.align for column in table.columns]
    texts = next((place for place, align in enumerate(aligns) if align == ">"), len(aligns))
    header = [" ".join(column.name.split()) for column in table.columns]
    return PageTable(f"{part}-{table.name}", table.title, header, table.rows, texts)


def _terms(found: StudyFindings) -> Terms:
    items = [("study", found.study.name), ("limit", found.limit or found.study.limit)]
    if found.scale != 1:
        items.append(("pairs for each that the study asks for", f"{found.scale:g}"))
    for part in found.parts:
        names, specs = part.result.part.players, part.result.plan.players
        items += [(name, spec) for name, spec in zip(names, specs, strict=True)]
    return Terms(list(dict.fromkeys(items)))


def _file_list(found: StudyFindings) -> FileList:
    items = list(FILES)
    items += [
        (f"{part.result.part.name}/{PAGE}", f"the report of {part.result.part.title}")
        for part in found.parts
    ]
    return FileList(items)
