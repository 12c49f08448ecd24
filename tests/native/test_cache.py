"""The cache of compiled code is private, of bounded size, and owned by the user."""

import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest
from numba import types

from isolarium.native import cache
from isolarium.native.cache import MOST_BYTES, cache_folder, cached_files, clear, prune
from isolarium.native.entry_points import compile_entry


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder named by `$ISOLARIUM_CACHE`, which does not exist yet."""
    folder = tmp_path / "compiled"
    monkeypatch.setenv("ISOLARIUM_CACHE", str(folder))
    cache_folder.cache_clear()
    yield folder
    cache_folder.cache_clear()


def mode_of(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def fill(folder: Path, *sizes: int) -> list[Path]:
    """Write files of these sizes, oldest first."""
    inner = folder / "__pycache__"
    inner.mkdir(parents=True)
    files = []
    for age, size in enumerate(sizes):
        files.append((folder, inner)[age % 2] / f"entry_{9 - age:032x}.nbc")
        files[-1].write_bytes(bytes(size))
        os.utime(files[-1], (age, age))
    return files


def test_is_made_for_its_owner_alone(chosen: Path) -> None:
    before = os.umask(0)
    try:
        assert cache_folder() == chosen
    finally:
        os.umask(before)
    assert mode_of(chosen) == 0o700


@pytest.mark.parametrize("mode", [0o755, 0o777, 0o500 | 0o070])
def test_an_empty_folder_of_ours_is_closed_to_others(chosen: Path, mode: int) -> None:
    chosen.mkdir()
    chosen.chmod(mode)
    assert cache_folder() == chosen
    assert mode_of(chosen) == 0o700


def test_what_others_could_read_but_not_write_is_kept(chosen: Path) -> None:
    [file] = fill(chosen, 10)
    chosen.chmod(0o755)
    assert cache_folder() == chosen
    assert (mode_of(chosen), cached_files()) == (0o700, [(file, 10)])


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_what_others_could_have_written_is_not_used(chosen: Path, mode: int) -> None:
    fill(chosen, 10)
    chosen.chmod(mode)
    check_temporary(cache_folder(), chosen)


def test_a_folder_of_another_user_is_not_used(chosen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen.mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: chosen.stat().st_uid + 1)
    check_temporary(cache_folder(), chosen)


def test_a_temporary_folder_replaces_one_that_cannot_be_created(chosen: Path) -> None:
    chosen.write_text("a file is in the way")
    check_temporary(cache_folder(), chosen)


def check_temporary(folder: Path, chosen: Path) -> None:
    assert folder != chosen
    assert folder.is_dir()
    assert mode_of(folder) == 0o700
    assert cached_files() == []


def test_the_temporary_folder_is_removed_at_exit(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code = "from isolarium.native.cache import cache_folder; f = cache_folder(); print(f, f.is_dir())"
    variables = {"ISOLARIUM_CACHE": str(tmp_path / "file"), "TMPDIR": str(tmp_path)}
    printed = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | variables, capture_output=True, text=True, check=True
    ).stdout
    folder, existed = printed.split()
    assert Path(folder).parent == tmp_path
    assert existed == "True"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_is_by_default_in_the_users_cache_folder(chosen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISOLARIUM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "isolarium"


def test_prune_removes_the_oldest_until_the_rest_fits(chosen: Path) -> None:
    files = fill(chosen, 50, 40, 30, 20)
    prune(140)
    assert [path.exists() for path in files] == [True] * 4
    prune(60)
    assert cached_files() == [(files[2], 30), (files[3], 20)]
    prune(0)
    assert cached_files() == []


def test_clear_returns_the_bytes_it_freed(chosen: Path) -> None:
    files = fill(chosen, 50, 40)
    assert clear() == 90
    assert not any(path.exists() for path in files)
    assert clear() == 0


def test_files_that_are_not_ours_are_left_alone(chosen: Path) -> None:
    fill(chosen, 50, 40)
    precious = chosen / "thesis.py"
    precious.write_text("precious")
    assert clear() == 90
    prune(0)
    assert precious.read_text() == "precious"


def test_what_is_not_compiled_code_is_left_alone(chosen: Path) -> None:
    files = fill(chosen, 50)
    others = [chosen / "thesis.txt", chosen / "__pycache__" / "notes.nbc"]
    for path in others:
        path.write_text("not ours")
    assert clear() == 50
    prune(0)
    assert all(path.exists() for path in others)
    assert not files[0].exists()


def test_what_another_process_removes_meanwhile_is_no_error(chosen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [kept] = fill(chosen, 50)
    listed = [chosen / f"entry_{0:032x}.nbc", kept]
    monkeypatch.setattr(Path, "rglob", lambda folder, pattern: iter(listed))
    assert cached_files() == [(kept, 50)]
    prune(0)
    assert not kept.exists()
    assert clear() == 0


def one_more(x: int) -> int:
    return x + 1


def test_compiling_keeps_the_folder_under_its_cap(chosen: Path) -> None:
    [old] = fill(chosen, 0)
    with old.open("ab") as file:
        file.truncate(MOST_BYTES + 1)  # sparse: it takes no room
    os.utime(old, (0, 0))
    unique = {"UNIQUE": str(chosen)}  # so that it is not compiled yet
    assert compile_entry(one_more, types.int64(types.int64), unique)(4) == 5
    assert not old.exists()
    assert sum(size for _, size in cached_files()) <= cache.MOST_BYTES


def times_two(x: int) -> int:
    return 2 * x


@pytest.mark.parametrize("most_bytes", [0, 1000])  # no room for the source, or for the code
def test_where_there_is_no_room_code_is_compiled_for_this_process(chosen: Path, most_bytes: int) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, before[1]))
    try:
        unique = {"UNIQUE": str(chosen)}  # so that it is not compiled yet
        compiled = compile_entry(times_two, types.int64(types.int64), unique)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert compiled(4) == 8
    assert not list(chosen.rglob("*.tmp"))


def plus_bound(x: int) -> int:
    return x + BOUND  # type: ignore[name-defined,no-any-return] # noqa: F821 # bound when compiled


def test_numbas_own_folder_does_not_undo_a_private_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    compiled = compile_entry(plus_bound, types.int64(types.int64), {"BOUND": 7})
    assert compiled(1) == 8
    assert list(tmp_path.iterdir()) == []
    assert str(tmp_path) == numba.config.CACHE_DIR
