"""`isolarium calibrate`: tables, JSON, a picture, and mistakes in one line."""

import json
from pathlib import Path

import pytest

from tests.command import run_isolarium

pytestmark = pytest.mark.slow

SMALL = ("--board", "5x5", "--positions", "30")


def test_it_prints_tables_and_draws_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "calibration.svg"
    shown = run_isolarium("calibrate", "improved", "distance(z=0)", *SMALL, "--chart", str(picture))
    assert shown.returncode == 0
    assert "improved  " in shown.stdout
    assert "distance(z=0)  " in shown.stdout
    assert "the colour law  " in shown.stdout
    drawn = picture.read_text(encoding="utf-8")
    assert "improved" in drawn
    assert "distance(z=0)" in drawn


def test_json_has_every_figure() -> None:
    facts = json.loads(run_isolarium("calibrate", "open", *SMALL, "--seed", "3", "--json").stdout)
    assert (facts["board"], facts["seed"]) == ("5x5", 3)
    (row,) = facts["heuristics"]
    assert row["name"] == "open"
    right = row["best_move_right"]
    assert 0 <= right["low"] <= right["rate"] <= right["high"] <= 1
    assert sum(stage["decided"] for stage in row["by_stage"]) == row["decided"]
    assert [baseline["name"] for baseline in facts["baselines"]] == ["a random move", "the colour law"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "or --all"),
        (["improved", "--all"], "or --all"),
        (["alphabeta:improved"], "expected a heuristic without a search: improved"),
        (["imroved"], "did you mean 'improved'?"),
        (["improved", "--chart", "picture.jpg"], "ends in .svg or .png"),
        (["improved", "--board", "2x2"], "2x2"),
        (["improved", "--board", "3x3", "--positions", "1"], "ask for more positions"),
    ],
)
def test_invalid_input_prints_one_line(arguments: list[str], said: str) -> None:
    result = run_isolarium("calibrate", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.splitlines()[-1].startswith("isolarium: ")


def test_a_heuristic_from_a_file_is_evaluated_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from isolarium.heuristics import heuristic, mobility\n"
        "@heuristic\n"
        "def mine(view, own, opp):\n"
        "    return mobility(view, own) - mobility(view, opp)\n"
        "@heuristic\n"
        "def no_number(view, own, opp):\n"
        "    return float('nan')\n"
    )
    names = ("improved", f"{file}:mine")
    facts = json.loads(run_isolarium("calibrate", *names, *SMALL, "--json").stdout)
    one, other = ({**row, "name": ""} for row in facts["heuristics"])
    assert one == other
    refused = run_isolarium("calibrate", f"{file}:no_number", *SMALL)
    assert refused.returncode == 2
    assert "is not a number" in refused.stderr.splitlines()[-1]
