"""Reports of runs as the server keeps them: written once for everybody, and served from their own folder alone."""

from pathlib import Path

import pytest

from isolab.arena.plan import Format, Plan
from isolab.arena.record import FILE_NAME
from isolab.arena.runs import REPORT_PAGE
from isolab.web.jobs import reports
from isolab.web.jobs.reports import FRESH_S, Reports
from isolab.web.problems import Refused
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
            with pytest.raises(Refused, match="no run"):
                await kept.file(folder, "3 games", REPORT_PAGE)
        finally:
            kept.close()

    run(test)


@pytest.mark.parametrize("link", ["charts", "report.html", "tables/pairs.csv"])
def test_nothing_is_served_from_elsewhere(tmp_path: Path, link: str) -> None:
    own, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    for folder in (own / "tables", elsewhere):
        folder.mkdir(parents=True)
    (elsewhere / "secret.svg").write_text("secret")
    (own / link).symlink_to(elsewhere if link == "charts" else elsewhere / "secret.svg")
    with pytest.raises(Refused, match="no such file"):
        reports._read(own, f"{link}/secret.svg" if link == "charts" else link)
