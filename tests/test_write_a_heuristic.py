"""Everything that docs/how-to/write-a-heuristic.md shows runs, and its list of helper functions is complete."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import isolarium.heuristics
from isolarium.agents.subprocess_agent import PATIENCE_S
from isolarium.game.view import PlainView
from isolarium.processes.code_loader import HEURISTICS
from tests.command import run_isolarium, with_few

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "my_heuristic.py"
PAGE = (ROOT / "docs/how-to/write-a-heuristic.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (isolarium .*)$", PAGE, re.MULTILINE)
PYTHON = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
NOT_WORDS = {"Heuristic", "PlainView", "Squares", "Tabulated", "heuristic", "helper", "seen"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example and the files that the page shows."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(EXAMPLE.parent, folder / "examples")
    for text in PYTHON:
        named = re.match(r"# (\w+\.py)\n", text)
        if named:
            (folder / named[1]).write_text(text)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_command_runs(folder: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    _, *arguments = shlex.split(command)
    result = run_isolarium(*with_few(arguments))
    assert result.returncode == 0
    assert result.stdout
    assert "Traceback" not in result.stderr
    if "slow.py" in command:
        (printed,) = re.findall(r"^(isolarium: slow\.py.*)\.\.\.$", PAGE, re.MULTILINE)
        assert printed in result.stderr


@pytest.mark.parametrize("text", PYTHON)
def test_python_runs(text: str) -> None:
    path = os.pathsep.join([str(EXAMPLE.parent), *sys.path])
    subprocess.run([sys.executable, "-c", text], env=os.environ | {"PYTHONPATH": path}, check=True)


def test_shown_heuristics_are_those_of_the_example() -> None:
    shown = [text for text in PYTHON if "@heuristic" in text and not text.startswith("# ")]
    assert len(shown) == 3
    for text in shown:
        definition = text[text.index("@heuristic") :]
        assert definition in EXAMPLE.read_text()


def test_every_helper_function_is_explained() -> None:
    table = PAGE.partition("## Helper functions")[2].partition("## ")[0]
    explained = set(re.findall(r"^\| .*", table, re.MULTILINE))
    output = " ".join(line.rsplit("|", 2)[0] + line for line in explained)
    for word in set(isolarium.heuristics.__all__) - NOT_WORDS:
        assert f"`{word}" in output
    for attribute in ("blank", "rows", "cols", "own_to_move"):
        assert hasattr(PlainView, attribute)
        assert f"`view.{attribute}`" in output


def test_packages_register_under_the_group_that_is_looked_up() -> None:
    assert f'[project.entry-points."{HEURISTICS}"]' in PAGE


def test_the_page_gives_the_watchdog_s_patience() -> None:
    assert f"is terminated after {PATIENCE_S:g} seconds without a response" in " ".join(PAGE.split())


def test_the_example_shows_commands_that_the_page_explains() -> None:
    for command in re.findall(r"^    (isolarium .*)$", EXAMPLE.read_text(), re.MULTILINE):
        assert command.split()[1] in {line.split()[1] for line in COMMANDS}
