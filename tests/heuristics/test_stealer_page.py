"""What the pages say of `stealer` is what was played and solved."""

import json
from pathlib import Path

from isolab.heuristics.catalogue import catalogue
from prove import stealer

DOCS = Path(__file__).parents[2] / "docs"


def test_every_seed_heuristic_was_met_at_both_budgets_on_both_boards_twice() -> None:
    known = stealer.read()
    wanted = {f"isolab {' '.join(meeting.command)}" for meeting in stealer.meetings()}
    assert set(known) == wanted
    seeds = [name for name, heuristic in catalogue().items() if heuristic.report]
    assert len(wanted) == len(seeds) * 2 * 2 * 2


def test_the_page_has_the_tables_of_the_evidence() -> None:
    assert stealer.table(stealer.read()) in (DOCS / "stealer.md").read_text(encoding="utf-8")


def test_the_page_says_how_many_tests_found_it_ahead() -> None:
    known = stealer.read().values()
    assert all(result["test"]["state"] == "accepts H1" for result in known)
    pairs = sum(sum(result["pairs"].values()) for result in known)
    said = f"All 100 tests and all 100 confirmations found it ahead, over {pairs:,} pairs."
    assert said in (DOCS / "stealer.md").read_text(encoding="utf-8")


def test_calibration_s_page_has_the_table_of_the_evidence() -> None:
    page = (DOCS / "calibration.md").read_text(encoding="utf-8")
    assert (DOCS / "evidence" / "calibration-7x7.txt").read_text(encoding="utf-8") in page
    told = json.loads((DOCS / "evidence" / "calibration-7x7.json").read_text(encoding="utf-8"))
    assert {row["name"] for row in told["heuristics"]} == set(catalogue())
    for row in told["heuristics"]:
        assert f"\n{row['name']:<18}  {100 * row['best_move_right']['rate']:.1f}%" in page
