"""The command `isolarium report`."""

import json
from pathlib import Path

import pytest

from isolarium.arena.plan import Format, Plan
from tests.command import run_isolarium
from tests.playing import Careful, Wanderer, play_run_here

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def match_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match on a board that is quick to solve."""
    plan = Plan(Format.MATCH, ("greedy:open", "random"), board="5x5", pairs=60)
    return play_run_here(tmp_path_factory.mktemp("small"), plan, [Careful(), Wanderer()])


def test_prints_the_answer_and_the_path(match_run: Path, tmp_path: Path) -> None:
    result = run_isolarium("report", str(match_run), "--out", str(tmp_path / "there"))
    assert result.returncode == 0
    answer, path = result.stdout.splitlines()
    assert answer.startswith("greedy:open is better than random: ")
    assert path == str(tmp_path / "there" / "report.html")
    assert Path(path).is_file()


def test_json_names_every_file(match_run: Path, tmp_path: Path) -> None:
    result = run_isolarium("report", str(match_run), "--out", str(tmp_path), "--json")
    found = json.loads(result.stdout)
    assert found["answer"] == "greedy:open is better than random"
    assert found["report"] in found["files"]
    assert all(Path(path).is_file() for path in found["files"])


def test_no_such_run(tmp_path: Path) -> None:
    result = run_isolarium("report", "nothing", "--runs", str(tmp_path))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("isolarium: no run named 'nothing'")
    assert result.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_written(match_run: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run_isolarium("report", str(match_run), "--out", str(tmp_path / "file"))
    assert (result.returncode, result.stdout) == (2, "")
    assert str(tmp_path / "file") in result.stderr.splitlines()[-1]
