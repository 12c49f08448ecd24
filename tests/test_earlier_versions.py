"""What versions before the rename from isolab have written is still read."""

import shutil
from pathlib import Path

import pytest
from platformdirs import user_data_path

from isolarium.arena.provenance import KEY_BYTES, KEY_NAME, signature
from tests.command import assert_refused, run_isolarium

EARLIER = Path(__file__).parent / "data" / "earlier"
"""Written by isolab 0.1.0: a run, its games as text, and a certificate."""


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    shutil.copytree(EARLIER / "run", tmp_path / "runs" / "earlier")
    return tmp_path / "runs"


def test_a_database_is_read(runs: Path) -> None:
    exported = run_isolarium("export", "earlier", "--text", "--runs", str(runs))
    assert exported.stdout == (EARLIER / "games.txt").read_text(encoding="utf-8")
    listed = run_isolarium("runs", "--runs", str(runs))
    assert listed.stdout.count("earlier") == 1


@pytest.mark.slow
def test_a_database_makes_a_report(runs: Path) -> None:
    report = run_isolarium("report", "earlier", "--runs", str(runs))
    assert report.returncode == 0, report.stderr
    assert "greedy:open" in (runs / "earlier" / "report.md").read_text(encoding="utf-8")


def test_a_certificate_is_verified() -> None:
    verified = run_isolarium("verify", str(EARLIER / "certificate.txt"))
    assert verified.returncode == 0, verified.stderr


def test_the_key_that_signs_runs_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    former = user_data_path("isolab", appauthor=False)
    former.mkdir(mode=0o700, parents=True)
    (former / KEY_NAME).touch(mode=0o600)
    (former / KEY_NAME).write_bytes(bytes(range(KEY_BYTES)))
    by_former = signature("a plan")
    shutil.rmtree(former)
    assert signature("a plan") == by_former  # copied at its first use
    assert (user_data_path("isolarium", appauthor=False) / KEY_NAME).read_bytes() == bytes(range(KEY_BYTES))


@pytest.mark.parametrize("statement", ["import isolab", "from isolab.heuristics import heuristic"])
def test_a_file_that_imports_isolab_is_told_what_to_change(tmp_path: Path, statement: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"{statement}\n")
    refused = run_isolarium("calibrate", f"{file}:mine", "--positions", "1")
    assert_refused(refused, "isolab is now isolarium; replace isolab with isolarium in the file")
