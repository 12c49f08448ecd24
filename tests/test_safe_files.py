"""Files whose names or contents come from outside are read up to a limit, whatever they are."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from isolarium.errors import InputError
from isolarium.safe_files import (
    TooLargeError,
    digest_file,
    file_holds,
    lines_of,
    open_file,
    open_to_append,
    own_text,
    read_files,
    read_json_file,
    read_small,
    read_text_file,
    write_whole,
)

EMPTY_DIGEST = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.fixture(autouse=True)
def _nothing_is_left_open() -> Iterator[None]:
    opened = len(list(Path("/proc/self/fd").iterdir()))
    yield
    assert len(list(Path("/proc/self/fd").iterdir())) == opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "file"
    found.write_bytes(b"12345")
    return found


@pytest.fixture
def others(file: Path) -> dict[str, Path]:
    """What is not a regular file, by what messages call it."""
    link, pipe = (file.with_name(name) for name in ("link", "pipe"))
    link.symlink_to(file)
    os.mkfifo(pipe)
    return {"a link": link, "a pipe": pipe, "a folder": file.parent, "a device": Path("/dev/zero")}


def test_only_a_small_regular_file_is_read(file: Path, others: dict[str, Path]) -> None:
    assert read_small(file, 5) == b"12345"
    with pytest.raises(TooLargeError, match="file: too large; expected at most 4 bytes"):
        read_small(file, 4)
    for kind, other in others.items():
        with pytest.raises(InputError, match=f"{other}: {kind}; expected a regular file"):
            read_small(other, 5)
        with pytest.raises(InputError, match=f"{other}: {kind}; expected a game"):
            read_text_file(other, 5, expected="a game")
    with pytest.raises(FileNotFoundError):
        read_small(file.with_name("none"), 5)


def test_a_link_is_followed_where_the_user_gave_the_name(file: Path, others: dict[str, Path]) -> None:
    link = others["a link"]
    assert read_small(link, 5, follow_links=True) == b"12345"
    link.unlink()
    link.symlink_to(others["a pipe"])
    with pytest.raises(InputError, match="link: a pipe; expected"):
        read_small(link, 5, follow_links=True)


def test_a_file_whose_size_says_nothing_is_read_up_to_the_limit() -> None:
    file = Path("/proc/self/status")
    assert file.stat().st_size == 0
    assert read_small(file, 100_000).startswith(b"Name:")
    with pytest.raises(TooLargeError):
        read_small(file, 10)


def test_a_file_that_grows_while_it_is_read_is_read_up_to_the_limit(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = os.fstat

    def fstat(handle: int) -> os.stat_result:
        found = call(handle)
        with file.open("ab") as more:
            more.write(b"6789")
        return found

    monkeypatch.setattr(os, "fstat", fstat)
    with pytest.raises(TooLargeError, match="file: too large; expected at most 6 bytes"):
        read_small(file, 6)


@pytest.mark.parametrize("name", ["null\0byte", "half\ud800letter"])
def test_what_cannot_be_a_name_is_one_line(name: str) -> None:
    with pytest.raises(InputError, match=r"not a file name; expected a text file$"):
        read_text_file(Path(name), 10)


def test_text_is_utf_8(file: Path) -> None:
    assert read_text_file(file, 5) == "12345"
    file.write_bytes(b"\xff")
    assert read_text_file(file, 5, "replace") == "\ufffd"
    with pytest.raises(InputError, match=r"not UTF-8 \(invalid start byte\); expected a text file"):
        read_text_file(file, 5)


def test_files_are_counted_together(file: Path, others: dict[str, Path]) -> None:
    other = file.with_name("other")
    other.write_bytes(b"678")
    assert read_files([file, other], 8) == {file: b"12345", other: b"678"}
    with pytest.raises(TooLargeError, match="other: too large; expected at most 7 bytes with the files"):
        read_files([file, other], 7)
    for strange in (others["a link"], others["a pipe"], file.with_name("none")):
        with pytest.raises(InputError):
            read_files([file, strange], 100)


def test_contents_are_compared_without_reading_more(file: Path, others: dict[str, Path]) -> None:
    assert file_holds(file, b"12345")
    for content in (b"1234", b"123456", b"12346", b""):
        assert not file_holds(file, content)
    for kind in ("a pipe", "a folder", "a device"):
        assert not file_holds(others[kind], b"12345")
    assert not file_holds(file.with_name("none"), b"")


def test_a_digest_is_of_a_file_up_to_the_limit(file: Path) -> None:
    with pytest.raises(TooLargeError):
        digest_file(file, 4)
    file.write_bytes(b"")
    assert digest_file(file, 0) == EMPTY_DIGEST


def test_an_endless_device_ends_at_the_limit(others: dict[str, Path]) -> None:
    with open_file(others["a device"], 1000, pipes=True) as file:
        assert file.read(1000) == bytes(1000)
        with pytest.raises(TooLargeError, match="/dev/zero: too large; expected at most 1,000 bytes"):
            file.read(1)
    with pytest.raises(IsADirectoryError):
        open_file(others["a folder"], 1000, pipes=True)
    with pytest.raises(InputError, match="a device"):
        open_file(others["a device"], 1000)


def test_lines_and_all_of_them_have_limits(file: Path) -> None:
    file.write_bytes(b"12\n345\n6")

    def lines(most_line: int, most: int) -> list[bytes]:
        with open_file(file, 100) as opened:
            return list(lines_of(opened, file, most_line, most))

    assert lines(4, 8) == [b"12\n", b"345\n", b"6"]
    with pytest.raises(InputError, match="file: line 2: too long; expected at most 3 bytes"):
        lines(3, 8)
    with pytest.raises(TooLargeError, match="file: too large; expected at most 7 bytes"):
        lines(4, 7)


def test_only_a_regular_file_is_appended_to(file: Path, others: dict[str, Path]) -> None:
    with open_to_append(file, "a file to write to") as opened:
        opened.write(b"6")
        opened.seek(0)
        assert opened.read() == b"123456"
    with open_to_append(others["a link"], "a file to write to") as opened:
        assert opened.read() == b""
    for kind in ("a pipe", "a device"):
        with pytest.raises(InputError, match=f"{kind}; expected a file to write to"):
            open_to_append(others[kind], "a file to write to")
    with pytest.raises(InputError, match="Is a directory; expected a file to write to"):
        open_to_append(others["a folder"], "a file to write to")


def test_what_is_written_is_read_and_leaves_no_draft(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_whole(file, '{"name": "\\ud83d\\ude00"}')
    assert read_json_file(file, 100) == {"name": "\U0001f600"}
    assert list(tmp_path.iterdir()) == [file]


def test_the_package_s_own_texts_are_found() -> None:
    assert "{" in own_text("agents/levels.json")
