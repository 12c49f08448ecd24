"""The module sets stand alone, and are written into folders."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from isolarium.course.loader import ModuleSet, write_modules
from isolarium.errors import InputError

FILES = [(modules, path) for modules in ModuleSet for path in sorted(modules.files())]


@pytest.mark.parametrize("modules", ModuleSet)
def test_each_set_has_what_agents_import(modules: ModuleSet) -> None:
    names = {path.as_posix() for path in modules.files()}
    assert {"isolation/__init__.py", "isolation/isolation.py", "sample_players.py"} <= names


@pytest.mark.parametrize(("modules", "path"), FILES)
def test_modules_are_written_for_python_3_8(modules: ModuleSet, path: Path) -> None:
    text = modules.files()[path].decode()
    tree = ast.parse(text, feature_version=(3, 8))
    if "tuple[" in text or " | None" in text:  # only annotations may say that, and they are not evaluated
        assert "from __future__ import annotations" in text
    assert tree.body


@pytest.mark.parametrize(("modules", "path"), FILES)
def test_modules_import_the_standard_library_alone(modules: ModuleSet, path: Path) -> None:
    tree = ast.parse(modules.files()[path])
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    names = {alias.name for node in imports for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 0}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


@pytest.mark.parametrize("modules", ModuleSet)
def test_modules_load_without_isolarium(modules: ModuleSet, tmp_path: Path) -> None:
    write_modules(modules, tmp_path)
    code = "import isolation, sample_players, sys; print('isolarium' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, '.'); {code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


def written(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.py")}


@pytest.mark.parametrize("modules", ModuleSet)
def test_a_folder_is_created_and_filled(modules: ModuleSet, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    paths = write_modules(modules, folder)
    assert written(folder) == modules.files()
    assert {path.relative_to(folder) for path in paths} == set(modules.files())


def test_writing_again_keeps_other_files(tmp_path: Path) -> None:
    (tmp_path / "game_agent.py").write_text("mine")
    write_modules(ModuleSet.FIRST, tmp_path)
    write_modules(ModuleSet.FIRST, tmp_path)
    assert (tmp_path / "game_agent.py").read_text() == "mine"


def test_one_set_replaces_the_other(tmp_path: Path) -> None:
    write_modules(ModuleSet.FIRST, tmp_path)
    write_modules(ModuleSet.LATER, tmp_path)
    assert written(tmp_path) == ModuleSet.LATER.files()


def test_an_unrelated_file_is_kept_and_nothing_written(tmp_path: Path) -> None:
    theirs = tmp_path / "sample_players.py"
    theirs.write_text("mine")
    with pytest.raises(InputError, match=r"sample_players\.py: this file is not Isolarium's") as caught:
        write_modules(ModuleSet.FIRST, tmp_path)
    assert "use --force" in str(caught.value)
    assert written(tmp_path) == {Path("sample_players.py"): b"mine"}


def test_force_overwrites_it(tmp_path: Path) -> None:
    (tmp_path / "sample_players.py").write_text("mine")
    write_modules(ModuleSet.FIRST, tmp_path, force=True)
    assert written(tmp_path) == ModuleSet.FIRST.files()


def test_a_file_in_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match="expected a folder to write to"):
        write_modules(ModuleSet.FIRST, tmp_path / "taken")
