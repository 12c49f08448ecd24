"""Reports of runs, written by `isolarium report` into a temporary folder."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from math import inf
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic
from typing import Final

from isolarium.arena.run_store import REPORT_PAGE, has_report
from isolarium.errors import InputError
from isolarium.processes.code_loader import NOTHING
from isolarium.processes.worker import finalize
from isolarium.removal import remove_tree
from isolarium.safe_files import TooLargeError, read_small
from isolarium.web.connection_limits import SERVER, Client
from isolarium.web.http_errors import BUSY, HttpError, command_error_text
from isolarium.web.jobs.launcher import start_command

NEEDS: Final = ("isolarium.cli.commands.runs", "isolarium.reporting.run_report")
TYPES: Final = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-downloads"
)
"""The policy for reports, which do not contain scripts.

A third-party file in place of a report cannot run scripts either, because its origin is opaque."""
MOST_WAITING: Final = 40
MOST_EACH: Final = 8
"""The maximum number of requests waiting for a report, in total and per address."""
SOON_S: Final = 0.5
"""The time, in seconds, after which a browser shows that a report is being written."""
FRESH_S: Final = 30.0
"""The time, in seconds, for which the report of a run in progress is reused."""
BODY: Final = re.compile(rb"<body[^>]*>")
PLACES: Final = ("", "charts", "tables")
"""The folders of a report's files."""
NAME: Final = re.compile(rf"[^/\0]{{1,200}}({'|'.join(map(re.escape, TYPES))})")
MOST_BYTES: Final = 16 << 20
"""The size limit of a report's files, which are sent from memory."""


class Reports:
    """Writes reports, one at a time.

    A report is reused until its run has new games and `FRESH_S` seconds have passed.

    Args:
        clock: A function that returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._folder = Path(mkdtemp(prefix="isolarium-reports-"))
        finalize(self, remove_tree, self._folder)
        self._written: dict[Path, tuple[str, float]] = {}
        self._one = asyncio.Lock()
        self._pages = dict[Path, asyncio.Task[tuple[bytes, str]]]()
        self._waiting = Counter[str]()

    def close(self) -> None:
        """Remove the reports."""
        for task in self._pages.values():
            task.cancel()
        remove_tree(self._folder)

    async def page(
        self, run: Path, mark: str, client: Client = SERVER, *, is_finished: bool = False
    ) -> tuple[bytes, str] | None:
        """Return a report's page; None if writing it takes more than `SOON_S` seconds.

        The page is then written in the background, and later requests return it or raise the error.

        Raises:
            HttpError: If the report cannot be written, or too many requests are waiting.
        """
        if run not in self._pages:
            wanted = self.file(run, mark, REPORT_PAGE, client, is_finished=is_finished)
            self._pages[run] = asyncio.create_task(wanted)
        task = self._pages[run]
        await asyncio.wait([task], timeout=SOON_S)
        if not task.done():
            return None
        self._pages.pop(run, None)
        return task.result()

    async def file(
        self, run: Path, mark: str, path: str, client: Client = SERVER, *, is_finished: bool = False
    ) -> tuple[bytes, str]:
        """Return a file of a run's report and its media type.

        An outdated report is written again.

        The report in a finished run's folder is used unless it is older than the database.

        Raises:
            HttpError: If there is no such file, if it is too large, or if too many requests are
                waiting.
        """
        if is_finished and has_report(run):
            return await asyncio.to_thread(read_report_file, run, path)
        who = client.address
        if self._waiting[who] >= MOST_EACH or self._waiting.total() >= MOST_WAITING:
            raise HttpError(BUSY, "The server is busy: too many requests wait for reports.")
        self._waiting[who] += 1
        try:
            async with self._one:
                folder = await self._report(run, mark, is_finished)
        finally:
            self._waiting -= Counter([who])  # Which drops counts of zero
        return await asyncio.to_thread(read_report_file, folder, path)

    async def _report(self, run: Path, mark: str, is_finished: bool) -> Path:
        folder = self._folder / "~".join(run.parts[-2:])
        written, when = self._written.get(run, ("", -inf))
        is_fresh = not is_finished and self._clock() - when < FRESH_S
        if written != mark and not is_fresh:
            await _write(run.resolve(), folder)
            self._written[run] = mark, self._clock()
        return folder


async def _write(run: Path, folder: Path) -> None:
    """Write the report of a run into a folder.

    Accuracy is left out because it would take too long to compute.

    Raises:
        HttpError: If the report cannot be written.
    """
    arguments = ("report", str(run), "--out", str(folder), "--no-accuracy", "--json")
    # Writing a report does not run any agent's code.
    process = await start_command(arguments, NOTHING.environment(), NEEDS)
    stderr, status = b"", None
    try:
        while piece := await process.read():
            stderr += piece
        status = await process.wait()
    finally:
        if status is None:  # The client has disconnected.
            process.kill()
    if status != 0:
        why = command_error_text(stderr, run.parent)
        raise HttpError(409, f"The report could not be written: {why}")


def with_back_link(page: bytes, address: str) -> bytes:
    """Return a report's page with a link back to the run or the list of runs."""
    words = "Back to the run" if "?" in address else "All runs"
    link = f'<p style="margin:0 0 .75rem"><a href="{address}">&lsaquo; {words}</a></p>'
    return BODY.sub(lambda found: found[0] + link.encode(), page, count=1)


def read_report_file(folder: Path, path: str) -> tuple[bytes, str]:
    """Return a file of the report in a folder, and its media type.

    Raises:
        HttpError: If there is no such file, or it is too large.
    """
    place, _, name = path.rpartition("/")
    found = folder / place / name
    try:
        if not NAME.fullmatch(name) or place not in PLACES or (folder / place).is_symlink():
            raise FileNotFoundError
        return read_small(found, MOST_BYTES), TYPES[found.suffix]
    except TooLargeError:
        most = f"expected at most {MOST_BYTES:,} bytes"
        raise HttpError(413, f"{path}: too large to show; {most}") from None
    except (InputError, OSError):
        raise HttpError(404, f"{path[:100]!r}: no such file in the report") from None
