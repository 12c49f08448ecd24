"""Which paths sandboxed code may read: what lies beside it, without dot-files, runs, and what is personal."""

import sys
from pathlib import Path

import pytest

from isolarium.processes import readable_paths
from isolarium.processes.readable_paths import personal_folders, python_paths, readable_beside


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def names_beside(folder: Path, personal: tuple[Path, ...] = ()) -> set[str]:
    """The readable paths, relative to the folder; a dot is the folder whole."""
    return {str(path.relative_to(folder)) for path in readable_beside(folder, personal).whole}


def test_a_folder_with_nothing_to_hold_back_is_readable_whole(tmp_path: Path) -> None:
    write(tmp_path, "game_agent.py", "data/book.json", "data/deep/er/squares.txt")
    assert names_beside(tmp_path) == {"."}


def test_dot_files_are_held_back_wherever_they_are(tmp_path: Path) -> None:
    write(tmp_path, "game_agent.py", ".env", "data/book.json", "more/a.txt", "more/.git/config")
    assert names_beside(tmp_path) == {"game_agent.py", "data", "more/a.txt"}


def test_folders_of_runs_are_held_back_by_their_name_and_by_what_is_in_them(tmp_path: Path) -> None:
    write(tmp_path, "game_agent.py", "runs/1/notes", "out/deep/played/2/run.sqlite", "out/a")
    assert names_beside(tmp_path) == {"game_agent.py", "out/a"}


def test_links_are_not_followed_out_of_the_folder(tmp_path: Path) -> None:
    write(tmp_path, "secret/key", "agent/game_agent.py", "agent/book.json", "agent/.hidden/x")
    agent = tmp_path / "agent"
    for name, target in (
        ("out", "../secret"),
        ("out-file", "../secret/key"),
        ("beside", "book.json"),
        ("hidden", ".hidden"),
        ("circle", "circle"),
        ("gone", "nowhere"),
    ):
        (agent / name).symlink_to(target)
    assert names_beside(agent) == {"game_agent.py", "book.json"}


def test_of_a_personal_folder_other_folders_are_not_readable(tmp_path: Path) -> None:
    write(tmp_path, "game_agent.py", "book.json", "Documents/diary.txt", ".ssh/key", "helpers/a.py")
    assert names_beside(tmp_path, (tmp_path,)) == {"game_agent.py", "book.json", "helpers"}
    assert names_beside(tmp_path, (tmp_path / "Documents",)) == {*("game_agent.py", "book.json", "helpers")}


def test_a_folder_above_the_home_folder_gives_nothing_of_it(tmp_path: Path) -> None:
    write(tmp_path, "game_agent.py", "user/play.py", "user/.ssh/key", "tools/a.py", "tools/.env")
    home = tmp_path / "user"
    assert names_beside(tmp_path, (home,)) == {"game_agent.py", "tools/a.py"}


def test_packages_give_neither_dot_files_nor_runs(tmp_path: Path) -> None:
    write(tmp_path, "project/play.py", "project/.env", "project/runs/r1/run.sqlite")
    assert names_beside(tmp_path, (tmp_path,)) == {"project/play.py"}


def test_what_lies_beyond_the_limit_is_not_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readable_paths, "MOST_ENTRIES", 4)
    write(tmp_path, "game_agent.py", *(f"many/{number}" for number in range(10)))
    beside = names_beside(tmp_path)
    assert "game_agent.py" in beside
    assert "." not in beside
    assert len(beside) <= 4


def test_pythons_own_folders_are_readable_and_the_home_folder_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "tool.py", "notes.txt", "package/__init__.py", "Documents/a.txt", ".ssh/key")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    found = python_paths([tmp_path])
    assert Path(sys.base_prefix).resolve() in found.whole
    beside = {path.name for path in found.whole if path.is_relative_to(tmp_path)}
    assert beside == {"tool.py", "package"}
    assert not any(tmp_path.is_relative_to(path) for path in found.whole + found.listed)


def test_the_home_and_temporary_folders_are_personal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert {tmp_path.resolve(), Path("/tmp")} <= set(personal_folders())
