"""The learned evaluation: what the training computed, file by file and value by value."""

from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position
from isolarium.heuristics.bound_heuristic import bind, parse_heuristic
from isolarium.heuristics.catalogue.learned import FILES, FOLDER, SHIPPED, learned_from, read_weights
from isolarium.heuristics.compiler import value_of
from isolarium.heuristics.definition import heuristic_of
from tests.command import run_isolarium

VALUES = Path(__file__).parent / "data" / "learned.npz"
"""10,000 positions with the value that the training's own program gives them, in units of 2 ** -18."""
SHIPPED_FILE = FOLDER / FILES[SHIPPED]


def stored(path: Path, **changed: Any) -> Path:
    """The shipped weights with arrays changed, left out where None, under the name of their bytes."""
    with np.load(SHIPPED_FILE) as file:
        arrays = {**file, **changed}
    buffer = BytesIO()
    np.savez(buffer, **{name: array for name, array in arrays.items() if array is not None})
    return named(path, buffer.getvalue())


def named(folder: Path, content: bytes) -> Path:
    file = folder / f"mine-{sha256(content).hexdigest()}.npz"
    file.write_bytes(content)
    return file


def test_values_equal_those_of_the_training() -> None:
    bound = parse_heuristic("learned")
    with np.load(VALUES) as file:
        rows = zip(*(file[name] for name in ("board", "blank", "waits", "moves", "value")), strict=True)
        for size, blank, waits, moves, value in rows:
            board = Board(*divmod(int(size), 100))
            mask = sum(int(word) << 64 * place for place, word in enumerate(blank))
            squares = board.square(int(waits)), board.square(int(moves))
            position = Position(board, mask, *squares, Player.SECOND)
            assert value_of(bound, position, Player.FIRST) * 2**18 == value, position
            assert value_of(bound, position, Player.SECOND) * 2**18 == -value, position


def test_weights_from_a_users_file_give_other_values(tmp_path: Path) -> None:
    with np.load(SHIPPED_FILE) as file:
        squares = file["squares"].copy()
    squares[:, :, 0] //= 2
    weights = stored(tmp_path, squares=squares)
    mine = heuristic_of(learned_from(weights))
    assert mine is not None
    position = parse_position("7/7/2A4/3x3/4B2/7/7 b")
    values = [value_of(one, position, Player.FIRST) for one in (bind(mine), parse_heuristic("learned"))]
    assert values[0] != values[1]


@pytest.mark.slow
def test_an_agent_plays_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    weights = stored(tmp_path)
    heuristics = tmp_path / "mine.py"
    heuristics.write_text(
        f"from isolarium.heuristics.catalogue.learned import learned_from\nmine = learned_from({str(weights)!r})\n"
    )
    same = [f"greedy:{heuristics}:mine", "greedy:learned"]
    said = run_isolarium("match", *same, "--pairs", "3", "--no-accuracy")
    assert "won 0 · split 3 · lost 0" in said.stdout


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"squares": None}, "squares"),
        ({"squares": np.zeros((2, 972, 31), np.int8)}, "squares: expected int8 [2, 972, 32]"),
        ({"sizes": np.zeros((2, 96, 32), np.int16)}, "sizes: expected int8"),
        ({"opinions": np.full((2, 31), 2048, np.int16)}, "opinions: expected at most 2,047"),
        ({"knights": np.array([{}])}, "expected arrays of weights"),
    ],
)
def test_bad_arrays_are_refused(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said.replace("[", r"\[")):
        read_weights(stored(tmp_path, **changed))


def test_an_altered_file_is_refused(tmp_path: Path) -> None:
    content = bytearray(SHIPPED_FILE.read_bytes())
    content[len(content) // 2] ^= 1
    file = tmp_path / SHIPPED_FILE.name
    file.write_bytes(content)
    with pytest.raises(InputError, match="does not end with the SHA-256"):
        read_weights(file)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x93NUMPY"])
def test_a_file_that_is_not_an_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError):
        read_weights(named(tmp_path, content))


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a weights file"):
        read_weights(tmp_path / "none.npz")
