"""Folders that hostile code has written to are removed whole, and nothing outside them is touched."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from errno import EBUSY
from inspect import getsource
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from isolarium import removal
from isolarium.removal import remove_tree
from tests import planted_trees
from tests.command import PATIENCE_S
from tests.planted_trees import TREES

NOBODY = 65534
USERS = (None, NOBODY) if os.geteuid() == 0 else (None,)
CALLS = ("open", "rename", "rmdir", "unlink", "scandir", "fstat")


@pytest.mark.slow
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("tree", TREES)
def test_whatever_is_planted_is_removed(tree: str, user: int | None) -> None:
    folder = Path(mkdtemp())  # pytest's own cannot be entered by another user
    if user is not None:
        os.chown(folder, user, user)
    # An ordinary user may not be able to read the package, so its text is handed over.
    work = f"""
import resource
if {user or 0}:  # from here on, for its interpreter too may be out of reach
    os.setgroups([])
    os.setgid({user})
    os.setuid({user})
descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
folder = Path({str(folder)!r})
TREES[{tree!r}](folder)
resource.setrlimit(resource.RLIMIT_NOFILE, (12, descriptors))
assert remove_tree(folder)
"""
    ran = subprocess.run(
        [sys.executable, "-I", "-"],
        input="\n".join((getsource(removal), getsource(planted_trees), work)),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    left = remove_tree(folder) and "nothing" if folder.exists() else "nothing"
    assert (ran.returncode, ran.stderr, left) == (0, "", "nothing")


def test_what_is_not_a_folder_is_removed_and_what_a_link_names_stays(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to(outside)
    file.touch()
    removed = [remove_tree(path) for path in (link, file, tmp_path / "none", Path("\0"))]
    assert removed == [True] * 4
    assert sorted(tmp_path.rglob("*")) == [outside, outside / "kept"]


def _at_call(number: int, do: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Do something right before the system call of that number; the function tells how many there were."""
    made = 0

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **named: Any) -> Any:
            nonlocal made
            made += 1
            if made == number:
                do()
            return call(*arguments, **named)

        return wrapper

    for name in CALLS:
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    return lambda: made


def test_a_link_put_in_place_of_a_folder_at_any_moment_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    (outside / "below").mkdir(parents=True)
    (outside / "below" / "kept").touch()
    made, number = 1, 0
    while number < made:
        number += 1
        for inner in ("a/b/c", "a/d", "e/f"):
            (folder / inner).mkdir(parents=True)
            (folder / inner / "file").touch()

        def swap(number: int = number) -> None:
            with os.scandir(folder) as found:
                entries = [entry for entry in found if entry.is_dir(follow_symlinks=False)]
            for place, entry in enumerate(entries):
                Path(entry.path).rename(tmp_path / f"aside-{number}-{place}")
                Path(entry.path).symlink_to(outside)

        with monkeypatch.context() as patched:
            calls = _at_call(number, swap, patched)
            assert remove_tree(folder)
        made = calls()
        assert (outside / "below" / "kept").exists()
    assert made > 20


def test_files_that_appear_meanwhile_are_removed_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, made, number = tmp_path / "folder", 1, 0
    while number < made:
        number += 1
        (folder / "a" / "b").mkdir(parents=True)

        def appear() -> None:
            if folder.exists():
                (folder / "late" / "later").mkdir(parents=True)
                (folder / "late" / "file").touch()

        with monkeypatch.context() as patched:
            calls = _at_call(number, appear, patched)
            assert remove_tree(folder)
        made = calls()
    assert made > 5


def test_it_gives_up_on_a_folder_that_another_process_keeps_filling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, now, call = tmp_path / "folder", [0.0], os.rmdir
    folder.mkdir()

    def monotonic() -> float:
        now[0] += 1
        return now[0]

    def rmdir(name: str, *, dir_fd: int) -> None:
        (folder / f"late{now[0]}").touch()
        call(name, dir_fd=dir_fd)

    with monkeypatch.context() as patched:
        patched.setattr(time, "monotonic", monotonic)
        patched.setattr(os, "rmdir", rmdir)
        assert not remove_tree(folder, most_s=100)
    assert remove_tree(folder)


def test_what_cannot_be_removed_is_reported_and_the_rest_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, call = tmp_path / "folder", os.unlink
    for inner in ("a/b", "c"):
        (folder / inner).mkdir(parents=True)
        (folder / inner / "file").touch()
        (folder / inner / "immutable").touch()

    def unlink(name: str, *, dir_fd: int) -> None:
        if name == "immutable":
            raise PermissionError
        call(name, dir_fd=dir_fd)

    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", unlink)
        assert not remove_tree(folder)
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["immutable"] * 2


def test_a_mount_point_inside_is_not_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, call = tmp_path / "folder", os.rename
    (folder / "mounted").mkdir(parents=True)
    (folder / "mounted" / "kept").touch()
    (folder / "file").touch()

    def rename(old: str, new: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        if old == "mounted":
            raise OSError(EBUSY, os.strerror(EBUSY))
        call(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "rename", rename)
    assert not remove_tree(folder)
    assert sorted(folder.rglob("*")) == [folder / "mounted", folder / "mounted" / "kept"]
