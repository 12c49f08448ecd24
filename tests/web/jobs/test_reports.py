"""Reports of runs as the server keeps them: written once for everybody, and served from their own folder alone."""

import asyncio
import os
from pathlib import Path

import pytest

from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_db import FILE_NAME
from isolarium.arena.run_store import REPORT_PAGE
from isolarium.web.connection_limits import Client
from isolarium.web.http_errors import HttpError
from isolarium.web.jobs import commands as reports
from isolarium.web.jobs.commands import FRESH_S, MOST_EACH, Reports
from tests.playing import Wanderer, play_run_here
from tests.web.in_process import run

PLAN = Plan(Format.MATCH, ("random", "greedy:open"), board="5x5", pairs=2)


@pytest.mark.slow
def test_viewers_of_a_run_that_is_played_share_one_report(tmp_path: Path) -> None:
    folder = play_run_here(tmp_path / "run", PLAN, [Wanderer(), Wanderer()], games=2)
    now = 0.0

    async def test() -> None:
        nonlocal now
        kept = Reports(clock=lambda: now)
        try:
            first, _ = await kept.file(folder, "2 games", REPORT_PAGE)
            (folder / FILE_NAME).unlink()  # so that another one cannot be written
            assert (await kept.file(folder, "3 games", REPORT_PAGE))[0] == first
            now = FRESH_S
            assert (await kept.file(folder, "2 games", REPORT_PAGE))[0] == first
            with pytest.raises(HttpError, match=r"The report could not be written: no run named 'run' in runs$"):
                await kept.file(folder, "3 games", REPORT_PAGE)
        finally:
            kept.close()

    run(test)


def test_one_client_cannot_keep_everybody_from_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = b"a report"
    (tmp_path / REPORT_PAGE).write_bytes(page)

    async def test() -> None:
        may_go_on = asyncio.Event()

        async def slowly(self: Reports, run: Path, mark: str, is_finished: bool) -> Path:
            await may_go_on.wait()
            return run

        monkeypatch.setattr(Reports, "_report", slowly)
        kept, abuser = Reports(), Client("192.0.2.1", 1)
        waiting = [
            asyncio.create_task(kept.file(tmp_path, "", REPORT_PAGE, client))
            for client in [abuser] * MOST_EACH + [Client("192.0.2.2", 1)]
        ]
        await asyncio.sleep(0)  # they are begun
        with pytest.raises(HttpError, match="The server is busy"):
            await kept.file(tmp_path, "", REPORT_PAGE, abuser)
        may_go_on.set()
        assert [content for content, _ in await asyncio.gather(*waiting)] == [page] * len(waiting)
        kept.close()

    run(test)


def test_a_page_that_takes_long_is_written_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / REPORT_PAGE).write_bytes(b"a report")
    monkeypatch.setattr(reports, "SOON_S", 0)

    async def test() -> None:
        may_go_on = asyncio.Event()
        written = list[Path]()

        async def slowly(self: Reports, run: Path, mark: str, is_finished: bool) -> Path:
            written.append(run)
            await may_go_on.wait()
            return run

        monkeypatch.setattr(Reports, "_report", slowly)
        kept = Reports()
        assert [await kept.page(tmp_path, "") for _ in range(MOST_EACH + 2)] == [None] * 10
        may_go_on.set()
        while (page := await kept.page(tmp_path, "")) is None:
            await asyncio.sleep(0)
        assert page[0] == b"a report"
        assert written == [tmp_path]  # once, for all who waited
        kept.close()

    run(test)


@pytest.mark.parametrize("link", ["charts", "report.html", "tables/pairs.csv"])
def test_nothing_is_served_from_elsewhere(tmp_path: Path, link: str) -> None:
    own, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    for folder in (own / "tables", elsewhere):
        folder.mkdir(parents=True)
    (elsewhere / "secret.svg").write_text("secret")
    (own / link).symlink_to(elsewhere if link == "charts" else elsewhere / "secret.svg")
    with pytest.raises(HttpError, match="no such file"):
        reports.read_report_file(own, f"{link}/secret.svg" if link == "charts" else link)


def test_what_is_no_file_of_a_report_or_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_BYTES", 100)
    (tmp_path / FILE_NAME).touch()
    (tmp_path / "charts.svg").mkdir()
    os.mkfifo(tmp_path / "pipe.svg")
    (tmp_path / REPORT_PAGE).write_bytes(page := b"x" * 100)
    (tmp_path / "large.svg").write_bytes(page * 2)

    async def test() -> None:
        kept = Reports()
        found = await kept.file(tmp_path, "", REPORT_PAGE, is_finished=True)
        assert found == (page, reports.TYPES[".html"])
        with pytest.raises(HttpError, match=r"large\.svg: too large") as refused:
            await kept.file(tmp_path, "", "large.svg", is_finished=True)
        assert refused.value.status == 413
        names = ("pipe.svg", "charts.svg", "../x.svg", "charts/../x.svg", "\0.svg", f"{'x' * 999}.svg")
        for name in (*names, FILE_NAME, "none.svg", f"{'ä' * 200}.svg", ".svg", "charts//x.svg"):
            with pytest.raises(HttpError, match="no such file in the report"):
                await kept.file(tmp_path, "", name, is_finished=True)
        kept.close()

    run(test)
