"""`isolarium label`: what it prints, that it goes on and adds, and mistakes in one line; tests/labels has the rest."""

import json
from pathlib import Path

import pytest

import isolarium
from tests.command import assert_refused, run_isolarium

pytestmark = pytest.mark.slow

SMALL = ("--boards", "4x4", "--games", "6", "--agent", "random", "--agent", "greedy:open")


def test_it_tells_people_and_programs_what_there_is(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "labels"))
    shown = run_isolarium("label", *SMALL, *out)
    assert shown.returncode == 0
    again = run_isolarium("label", *SMALL, *out, "--json")
    told = json.loads(again.stdout)
    assert told == json.loads((tmp_path / "labels" / "labels.json").read_text())
    assert told["labels"]["4x4"]["games"] == 6
    labels = isolarium.read_labels(tmp_path / "labels")
    assert labels.to_json() == told
    assert str(labels) == shown.stdout.rstrip("\n")
    assert labels.records()[0]["positions"] == len(labels["4x4"])


def test_python_makes_the_same_files(tmp_path: Path) -> None:
    made = isolarium.label("4x4", tmp_path / "here", games=6, agents=["random", "greedy:open"])
    run_isolarium("label", *SMALL, "--out", str(tmp_path / "there"))
    for name in ("4x4.npz", "labels.json"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()
    with pytest.raises(isolarium.InputError, match="expected 4x4"):
        made["5x5"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--boards", "4x5,5x4"], "5x4: given twice"),
        (["--boards", "4x5,"], "board ''"),
        (["--boards", "4x4", "--most-nodes", "9", "--most-blanks", "9"], "one of them"),
        (["--boards", "4x4", "--games", "0"], "--games"),
        (["--boards", "4x4", "--most-blanks", "170"], "--most-blanks"),
        (["--boards", "4x4", "--agent", "alphabeta:improved@ms=5"], "timed games"),
        (["--boards", "4x4", "--agent", "greedy:own.py:freer"], "Isolarium's own"),
        (["--boards", "4x4", "--agent", "gredy:open"], "did you mean 'greedy'?"),
    ],
)
def test_mistakes_cost_one_line_and_leave_nothing(
    arguments: list[str], named: str, tmp_path: Path
) -> None:
    out = tmp_path / "labels"
    assert_refused(run_isolarium("label", *arguments, "--out", str(out)), named)
    assert not out.exists()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert_refused(run_isolarium("label", *SMALL, "--out", str(tmp_path)), "not empty")
    assert_refused(run_isolarium("label", *SMALL, "--out", str(tmp_path / "mine.txt")), "mine.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
