"""The layout of the source: names of modules and sizes of files."""

from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
SOURCE: Final = ROOT / "src" / "isolarium"
MOST_LINES: Final = 500
MODULES: Final = sorted(path for path in SOURCE.rglob("*.py") if path.stem != "__init__")

REPEATED: Final = {
    "bench": "a command has the name of what it shows",
    "book": "a command has the name of what it shows",
    "cache": "a command has the name of what it shows",
    "engine": "a command has the name of what it shows",
    "isolation": "the course's two projects import it under this name",
    "perft": "a command has the name of what it shows",
    "play": "the command, and the routes of the page",
    "results": "a run's results, and what the API returns of them",
    "runs": "a command has the name of what it shows",
    "sample_players": "the course's two projects import it under this name",
    "server": "the process of a course agent, and the web server",
    "study": "a command has the name of what it shows",
}
"""Names of several modules, with the reason."""


def test_modules_have_different_names_unless_a_reason_is_given() -> None:
    named = defaultdict(list)
    for path in MODULES:
        named[path.stem].append(path)
    assert {name for name, paths in named.items() if len(paths) > 1} == REPEATED.keys()


def test_a_module_is_named_by_a_noun() -> None:
    assert not {path.stem for path in MODULES if path.stem.endswith("ing")}


@pytest.mark.parametrize("suffix", ["py", "js"])
def test_a_file_has_at_most_500_lines(suffix: str) -> None:
    files = [path for path in SOURCE.rglob(f"*.{suffix}") if "vendor" not in path.parts]
    lengths = {
        path.relative_to(SOURCE).as_posix(): len(path.read_text(encoding="utf-8").splitlines()) for path in files
    }
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}
