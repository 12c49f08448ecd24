"""Files on their way to another machine: they arrive as they were, and what comes back has their names from here."""

from dataclasses import replace
from pathlib import Path

import pytest

from isolab.arena.cargo import Unpacked, pack
from isolab.arena.openings import opening_of, position_after
from isolab.errors import InputError
from isolab.game.notation import parse_board, parse_square
from isolab.game.outcome import Player
from tests.playing import made_up_row


def test_a_file_and_its_neighbour_lie_beside_each_other_there(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    texts = {f"{here}/mine.py": b"import beside", f"{here}/beside.py": b"value = 1"}
    for name, text in texts.items():
        Path(name).write_bytes(text)
    unpacked = Unpacked(pack(texts, {f"{here}/mine.py"}), there)
    spec = unpacked.spec_here(f"greedy:{here}/mine.py:mine")
    file = Path(spec.removeprefix("greedy:").removesuffix(":mine"))
    assert file.is_relative_to(there)
    assert file.read_bytes() == b"import beside"
    assert file.with_name("beside.py").read_bytes() == b"value = 1"


def test_a_note_names_files_as_they_are_called_here(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("", encoding="utf-8")
    unpacked = Unpacked(pack({str(file): b""}, {str(file)}), tmp_path / "there")
    board = parse_board("3x3")
    squares = tuple(parse_square(text, board) for text in ("a1", "c3"))
    opening = opening_of(position_after(board, squares), squares)
    game = made_up_row((0, 0, 0), opening, "3x3", Player.FIRST)
    told = unpacked.spec_here(f"greedy:{file}:mine")
    assert unpacked.named_back(replace(game, note=told)).note == f"greedy:{file}:mine"


def test_a_file_loaded_from_elsewhere_is_named(tmp_path: Path) -> None:
    mine, other = tmp_path / "one" / "mine.py", tmp_path / "other.py"
    mine.parent.mkdir()
    for path in (mine, other):
        path.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"other\.py: loaded for an agent from outside"):
        pack({str(mine): b"", str(other): b""}, {str(mine)})
