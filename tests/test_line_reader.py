"""Lines are heard as they come, whole, and none of them fills our memory."""

import os
from collections.abc import Iterator

import pytest

from isolarium.compat import MOST_LINE, LineReader

Pipe = tuple[LineReader, int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    reader, writer = os.pipe()
    yield LineReader(reader), writer
    os.close(reader)
    os.close(writer)


def test_lines_come_one_by_one_without_their_ends(pipe: Pipe) -> None:
    lines, writer = pipe
    os.write(writer, b"ugi\nisready\r\n\n")
    assert [lines.read(), lines.read(), lines.read()] == ["ugi", "isready", ""]


def test_where_nothing_was_said_there_is_none(pipe: Pipe) -> None:
    lines, _ = pipe
    assert lines.read(0.0) is None


def test_a_line_is_heard_once_it_has_ended(pipe: Pipe) -> None:
    lines, writer = pipe
    os.write(writer, b"best")
    assert lines.read(0.0) is None
    os.write(writer, b"move e4\n")
    assert lines.read(0.0) == "bestmove e4"


def test_the_end_comes_after_a_last_line_without_one() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"quit")
    os.close(writer)
    lines = LineReader(reader)
    assert lines.read() == "quit"
    with pytest.raises(EOFError):
        lines.read()
    os.close(reader)


def test_a_line_that_does_not_end_is_cut_and_the_next_is_whole(pipe: Pipe) -> None:
    lines, writer = pipe
    heard = list[str]()
    for _ in range(4):  # a pipe holds no more at once
        os.write(writer, b"x" * (MOST_LINE // 2))
        line = lines.read(0.0)
        heard += [] if line is None else [line]
    os.write(writer, b"x\nugi\n")
    assert heard == ["x" * MOST_LINE]
    assert lines.read() == "ugi"


def test_bytes_that_are_no_text_are_marked(pipe: Pipe) -> None:
    lines, writer = pipe
    os.write(writer, b"\xff\xfe go\n")
    assert lines.read() == "\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER} go"
