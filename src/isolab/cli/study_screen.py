"""A study's findings on the screen, and as Markdown."""

import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from isolab.analysis.study.study_result import StudyFindings

PLAIN_WIDTH: Final = 160
"""In a pipe or a log lines may be this long."""


def screen_lines(found: "StudyFindings") -> Iterator[str]:
    """Every table of a study."""
    width = get_terminal_size().columns if sys.stdout.isatty() else PLAIN_WIDTH
    yield f"{found.study.title}"
    for part in found.parts:
        yield ""
        yield f"{part.result.part.title}"
        yield part.settings
        if part.result.part.about:
            yield fill(" ".join(part.result.part.about.split()), min(width, 100))
        for table in part.tables:
            yield ""
            yield table.text(width)


def ending_lines(found: "StudyFindings", folder: Path, report: Path) -> Iterator[str]:
    """How many claims hold, and where the rest is."""
    judged, outside = found.claims
    if judged:
        yield (
            f"claims       {judged} figures judged, {outside} outside the noise "
            f"(chance alone: about {0.05 * judged:.0f})"
        )
    yield f"games        {found.games:,}"
    if not found.finished:
        yield f"stopped      isolab resume {folder} goes on"
    yield f"run          {folder}"
    yield f"report       {report}"


def markdown_lines(found: "StudyFindings") -> Iterator[str]:
    """The same as Markdown."""
    yield f"## {found.study.title}"
    for part in found.parts:
        yield f"\n### {part.result.part.title}\n\n{part.settings}"
        for table in part.tables:
            yield f"\n{table.markdown()}"
