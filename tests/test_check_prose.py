"""The list of `tools/check_prose.py` finds its phrases in texts of every kind, also across a line break."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.check_prose import compiled, files, places


def found(folder: Path) -> Iterator[tuple[str, int, str]]:
    for path in files(iter([str(folder)])):
        for place in places(path, compiled()):
            yield path.name, place.line, place.phrase


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("page.md", "One paragraph.\n\nThe run goes on with its games.\n", 3),
        ("page.md", "> The run goes\n> on with its games.\n", 1),
        ("module.py", '"""A run.\n\nIt goes\non with its games.\n"""\n', 3),
        ("module.py", "# Afterwards it goes\n# on with its games.\n", 1),
        ("page.js", "// It goes\n// on with its games.\n", 1),
    ],
)
def test_a_planted_phrase_is_found(tmp_path: Path, name: str, text: str, line: int) -> None:
    (tmp_path / name).write_text(text)
    assert [*found(tmp_path)] == [(name, line, found_phrase(text))]


def found_phrase(text: str) -> str:
    """Return the phrase as it stands in a text, with its line break and comment marks."""
    start = text.index("goes")
    return " ".join(text[start : text.index(" its")].split())


def test_plain_text_and_permitted_lines_pass(tmp_path: Path) -> None:
    (tmp_path / "plain.md").write_text("The run continues.\n\nThere is no other way to say it.\n")
    (tmp_path / "quoted.py").write_text('WORD = "whoever"  # prose: ok\n')
    assert not [*found(tmp_path)]


def test_every_pattern_has_an_alternative() -> None:
    assert all(compiled().values())
