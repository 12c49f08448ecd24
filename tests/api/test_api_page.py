"""docs/reference/python-api.md documents every public name, and its examples run."""

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import isolarium
import isolarium.heuristics

PAGE = (Path(__file__).parents[2] / "docs/reference/python-api.md").read_text(encoding="utf-8")
NAMES = [name for name in isolarium.__all__ if name != "__version__"]
ENTRIES = {entry.partition("`")[0]: entry for entry in re.split(r"^(?:### `isolarium\.|## )", PAGE, flags=re.MULTILINE)}


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_its_entry_with_all_that_it_has(name: str) -> None:
    thing = getattr(isolarium, name)
    entry = ENTRIES[name]
    if not inspect.isclass(thing):
        missing = [given for given in inspect.signature(thing).parameters if given not in entry]
        assert missing == []
        assert _is_explained(thing)
        return
    assert thing.__doc__
    own = {key: value for key, value in vars(thing).items() if _is_public_method(key, value)}
    assert [key for key in own if f"`{key}`" not in entry and f".{key}`" not in entry] == []
    assert [key for key, value in own.items() if not inspect.getdoc(value)] == []


def _is_public_method(key: str, value: Any) -> bool:
    kinds = (property, classmethod, staticmethod)
    return not key.startswith("_") and (inspect.isfunction(value) or isinstance(value, kinds))


def _is_explained(function: Any) -> bool:
    """Whether a function's docstring says what it takes: each by name, where it takes more than one."""
    taken = list(inspect.signature(function).parameters)
    doc = inspect.getdoc(function) or ""
    return bool(doc) and (len(taken) < 2 or all(f"    {name}: " in doc for name in taken))


def test_every_word_of_heuristics_has_its_line() -> None:
    words = PAGE.partition("## Heuristics")[2]
    assert [name for name in isolarium.heuristics.__all__ if f"- `{name}" not in words] == []


@pytest.mark.slow
def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```pycon\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    known: dict[str, Any] = {}
    for number, text in enumerate(examples):
        test = parser.get_doctest(text, known, f"example {number}", "docs/reference/python-api.md", 0)
        runner.run(test, clear_globs=False)
        known = test.globs  # a later example may continue an earlier one
    assert runner.summarize().failed == 0
