"""The example notebooks run and give the committed output; `tools.fill_docs` makes pages of them."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples"
PAGES = ROOT / "docs" / "tutorials" / "notebooks"
NOTEBOOKS = {path.stem: nbformat.read(path, as_version=4) for path in FOLDER.glob("*.ipynb")}
FORGET = nbformat.v4.new_code_cell("%reset -f")
TIMES = re.compile(r"[\d.,]+( vs [\d.,]+)? m?s\b")


def test_every_notebook_has_its_page() -> None:
    assert NOTEBOOKS
    assert NOTEBOOKS.keys() == {page.stem for page in PAGES.glob("*.md")}


@pytest.mark.slow
def test_they_show_what_they_were_committed_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    cells = [cell for notebook in NOTEBOOKS.values() for cell in (FORGET, *notebook.cells)]
    whole = nbformat.from_dict({**nbformat.v4.new_notebook(), "cells": cells})
    expected = list(_shown(whole))
    NotebookClient(whole, kernel_name="python3").execute(cwd=str(tmp_path))  # one kernel for all
    assert list(_shown(whole)) == expected
    assert len(expected) > 15


def _shown(notebook: NotebookNode) -> Iterator[str]:
    """What each cell shows as text, but for times; a bar that is gone shows nothing."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            if text:
                yield f"{cell.source}\n{TIMES.sub('…', text)}"
