"""Reports of runs, each written by a process of its own into a folder that goes with the server."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from math import inf
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic
from typing import Final

from isolarium.arena.run_store import has_report
from isolarium.errors import InputError
from isolarium.processes.permissions import NOTHING
from isolarium.processes.worker import when_gone
from isolarium.removal import remove_tree
from isolarium.safe_files import TooLargeError, read_small
from isolarium.web.http_errors import BUSY, Refused, told_by_command
from isolarium.web.jobs.commands import start
from isolarium.web.rate_limits import OURSELVES, Client

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
"""A report has no scripts; one that somebody else has put there runs none, and is of no origin."""
MOST_WAITING: Final = 40
MOST_EACH: Final = 8
"""Requests that may wait for a report, and of them from one address."""
FRESH_S: Final = 30.0
"""How long the report of a run that is being played will do for all who look at it."""
BODY: Final = re.compile(rb"<body[^>]*>")
PLACES: Final = ("", "charts", "tables")
"""The folders that the files of a report are in."""
NAME: Final = re.compile(rf"[^/\0]{{1,200}}({'|'.join(map(re.escape, TYPES))})")
MOST_BYTES: Final = 16 << 20
"""More than a report's files come to; the server has them in memory while it sends them."""


class Reports:
    """Writes reports, one at a time, and keeps each until its run has more games and a while has passed.

    Args:
        clock: the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._folder = Path(mkdtemp(prefix="isolarium-reports-"))
        when_gone(self, remove_tree, self._folder)
        self._written: dict[Path, tuple[str, float]] = {}
        self._one = asyncio.Lock()
        self._waiting = Counter[str]()

    def close(self) -> None:
        """Remove them."""
        remove_tree(self._folder)

    async def file(
        self,
        run: Path,
        mark: str,
        path: str,
        client: Client = OURSELVES,
        *,
        is_finished: bool = False,
    ) -> tuple[bytes, str]:
        """A file of a run's report, and its type; the report is written if it was not since `mark`, or just now.

        A finished run's own report will do where it is no older than the record.

        Raises:
            Refused: there is no such file, it is too large, or too many wait.
        """
        if is_finished and has_report(run):
            return await asyncio.to_thread(_read, run, path)
        who = client.address
        if self._waiting[who] >= MOST_EACH or self._waiting.total() >= MOST_WAITING:
            raise Refused(BUSY, "The server is busy: many wait for reports.")
        self._waiting[who] += 1
        try:
            async with self._one:
                folder = await self._report(run, mark, is_finished)
        finally:
            self._waiting -= Counter([who])  # and none is kept of who has none left
        return await asyncio.to_thread(_read, folder, path)

    async def _report(self, run: Path, mark: str, is_finished: bool) -> Path:
        folder = self._folder / "~".join(run.parts[-2:])
        written, when = self._written.get(run, ("", -inf))
        is_fresh = not is_finished and self._clock() - when < FRESH_S
        if written != mark and not is_fresh:
            await _write(run.resolve(), folder)
            self._written[run] = mark, self._clock()
        return folder


async def _write(run: Path, folder: Path) -> None:
    """Write the report of a run into a folder; to solve its games would take a while.

    Raises:
        Refused: it cannot be.
    """
    wanted = ("report", str(run), "--out", str(folder), "--no-accuracy", "--json")
    # What was played is told without the code that played.
    process = await start(wanted, NOTHING.environment(), NEEDS)
    said, status = b"", None
    try:
        while piece := await process.read():
            said += piece
        status = await process.wait()
    finally:
        if status is None:  # nobody waits any more
            process.kill()
    if status != 0:
        why = told_by_command(said, run.parent)
        raise Refused(409, f"The report could not be written: {why}")


def with_way_back(page: bytes, run: str) -> bytes:
    """A report's page with a link to the run before everything else."""
    link = (
        f'<p style="margin:.75rem 1rem"><a href="/watch?run={run}">&lsaquo; Back to the run</a></p>'
    )
    return BODY.sub(lambda found: found[0] + link.encode(), page, count=1)


def _read(folder: Path, path: str) -> tuple[bytes, str]:
    """A file of the report in a folder, and its type.

    Raises:
        Refused: there is no such file, or it is too large.
    """
    place, _, name = path.rpartition("/")
    found = folder / place / name
    try:
        if not NAME.fullmatch(name) or place not in PLACES or (folder / place).is_symlink():
            raise FileNotFoundError
        return read_small(found, MOST_BYTES), TYPES[found.suffix]
    except TooLargeError:
        most = f"expected at most {MOST_BYTES:,} bytes"
        raise Refused(413, f"{path}: too large to be shown here; {most}") from None
    except (InputError, OSError):
        raise Refused(404, f"{path[:100]!r}: no such file in the report") from None
