"""`isolarium cache` shows where compiled code is, and removes it."""

import json
from pathlib import Path

import pytest

from tests.command import run_isolarium

DIGEST = "0123456789abcdef" * 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cache with one entry of 1000 bytes, and a file that has nothing to do with it."""
    folder = tmp_path / "cache"
    (folder / "__pycache__").mkdir(parents=True)
    folder.chmod(0o700)
    (folder / f"some_slice_{DIGEST}.done").touch()
    (folder / "__pycache__" / f"some_slice_{DIGEST}.some_slice-1.py311.1.nbc").write_bytes(bytes(1000))
    (folder / "thesis.txt").write_text("precious")
    return folder


def test_it_prints_the_folder_and_the_size(folder: Path) -> None:
    shown = run_isolarium("cache", ISOLARIUM_CACHE=str(folder)).stdout.splitlines()
    assert shown[0] == f"folder     {folder}"
    assert shown[1] == "size       0.0 MiB of at most 512.0 MiB"
    assert shown[2] == "compiled   1"
    assert shown[3].split() == ["some_slice", "1"]


def test_json_has_the_folder_and_the_size(folder: Path) -> None:
    assert json.loads(run_isolarium("cache", "--json", ISOLARIUM_CACHE=str(folder)).stdout) == {
        "folder": str(folder),
        "bytes": 1000,
        "most_bytes": 512 * 2**20,
        "freed_bytes": 0,
        "entries": {"some_slice": 1},
    }


def test_clear_removes_compiled_code_and_nothing_else(folder: Path) -> None:
    facts = json.loads(run_isolarium("cache", "--clear", "--json", ISOLARIUM_CACHE=str(folder)).stdout)
    assert facts["freed_bytes"] == 1000
    assert facts["bytes"] == 0
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["thesis.txt"]
    assert "freed      0.0 MiB" in run_isolarium("cache", "--clear", ISOLARIUM_CACHE=str(folder)).stdout
