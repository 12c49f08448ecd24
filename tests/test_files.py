"""Small files that anybody may have put there."""

import os
from pathlib import Path

import pytest

from isolab.errors import InputError
from isolab.files import TooLargeError, read_json_file, read_small, write_whole


def test_only_a_small_regular_file_is_read_and_none_is_left_open(tmp_path: Path) -> None:
    file, link, pipe = (tmp_path / name for name in ("file", "link", "pipe"))
    file.write_bytes(b"12345")
    link.symlink_to(file)
    os.mkfifo(pipe)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    assert read_small(file, 5) == b"12345"
    with pytest.raises(TooLargeError, match="file: expected at most 4 bytes"):
        read_small(file, 4)
    for other in (link, pipe, tmp_path, Path("/dev/zero")):
        with pytest.raises(InputError, match=f"{other}: .*expected a regular file"):
            read_small(other)
    with pytest.raises(FileNotFoundError):
        read_small(tmp_path / "none")
    assert len(list(Path("/proc/self/fd").iterdir())) == opened


def test_what_is_written_is_read_and_leaves_no_draft(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_whole(file, '{"name": "\\ud83d\\ude00"}')
    assert read_json_file(file) == {"name": "\U0001f600"}
    assert list(tmp_path.iterdir()) == [file]
