"""docs/theory.md shows what the evidence says."""

import re
from pathlib import Path
from runpy import run_path

from isolab.solver.starts import solved_boards

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "theory.md").read_text(encoding="utf-8")


def test_tables_are_those_of_the_evidence() -> None:
    assert run_path(str(DOCS / "fill_theory.py"))["filled"](PAGE) == PAGE, "fill_theory.py"


def test_every_solved_board_is_on_the_page() -> None:
    shown = set(re.findall(r"^\| (\d+x\d+) \|", PAGE, re.MULTILINE))
    assert shown == {str(board) for board in solved_boards() if board.rows <= board.cols}


def test_the_pictures_are_those_that_the_script_draws(tmp_path: Path) -> None:
    drawing = run_path(str(DOCS / "draw_theory.py"))
    drawing["main"].__globals__["IMAGES"] = tmp_path
    drawing["main"]()
    names = set(re.findall(r"\(images/(theory-[\w-]+\.svg)\)", PAGE))
    assert names == {path.name for path in tmp_path.iterdir()}
    for name in names:
        assert (DOCS / "images" / name).read_bytes() == (tmp_path / name).read_bytes()
