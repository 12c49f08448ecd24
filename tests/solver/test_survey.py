"""The file of a survey: nothing in it is lost, solved twice, or accepted unchecked."""

import errno
import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.symmetry import is_mirror
from isolarium.limits import Limit
from isolarium.solver.solution import Solution
from isolarium.solver.start_map import starts
from isolarium.solver.survey import SurveyFile, read_survey, summarize_survey, survey

pytestmark = pytest.mark.slow

BOARD = Board(4, 4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "starts.jsonl"


@pytest.fixture
def complete(path: Path) -> bytes:
    """The bytes of a whole record, which is at `path`."""
    with closing(SurveyFile(path, BOARD)) as file:
        for _ in survey(starts(BOARD), file, 2):
            pass
    return path.read_bytes()


def held(path: Path, board: Board = BOARD) -> dict[Position, Solution]:
    with closing(SurveyFile(path, board)) as file:
        return dict(file.solutions)


def test_a_record_holds_what_was_found(path: Path, complete: bytes) -> None:
    found = held(path)
    assert set(found) == set(starts(BOARD))
    assert path.read_bytes() == complete
    output = summarize_survey(BOARD, found.values())
    assert (output.starts, output.solved, output.wins, len(output.exceptions)) == (33, 33, 9, 10)


def test_a_line_torn_anywhere_is_cut_off_and_what_follows_is_whole(path: Path, complete: bytes) -> None:
    lines = complete.splitlines(keepends=True)
    for kept in range(len(lines[2])):
        path.write_bytes(b"".join(lines[:2]) + lines[2][:kept])
        with closing(SurveyFile(path, BOARD)) as file:
            assert len(file.solutions) == 2
            missing = [start for start in starts(BOARD) if start not in file.solutions]
            for _ in survey(missing[:1], file, 1):
                pass
        assert len(held(path)) == 3


def test_unknown_starts_are_reported_and_not_saved(path: Path) -> None:
    with closing(SurveyFile(path, BOARD)) as file:
        output = list(survey(starts(BOARD), file, 1, Limit(nodes=2)))
    unknown = [solution for solution in output if solution.wins is None]
    assert unknown
    assert len(held(path)) == len(output) - len(unknown)
    assert summarize_survey(BOARD, output).solved == len(output) - len(unknown)


def test_a_full_disk_is_reported_with_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with closing(SurveyFile(path, BOARD)) as file, pytest.raises(InputError, match=r"starts\.jsonl: No space left"):
        list(survey(starts(BOARD), file, 1))


def test_a_second_writer_is_refused(path: Path) -> None:
    with closing(SurveyFile(path, BOARD)), pytest.raises(InputError, match="another isolarium"):
        SurveyFile(path, BOARD)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"wins": None}, "true or false"),
        ({"wins": 1}, "true or false"),
        ({"nodes": "many"}, "number of nodes"),
        ({"nodes": -5}, "number of nodes"),
        ({"wins": False, "move": None}, "recorded as lost, which is wrong"),
        ({"position": "5/5/5/5/5 a"}, "expected a start of 4x4"),
        ({"position": "4/4 a"}, "rows"),
        ({"move": "a9"}, "a9"),
        ({"move": None}, "expected a legal move"),
    ],
)
def test_an_invalid_line_is_named(change: dict[str, object], named: str, path: Path, complete: bytes) -> None:
    lines = [json.loads(line) for line in complete.splitlines()]
    place = next(place for place, line in enumerate(lines) if line["wins"])
    lines[place].update(change)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = path.read_bytes()
    with pytest.raises(InputError) as caught:
        SurveyFile(path, BOARD)
    assert f"{path}: line {place + 1}: " in str(caught.value)
    assert named in str(caught.value)
    assert path.read_bytes() == before


def test_contradictions_are_named(path: Path, complete: bytes) -> None:
    lost = next(line for line in map(json.loads, complete.splitlines()) if not line["wins"])
    won = {**lost, "wins": True, "move": "b3"}
    path.write_bytes(complete + json.dumps(won).encode() + b"\n")
    with pytest.raises(InputError, match="line 34"):
        SurveyFile(path, BOARD)


def test_the_mirror_theorem_checks_starts_of_unsolved_boards(path: Path) -> None:
    board = Board(10, 10)
    start = next(start for start in starts(board) if is_mirror(start))
    line = {"position": str(start), "wins": True, "move": str(start.legal_moves()[0]), "nodes": 1}
    path.write_text(json.dumps(line) + "\n")
    with pytest.raises(InputError, match=r"line 1: .*: recorded as won, which is wrong"):
        read_survey(path, board)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_refused(device: str) -> None:
    with pytest.raises(InputError, match="a device; expected a file to write to"):
        SurveyFile(Path(device), BOARD)
    with pytest.raises(InputError, match="a device; expected a record of solved starts"):
        read_survey(Path(device), BOARD)


@pytest.mark.parametrize("text", [b"hello", b"hello\n", b"[]\n", b"\xff\xfe\n", b"{}\n"])
def test_a_file_of_something_else_is_left_alone(text: bytes, path: Path) -> None:
    path.write_bytes(text)
    with pytest.raises(InputError, match="line 1"):
        SurveyFile(path, BOARD)
    assert path.read_bytes() == text


def test_another_boards_record_is_refused(path: Path, complete: bytes) -> None:
    assert complete
    with pytest.raises(InputError, match="expected a start of 5x4"):
        SurveyFile(path, Board(5, 4))


def test_removed_solutions_are_gone_and_the_rest_stays(path: Path, complete: bytes) -> None:
    lines = complete.splitlines(keepends=True)
    with closing(SurveyFile(path, BOARD)) as file:
        doubted, again = list(file.solutions.values())[:2]
        file.remove([doubted.position, again.position])
        file.add(again)
        with pytest.raises(InputError, match="another isolarium process is writing to it"):
            SurveyFile(path, BOARD)
    assert path.read_bytes() == b"".join([*lines[2:], lines[1]])
    assert list(path.parent.iterdir()) == [path]
