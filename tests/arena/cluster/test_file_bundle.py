"""Files sent to another machine arrive unchanged, and notes that come back use the names here."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from isolarium.arena.cluster.cluster_worker import UnpackedBundle, bundle_files
from isolarium.errors import InputError


def test_a_file_and_its_neighbour_are_unpacked_together(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    texts = {f"{here}/mine.py": b"import beside", f"{here}/beside.py": b"value = 1"}
    for name, text in texts.items():
        Path(name).write_bytes(text)
    unpacked = UnpackedBundle(bundle_files(texts, {f"{here}/mine.py"}), there)
    spec = unpacked.spec_here(f"greedy:{here}/mine.py:mine")
    file = Path(spec.removeprefix("greedy:").removesuffix(":mine"))
    assert file.is_relative_to(there)
    assert file.read_bytes() == b"import beside"
    assert file.with_name("beside.py").read_bytes() == b"value = 1"


def test_workers_of_a_machine_share_files_that_nobody_else_reads(tmp_path: Path) -> None:
    file, there = tmp_path / "mine.py", tmp_path / "there"
    file.write_text("", encoding="utf-8")
    bundle = bundle_files({str(file): b"value = 1"}, {str(file)})
    with ThreadPoolExecutor(4) as threads:
        places = {
            one.result().spec_here(f"greedy:{file}:mine")
            for one in [threads.submit(UnpackedBundle, bundle, there) for _ in range(20)]
        }
    assert len(places) == 1
    (place,) = there.iterdir()
    assert stat.S_IMODE(there.stat().st_mode) == 0o700
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_changed_files_are_unpacked_again(tmp_path: Path) -> None:
    name, there = str(tmp_path / "mine.py"), tmp_path / "there"
    Path(name).write_text("", encoding="utf-8")

    def unpacked(text: bytes) -> Path:
        there_too = UnpackedBundle(bundle_files({name: text}, {name}), there).spec_here(f"greedy:{name}:mine")
        return Path(there_too.removeprefix("greedy:").removesuffix(":mine"))

    one, other = unpacked(b"one"), unpacked(b"other")
    assert (one.read_bytes(), other.read_bytes()) == (b"one", b"other")
    one.write_bytes(b"changed")
    assert unpacked(b"one") == one
    assert one.read_bytes() == b"one"


def test_a_note_names_files_as_they_are_called_here(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("", encoding="utf-8")
    unpacked = UnpackedBundle(bundle_files({str(file): b""}, {str(file)}), tmp_path / "there")
    output = unpacked.spec_here(f"greedy:{file}:mine")
    assert unpacked.named_back(output) == f"greedy:{file}:mine"


def test_a_file_loaded_from_elsewhere_is_named(tmp_path: Path) -> None:
    mine, other = tmp_path / "one" / "mine.py", tmp_path / "other.py"
    mine.parent.mkdir()
    for path in (mine, other):
        path.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"other\.py: an agent loads it from outside"):
        bundle_files({str(mine): b"", str(other): b""}, {str(mine)})
