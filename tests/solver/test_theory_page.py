"""docs/explanation/exact-values.md names every solved board; `tools.fill_docs` keeps its tables."""

import re
from pathlib import Path

from isolarium.solver.start_map import solved_boards

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "explanation" / "exact-values.md").read_text(encoding="utf-8")


def test_every_solved_board_is_on_the_page() -> None:
    table = PAGE.partition("<!-- boards -->")[2].partition("<!-- end -->")[0]
    shown = set(re.findall(r"^\| (\d+x\d+) \|", table, re.MULTILINE))
    assert shown == {str(board) for board in solved_boards() if board.rows <= board.cols}


def test_every_picture_is_there() -> None:
    names = re.findall(r"\(\.\./images/(theory-[\w-]+\.svg)\)", PAGE)
    assert names
    assert [name for name in names if not (DOCS / "images" / name).is_file()] == []
