"""What the files of a report are called, and whether they are there. Nothing that draws is imported for it."""

from pathlib import Path
from typing import Final

from isolab.arena.record import FILE_NAME

PAGE: Final = "report.html"
MARKDOWN: Final = "report.md"
GAMES: Final = "examples.txt"


def is_written(folder: Path) -> bool:
    """Whether a run's folder has its report, no older than the record; the same record gives the same report."""
    page, record = folder / PAGE, folder / FILE_NAME
    return page.is_file() and page.stat().st_mtime_ns >= record.stat().st_mtime_ns
