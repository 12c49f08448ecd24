"""The claims about `stealer` in the docs match the evidence; `tools.fill_docs` maintains the tables."""

import json
import re
from pathlib import Path

from isolarium.heuristics.lookup import catalogue

DOCS = Path(__file__).parents[2] / "docs"
LINES = (DOCS / "evidence" / "stealer.jsonl").read_text(encoding="utf-8").splitlines()
PLAYED = [json.loads(line) for line in LINES]


def test_every_report_s_heuristic_was_met_at_both_budgets_on_both_boards_twice() -> None:
    wanted = {
        (name, nodes, board, seed)
        for name, heuristic in catalogue().items()
        if heuristic.report
        for nodes in ("500", "8000")
        for board in ("7x7", "9x11")
        for seed in ("2", "3")
    }
    pattern = r"stealer@nodes=\d+ alphabeta:(\w+)@nodes=(\d+) --board (\w+) --plies 2 --seed (\d)"
    found = [re.search(pattern, result["command"]) for result in PLAYED]
    assert {match.groups() for match in found if match} == wanted
    assert len(PLAYED) == len(wanted)


def test_the_page_says_how_many_tests_found_it_ahead() -> None:
    assert all(result["test"]["state"] == "accepts H1" for result in PLAYED)
    pairs = sum(sum(result["pairs"].values()) for result in PLAYED)
    said = f"All 104 tests and all 104 confirmations found it ahead, over {pairs:,} pairs."
    assert said in (DOCS / "research" / "stealer.md").read_text(encoding="utf-8")


def test_calibration_s_page_has_the_table_of_the_evidence() -> None:
    page = (DOCS / "research" / "calibration.md").read_text(encoding="utf-8")
    assert (DOCS / "evidence" / "calibration-7x7.txt").read_text(encoding="utf-8") in page
    evidence = json.loads((DOCS / "evidence" / "calibration-7x7.json").read_text(encoding="utf-8"))
    assert {row["name"] for row in evidence["heuristics"]} == set(catalogue())
    for row in evidence["heuristics"]:
        assert f"\n{row['name']:<26}  {100 * row['best_move_right']['rate']:.1f}%" in page
