"""`isolarium label`: its output, continuing and adding games, and invalid input; tests/analysis has the rest."""

import json
from pathlib import Path

import pytest

import isolarium
from tests.command import assert_refused, run_isolarium

pytestmark = pytest.mark.slow

SMALL = ("--boards", "4x4", "--games", "6", "--agent", "random", "--agent", "greedy:open")


def test_text_and_json_describe_the_labels(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "labels"))
    shown = run_isolarium("label", *SMALL, *out)
    assert shown.returncode == 0
    again = run_isolarium("label", *SMALL, *out, "--json")
    facts = json.loads(again.stdout)
    assert facts == json.loads((tmp_path / "labels" / "labels.json").read_text())
    assert facts["labels"]["4x4"]["games"] == 6
    labels = isolarium.read_labels(tmp_path / "labels")
    assert labels.to_json() == facts
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
def test_invalid_input_prints_one_line_and_writes_nothing(arguments: list[str], named: str, tmp_path: Path) -> None:
    out = tmp_path / "labels"
    assert_refused(run_isolarium("label", *arguments, "--out", str(out)), named)
    assert not out.exists()


def test_an_unrelated_folder_is_left_unchanged(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert_refused(run_isolarium("label", *SMALL, "--out", str(tmp_path)), "not empty")
    assert_refused(run_isolarium("label", *SMALL, "--out", str(tmp_path / "mine.txt")), "mine.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
