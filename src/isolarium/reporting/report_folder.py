"""The folder of a report: the page, Markdown, charts and tables of a document.

Reports do not contain the time at which they were written, so the same document always gives the
same bytes.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from isolarium.arena.run_store import REPORT_PAGE
from isolarium.errors import InputError
from isolarium.reporting.chart import png
from isolarium.reporting.html import write_page
from isolarium.reporting.markdown import write_markdown
from isolarium.reporting.model import Document, Facts, FileList, Headline, Section, csv_text

MARKDOWN: Final = "report.md"
GAMES: Final = "examples.txt"


@dataclass(frozen=True, slots=True)
class Report:
    """A report on disk.

    Attributes:
        folder: The folder of the report.
        headline: The result.
        facts: The facts below the headline.
        files: The names of all files, relative to the folder.
    """

    folder: Path
    headline: Headline
    facts: Facts
    files: tuple[str, ...]

    @property
    def page(self) -> Path:
        """The path of the HTML page."""
        return self.folder / REPORT_PAGE

    def for_programs(self) -> dict[str, object]:
        """Return the result and the paths of all files as JSON."""
        return {
            "report": str(self.page),
            "answer": self.headline.answer,
            "figure": self.headline.figure,
            "figure_is": self.headline.figure_is,
            "facts": {fact.label: [part for part in fact.parts if part] for fact in self.facts.items if fact.label},
            "warnings": list(self.headline.warnings),
            "files": [str(self.folder / name) for name in self.files],
        }


def write_document(document: Document, folder: Path) -> tuple[str, ...]:
    """Write a document's page, Markdown, charts and tables.

    Return the names of the files.

    Raises:
        InputError: If the folder cannot be written.
    """
    with _written_into(folder):
        contents = dict(_contents(document))
        for name, content in contents.items():
            _write_inside(folder, name, content)
    return tuple(contents)


def make_folder(folder: Path) -> None:
    """Create the folder of a report; call this before any long computation.

    Raises:
        InputError: If the folder cannot be created.
    """
    with _written_into(folder):
        folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def _written_into(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{error.filename or folder}: {error.strerror}; choose a writable folder") from None


def _write_inside(folder: Path, name: str, content: bytes) -> None:
    """Write a file into a folder without following links out of it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.parent.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{path.parent}: a link out of the report's folder; remove it or choose another folder")
    if path.is_symlink():
        path.unlink()
    path.write_bytes(content)


def with_file_list(document: Document, more: Iterable[tuple[str, str]]) -> Document:
    """Append a section that lists the document's files and those in `more`."""
    files = Section("files", "Files", [FileList([*_file_list(document), *more])], is_folded=True)
    return replace(document, sections=[*document.sections, files])


def _contents(document: Document) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file."""
    yield REPORT_PAGE, write_page(document).encode()
    yield MARKDOWN, write_markdown(document).encode()
    for figure in document.figures:
        yield f"charts/{figure.chart.name}.svg", figure.svg.encode()
        yield f"charts/{figure.chart.name}.png", png(figure.svg)
    for table in document.files:
        yield f"tables/{table.name}.csv", csv_text(table).encode()
    if document.examples:
        yield GAMES, "".join(f"{game.text}\n" for game in document.examples).encode()


def _file_list(document: Document) -> Iterator[tuple[str, str]]:
    yield REPORT_PAGE, "this page"
    yield MARKDOWN, "this report as Markdown"
    for table in document.files:
        yield f"tables/{table.name}.csv", table.title
    for figure in document.figures:
        for ending in ("svg", "png"):
            name = f"charts/{figure.chart.name}.{ending}"
            yield name, f"{figure.chart.title} ({ending.upper()})"
    if document.examples:
        yield GAMES, "the example games in notation"
